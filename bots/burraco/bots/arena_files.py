"""The folder an arena writes: standings, times, a BGN file for every table, logs, the event log."""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from burraco.bots.standings import Standing

_MARK: Final = "arena.json"
_STANDINGS: Final = "standings.json"
_TIMING: Final = "timing.json"
_FOLDERS: Final = ("bgn", "logs", "server", "tournament")
_FILES: Final = (_STANDINGS, _TIMING)


class FolderTaken(Exception):
    """The output folder cannot be used; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class ArenaFolder:
    """Paths below the output folder of one arena."""

    root: Path

    @property
    def server(self) -> Path:
        """Event log of the server."""
        return self.root / "server"

    @property
    def tournament(self) -> Path:
        """The tournament as `burraco tournament export` writes it."""
        return self.root / "tournament"

    @property
    def standings(self) -> Path:
        """The result; the same seed and deterministic bots give the same bytes."""
        return self.root / _STANDINGS

    def log(self, name: str) -> Path:
        """What a process wrote to its standard output and error."""
        return self.root / "logs" / f"{name}.log"

    def bgn(self, stem: str) -> Path:
        """Notation of one table."""
        return self.root / "bgn" / f"{stem}.bgn"

    def write_standings(self, rules: str, seed: int, boards: int, rows: Sequence[Standing]) -> None:
        """Write the result, the best first."""
        entries = [asdict(row) for row in rows]
        _write(self.standings, {"rules": rules, "seed": seed, "boards": boards, "entries": entries})

    def write_timing(self, times: Mapping[str, object]) -> None:
        """Write how long it took; apart, since it differs from run to run."""
        _write(self.root / _TIMING, times)


def open_folder(root: Path, terms: Mapping[str, object], *, force: bool) -> ArenaFolder:
    """Make the folder and mark it as an arena's with its ``terms``.

    Raises ``FolderTaken`` when it cannot be written, and when it holds an arena already, unless
    ``force`` clears that away. Files that no arena wrote are never removed.
    """
    check_folder(root, force=force)
    try:
        _clear(root)
        for folder in _FOLDERS:
            (root / folder).mkdir(parents=True)
        _write(root / _MARK, terms)
    except OSError as fault:
        raise FolderTaken(
            f"{root} cannot be written ({fault.strerror}): choose another folder with --out"
        ) from None
    return ArenaFolder(root)


def check_folder(root: Path, *, force: bool) -> None:
    """Raise ``FolderTaken`` when an arena may not write there."""
    if root.exists() and not root.is_dir():
        raise FolderTaken(f"{root} is a file: choose a folder with --out")
    found = [name for name in (*_FILES, *_FOLDERS) if (root / name).exists()]
    is_arena = (root / _MARK).is_file()
    if found and not is_arena:
        raise FolderTaken(
            f"{root} holds {', '.join(found)}, not written by an arena: choose another --out"
        )
    if is_arena and not force:
        raise FolderTaken(f"{root} holds an arena already: choose another --out, or add --force")


def _clear(root: Path) -> None:
    for folder in _FOLDERS:
        if (root / folder).exists():
            shutil.rmtree(root / folder)
    for name in (*_FILES, _MARK):
        (root / name).unlink(missing_ok=True)


def _write(path: Path, content: Mapping[str, object]) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
