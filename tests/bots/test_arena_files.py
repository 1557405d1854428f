"""Where an arena may write, and what it never removes."""

import json
from pathlib import Path

import pytest

from burraco.bots.arena_files import FolderTaken, open_folder
from burraco.bots.standings import Standing


def test_standings_as_they_are_written(tmp_path: Path) -> None:
    folder = open_folder(tmp_path / "a", {}, force=False)
    row = Standing("club", 12.5, (-3.0, 30.25), 8, 0.875, 5, 2, 1, "1 table lost to time-outs")

    folder.write_standings("classic", 7, 2, [row])

    assert json.loads(folder.standings.read_text()) == {
        "rules": "classic",
        "seed": 7,
        "boards": 2,
        "entries": [
            {
                "name": "club",
                "points_per_deal": 12.5,
                "ci95": [-3.0, 30.25],
                "deals": 8,
                "clean_rate": 0.875,
                "wins": 5,
                "boards": 2,
                "forfeits": 1,
                "note": "1 table lost to time-outs",
            }
        ],
    }


def test_an_arena_is_not_overwritten_unasked(tmp_path: Path) -> None:
    folder = open_folder(tmp_path, {"seed": 1}, force=False)
    folder.bgn("old").write_text("old")

    with pytest.raises(FolderTaken, match="--force"):
        open_folder(tmp_path, {"seed": 2}, force=False)
    assert folder.bgn("old").exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(FolderTaken, match=r"file.deeper cannot be written \(Not a directory\)"):
        open_folder(tmp_path / "file" / "deeper", {}, force=False)


def test_force_clears_an_arena_away(tmp_path: Path) -> None:
    open_folder(tmp_path, {"seed": 1}, force=False).bgn("old").write_text("old")
    (tmp_path / "notes.txt").write_text("mine")

    folder = open_folder(tmp_path, {"seed": 2}, force=True)

    assert not folder.bgn("old").exists()
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_what_no_arena_wrote_is_never_removed(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "precious.py").write_text("")

    with pytest.raises(FolderTaken, match="not written by an arena"):
        open_folder(tmp_path, {}, force=True)
    assert (tmp_path / "server" / "precious.py").exists()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")

    with pytest.raises(FolderTaken, match="is a file"):
        open_folder(tmp_path / "out", {}, force=True)
