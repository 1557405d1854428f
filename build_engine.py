"""Compiles the hot path of the engine while a wheel is built.

mypyc turns the same typed source into machine code. It happens where a C compiler and the headers
of Python are there, and ``BURRACO_PURE=1`` turns it off. An editable install is never compiled: in
a checkout the source is what runs, so that an edit counts and no old object can stand before it.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# What a step of search or self-play runs through; the rest is asked once a decision or less.
HOT = (
    "actions",
    "cards",
    "deal",
    "growth",
    "legal",
    "melds",
    "rollout",
    "scoring",
    "state",
    "tables",
    "transition",
    "turn",
)


class CompileEngine(BuildHookInterface[Any]):
    """The hook that hatchling calls before it packs a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and add the objects to the wheel, which then fits this platform only."""
        if version == "editable" or os.environ.get("BURRACO_PURE") == "1" or not _can_compile():
            return
        with tempfile.TemporaryDirectory() as folder:
            sources = Path(folder) / "engine"
            shutil.copytree(Path(self.root) / "engine", sources)
            _compile(sources)
            kept = Path(self.directory) / "compiled"
            for made in _objects(sources):
                place = made.relative_to(sources)
                (kept / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(made, kept / place)
                build_data["force_include"][str(kept / place)] = str(place)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the objects once they are packed."""
        shutil.rmtree(Path(self.directory) / "compiled", ignore_errors=True)


def _can_compile() -> bool:
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    headers = Path(sysconfig.get_path("include")) / "Python.h"
    return shutil.which(compiler) is not None and headers.exists()


def _compile(sources: Path) -> None:
    options = ["--namespace-packages", "--explicit-package-bases"]
    modules = [f"burraco/engine/{name}.py" for name in HOT]
    script = (
        "from mypyc.build import mypycify\n"
        "from setuptools import setup\n"
        f"modules = mypycify({options + modules!r}, opt_level='3')\n"
        "setup(name='engine', packages=[], ext_modules=modules)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, "build_ext", "--inplace"],
        cwd=sources,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        print(ran.stdout[-2000:], ran.stderr[-2000:], sep="\n", file=sys.stderr)
        raise SystemExit("the engine did not compile; BURRACO_PURE=1 installs it as plain Python")


def _objects(sources: Path) -> list[Path]:
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    return [*sources.glob(f"*{suffix}"), *sources.glob(f"burraco/engine/*{suffix}")]
