"""What the Dockerfile does, done here: `python -m tests.deploy.image` (it takes minutes).

The instructions that build and install the wheel are those of the Dockerfile itself, with its
folders moved below a temporary one. Then the installed server is started, asked for its health,
and stopped.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.deploy.test_image import instructions
from tests.deploy.tools import ROOT

_MOVED: Final = ("/opt/burraco", "/wheels")
_STOPS_WITHIN: Final = 20
_LEFT_OUT: Final = ("*.so", "__pycache__")


def main() -> int:
    """Build, install, start, ask, stop."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        context = folder / "source"
        _copy_context(context)
        _run_build(folder, context)
        _serve(folder / "opt" / "burraco" / "bin", folder)
    print("the image's wheel builds, serves, answers for its health and stops with status 0")
    return 0


def _copy_context(context: Path) -> None:
    context.mkdir()
    for line in instructions("COPY"):
        if line.startswith("--from="):
            continue
        for source in line.split()[:-1]:
            if (ROOT / source).is_dir():
                ignore = shutil.ignore_patterns(*_LEFT_OUT)
                shutil.copytree(ROOT / source, context / source, ignore=ignore)
            else:
                shutil.copy2(ROOT / source, context / source)


def _run_build(folder: Path, context: Path) -> None:
    """The RUN of the first stage that makes the wheel; `python` is the one that runs this."""
    (command,) = (line for line in instructions("RUN") if "pip wheel" in line)
    for moved in _MOVED:
        command = command.replace(moved, f"{folder}{moved}")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        ["sh", "-euc", command], cwd=context, check=True, env={**os.environ, "PATH": path}
    )


def _serve(programs: Path, folder: Path) -> None:
    burraco, ready = str(programs / "burraco"), folder / "ready.json"
    # The installed package, never the checkout.
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [burraco, "serve", "--listen", "127.0.0.1:0", "--data", str(folder / "data")]
    version = subprocess.check_output([burraco, "version"], text=True, cwd=folder, env=clean)
    assert "engine compiled" in version, version
    with subprocess.Popen(
        [*command, "--ready-file", str(ready)],
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=clean,
    ) as server:
        try:
            assert server.stderr is not None
            for line in server.stderr:
                if '"serving"' in line:
                    break
            address = json.loads(ready.read_text())["address"]
            subprocess.run(
                [burraco, "health", "--server", address], check=True, cwd=folder, env=clean
            )
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=_STOPS_WITHIN)
            assert server.returncode == 0
        finally:
            server.kill()


if __name__ == "__main__":
    raise SystemExit(main())
