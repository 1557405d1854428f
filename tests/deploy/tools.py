"""Where the files of deploy/ are, and the programs that check them."""

import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

ROOT: Final = Path(__file__).parents[2]
DEPLOY: Final = ROOT / "deploy"
_PATIENCE: Final = 120


def installed(name: str) -> str:
    """A program that came with the environment of the tests."""
    return str(Path(sys.executable).with_name(name))


def from_debian(name: str) -> str:
    """A program of Debian's prometheus; without it a test is skipped, but never in CI."""
    beside = Path(sys.prefix) / "prometheus" / "usr" / "bin" / name
    found = shutil.which(name) or (str(beside) if beside.exists() else None)
    if found is None:
        words = f"{name} is missing: run `make prometheus`, or install it yourself"
        if os.environ.get("CI"):
            pytest.fail(words)
        pytest.skip(words)
    return found


def run(*command: str | Path, text: str | None = None) -> str:
    """What a program says; it must be content."""
    done = subprocess.run(
        list(map(str, command)),
        input=text,
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def loaded(path: Path) -> Any:  # noqa: ANN401 - whatever the file holds
    """A YAML file of one document."""
    return yaml.safe_load(path.read_text())


def scrape(address: object) -> str:
    """The metrics of a server, as Prometheus reads them."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=_PATIENCE) as answer:
        text: str = answer.read().decode()
    return text


def series_of(text: str) -> Iterator[str]:
    """Names and labels of all series of a scrape."""
    for line in text.splitlines():
        if not line.startswith("#"):
            yield line.rpartition(" ")[0]


def names_of(text: str) -> set[str]:
    """Names of the metrics of a scrape."""
    return {series.partition("{")[0] for series in series_of(text)}
