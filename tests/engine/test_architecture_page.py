"""docs/architecture.md has a room for every module, and none for modules that are gone."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text()
PACKAGES = {
    "engine": "engine/burraco/engine",
    "wire": "proto/py/burraco/wire",
    "server": "server/burraco/server",
    "sdk": "sdk/burraco/sdk",
    "bots": "bots/burraco/bots",
    "tournament": "tournament/burraco/tournament",
}


def _modules(folder: str) -> Iterator[str]:
    """Every module below a folder by its own name, migrations left out."""
    for path in (ROOT / folder).rglob("*.py"):
        if not path.stem.startswith("__") and "migrations" not in path.parts:
            yield path.stem


def _rooms(folder: str) -> list[str]:
    """What the page names in its part about a package, as patterns: a table, or a paragraph."""
    _, part = PAGE.split(f"**`{folder}`**", 1)
    part = re.split(r"\n\*\*|\n## ", part)[0]
    cells = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    words = re.findall(r"`([\w…]+)`", " ".join(cells) or part)
    return [word.replace("…", "*") for word in words]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_has_a_room(package: str) -> None:
    rooms = _rooms(PACKAGES[package])
    lost = [
        module
        for module in _modules(PACKAGES[package])
        if not any(fnmatchcase(module, room) for room in rooms)
    ]
    assert not lost, f"add to docs/architecture.md what these modules know: {sorted(lost)}"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_room_has_a_module(package: str) -> None:
    folder = PACKAGES[package]
    there = {*_modules(folder), *(path.name for path in (ROOT / folder).iterdir())}
    empty = [room for room in _rooms(folder) if not any(fnmatchcase(name, room) for name in there)]
    assert not empty, f"docs/architecture.md names what is gone: {empty}"
