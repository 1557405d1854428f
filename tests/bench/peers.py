"""Our steps beside gin rummy of other libraries, all in one run: ``make bench-peers``.

Each of the others is installed from the package index into a virtual environment of its own, since
they do not agree on versions; one that cannot be installed is named and left out.
"""

import subprocess
import venv
from collections.abc import Iterator
from pathlib import Path

from burraco.engine.compiled import is_compiled
from tests.bench.engine_speed import steps_and_seconds
from tests.bench.peer_games import PEERS, speed

_FOLDER = Path("out/peers")
_PATIENCE = 900


def main() -> None:
    """Install the peers and print one line for each."""
    for line in report():
        print(line, flush=True)


def report() -> Iterator[str]:
    """Microseconds a step with all legal moves, from the first draw on and with the dealing."""
    yield _ours(1_000)
    for peer, packages in PEERS.items():
        python = _FOLDER / peer / "bin" / "python"
        if not python.exists():
            venv.create(_FOLDER / peer, with_pip=True)
        yield f"{peer:24} {_install(python, packages) or _measure(python, peer)}"
    yield _ours(2_000)


def _ours(first: int) -> str:
    engine = "compiled" if is_compiled() else "pure"
    return f"{f'burraco, {engine}':24} {speed(*steps_and_seconds(first))}"


def _install(python: Path, packages: tuple[str, ...]) -> str:
    """Nothing when it went well, else why not, in one line."""
    command = [str(python), "-m", "pip", "install", "--quiet", *packages]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    return f"not installed: {_last_line(ran.stderr)}" if ran.returncode else ""


def _measure(python: Path, peer: str) -> str:
    command = [str(python), "-W", "ignore", "-m", "tests.bench.peer_games", peer]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    return f"did not run: {_last_line(ran.stderr)}" if ran.returncode else ran.stdout.strip()


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[-1]


if __name__ == "__main__":
    main()
