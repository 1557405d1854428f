"""`burraco report` and `burraco ratings`: what they write, and what is said of wrong files."""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from burraco.bots import ratings_command, report_command
from burraco.tournament.exported import read_log, write_log
from burraco.tournament.field import Format, Stage
from tests.bots.reported import event
from tests.tournament.events import POINTS, field_of, plan_of

PLAN = replace(plan_of(Stage(Format.ROUND_ROBIN, 0)), scoring=POINTS)
Spoil = Callable[[str], str]


def burraco(*arguments: object) -> int:
    """Run a command as `burraco` does, without finding it first."""
    parser = argparse.ArgumentParser(prog="burraco")
    commands = parser.add_subparsers()
    ratings_command.register(commands)
    report_command.register(commands)
    asked = parser.parse_args([*map(str, arguments)])
    status: int = asked.run(asked)
    return status


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The log of an event that was played out."""
    return event(PLAN, field_of(4)).write(tmp_path)


def test_a_report_is_written_beside_the_log(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["report.html", "standings.json", "boards.parquet", "deals.parquet", "actions.parquet"]
    assert burraco("report", log.parent) == 0
    said = capsys.readouterr()
    assert said.out.splitlines() == [str(log.parent / name) for name in names]
    assert said.err == ""
    assert all((log.parent / name).stat().st_size for name in names)


def test_a_report_of_the_file_is_that_of_its_folder(log: Path) -> None:
    assert burraco("report", log) == 0
    page = (log.parent / "report.html").read_bytes()
    assert burraco("report", log.parent) == 0
    assert (log.parent / "report.html").read_bytes() == page


def test_standings_are_written_best_first(log: Path) -> None:
    assert burraco("report", log, "--anchor", "e2") == 0
    told = json.loads((log.parent / "standings.json").read_text(encoding="utf-8"))
    assert (told["status"], told["rounds"], told["victory_points"]) == ("finished", 3, False)
    rows = told["entries"]
    assert [row["rank"] for row in rows] == [1, 2, 3, 4]
    points = [row["points_per_deal"] for row in rows]
    assert points == sorted(points, reverse=True)
    assert {row["deals"] for row in rows} == {12}
    assert "above <strong>e2</strong>" in (log.parent / "report.html").read_text(encoding="utf-8")


def test_ratings_are_the_same_bytes_again_and_after_an_export(log: Path, tmp_path: Path) -> None:
    outs = [tmp_path / f"{number}.json" for number in range(3)]
    assert burraco("ratings", "recompute", log, "--out", outs[0]) == 0
    assert burraco("ratings", "recompute", log.parent, "--out", outs[1]) == 0
    exported = tmp_path / "again.jsonl"
    rows = read_log(log.read_text(encoding="utf-8")).rows
    exported.write_text(write_log(rows), encoding="utf-8")
    assert burraco("ratings", "recompute", exported, "--out", outs[2]) == 0
    assert len({out.read_bytes() for out in outs}) == 1


def test_ratings_are_the_same_bytes_in_another_interpreter(log: Path, tmp_path: Path) -> None:
    outs = [tmp_path / f"{seed}.json" for seed in (1, 2)]
    script = (
        "import argparse, sys; from burraco.bots.ratings_command import register;"
        " parser = argparse.ArgumentParser(); register(parser.add_subparsers());"
        " asked = parser.parse_args(); sys.exit(asked.run(asked))"
    )
    for seed, out in zip((1, 2), outs, strict=True):
        subprocess.run(
            [sys.executable, "-c", script, "ratings", "recompute", log, "--out", out],
            env={"PYTHONHASHSEED": str(seed), "PYTHONPATH": ":".join(filter(None, sys.path))},
            check=True,
            capture_output=True,
            timeout=120,
        )
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_ratings_are_printed_best_first(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert burraco("ratings", "recompute", log, "--anchor", "e1") == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "points a deal above e1, with 95 % intervals drawn by board"
    figures = [float(line.split()[2].replace("−", "-")) for line in said[2:]]
    assert len(figures) == 4
    assert figures == sorted(figures, reverse=True)
    (anchor,) = (line for line in said if line.startswith("e1"))
    assert "anchor" in anchor


@pytest.mark.parametrize("command", [("report",), ("ratings", "recompute")])
def test_an_anchor_that_nobody_is_named_is_a_wrong_command(
    log: Path, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert burraco(*command, log, "--anchor", "nobody") == 2
    said = capsys.readouterr()
    expected = (
        f"burraco {command[0]}: --anchor: no entry is named 'nobody'; there are e0, e1, e2, e3\n"
    )
    assert (said.out, said.err) == ("", expected)
    assert not (log.parent / "report.html").exists()


@pytest.mark.parametrize("command", [("report",), ("ratings", "recompute")])
def test_a_log_that_is_missing_is_named(
    tmp_path: Path, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert burraco(*command, tmp_path) == 2
    path = tmp_path / "tournament.jsonl"
    expected = f"burraco {command[0]}: {path}: No such file or directory\n"
    assert capsys.readouterr().err == expected


WRONG = [
    pytest.param(lambda _text: "", "line 1: the file is empty", id="empty"),
    pytest.param(lambda text: text[:-40], "cut off", id="truncated"),
    pytest.param(
        lambda text: text.replace("Entered", "Arrived", 1), "line 2: 'Arrived'", id="kind"
    ),
    pytest.param(
        lambda text: "".join(sorted(text.splitlines(keepends=True), reverse=True)),
        "line 1: version 9 where 1 was due",
        id="order",
    ),
]


@pytest.mark.parametrize(("spoil", "problem"), WRONG)
@pytest.mark.parametrize("command", [("report",), ("ratings", "recompute")])
def test_a_log_that_is_wrong_is_told_in_one_line(
    log: Path,
    command: tuple[str, ...],
    spoil: Spoil,
    problem: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    log.write_text(spoil(log.read_text(encoding="utf-8")), encoding="utf-8")
    assert burraco(*command, log) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"burraco {command[0]}: {log}: line ")
    assert problem in said.err
    assert said.err.count("\n") == 1


def test_a_log_that_is_no_text_is_told_in_one_line(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log.write_bytes(b"\xff\xfe")
    assert burraco("report", log) == 1
    assert "no UTF-8 text" in capsys.readouterr().err


def test_notation_that_is_not_sound_is_told_in_one_line(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    next((log.parent / "bgn").iterdir()).write_text("[", encoding="ascii")
    assert burraco("report", log) == 1
    said = capsys.readouterr().err
    assert said.startswith("burraco report: ")
    assert said.count("\n") == 1


def test_a_file_that_cannot_be_written_is_named(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (log.parent / "report.html").mkdir()
    assert burraco("report", log) == 2
    assert "report.html: Is a directory" in capsys.readouterr().err
    assert burraco("ratings", "recompute", log, "--out", log.parent) == 2


def test_registering_the_commands_brings_in_none_of_their_packages() -> None:
    script = (
        "import sys; import burraco.bots.ratings_command, burraco.bots.report_command;"
        " found = {'altair', 'jinja2', 'numpy', 'polars', 'rich', 'scipy', 'vl_convert'};"
        " print(*sorted(found & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == ""
