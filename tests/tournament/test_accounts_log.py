"""An exported log is read back as it was written, or the line that is wrong is named."""

import json
from collections.abc import Callable

import pytest

from burraco.tournament.boards import commitment_to
from burraco.tournament.exported import UnreadableLog, read_log, write_log
from burraco.tournament.field import Format, Stage
from burraco.tournament.progress import Status
from burraco.tournament.rows import (
    Finished,
    Paused,
    Resumed,
    RoundPaired,
    Row,
    TableAdjudicated,
    Withdrawn,
)
from tests.tournament.events import PLAN, by_chance, field_of, plan_of, play, started

Lines = list[str]


def whole() -> list[Row]:
    """The rows of an event that was played out, its secret that of the tests."""
    rows = started(PLAN, field_of(4))
    play(rows, by_chance(1))
    return rows


LINES = write_log(whole()).splitlines(keepends=True)
PAIRED = next(at for at, line in enumerate(LINES) if '"RoundPaired"' in line)
PLAYED = PAIRED + 1


def changed(at: int, change: Callable[[dict[str, object]], None]) -> Lines:
    """The log with one row changed."""
    row = json.loads(LINES[at])
    change(row)
    return [*LINES[:at], json.dumps(row) + "\n", *LINES[at + 1 :]]


def payload(at: int, **fields: object) -> Lines:
    """The log with fields of one row changed."""

    def change(row: dict[str, object]) -> None:
        there = row["payload"]
        assert isinstance(there, dict)
        there.update(fields)

    return changed(at, change)


def test_a_log_is_read_back_as_it_was_written() -> None:
    log = read_log("".join(LINES))
    assert list(log.rows) == whole()
    assert write_log(log.rows) == "".join(LINES)
    assert log.progress.status is Status.FINISHED
    assert len(log.progress.played) == 3


@pytest.mark.parametrize("format_", [*Format])
def test_every_format_is_read_back(format_: Format) -> None:
    size = 2 if format_ is Format.DUEL else 6
    rounds = 0 if format_ in (Format.KNOCK_OUT, Format.ROUND_ROBIN) else 3
    entries = field_of(size, anchors=2 if format_ is Format.GAUNTLET else 0)
    rows = started(plan_of(Stage(format_, rounds)), entries)
    play(rows, by_chance(2))
    assert list(read_log(write_log(rows)).rows) == rows


def test_every_prefix_is_a_log() -> None:
    for length in range(1, len(LINES) + 1):
        assert len(read_log("".join(LINES[:length])).rows) == length


def test_the_last_line_may_end_without_an_end_of_line() -> None:
    assert len(read_log("".join(LINES).removesuffix("\n")).rows) == len(LINES)


def test_names_may_hold_what_some_take_for_an_end_of_line() -> None:
    lines = payload(1, entry={**json.loads(LINES[1])["payload"]["entry"], "name": "a\u2028b"})
    again = write_log(read_log("".join(lines)).rows)
    assert "a\u2028b" in again
    assert read_log(again).progress.entries[0].name == "a\u2028b"


def test_the_secret_is_held_against_the_commitment() -> None:
    log = read_log("".join(LINES))
    assert log.keeps_commitment is False
    secret = bytes.fromhex("00")
    kept = payload(0, commitment=commitment_to("e-test", secret))
    assert read_log("".join(kept)).keeps_commitment is True
    assert read_log("".join(kept)).lots == secret
    assert read_log("".join(LINES[:-1])).keeps_commitment is None


WRONG = [
    pytest.param([], 1, "the file is empty", id="empty"),
    pytest.param(["\n"], 1, "the file is empty", id="blank"),
    pytest.param([*LINES[:3], LINES[3][:20]], 4, "no whole JSON object", id="cut-off"),
    pytest.param(["[" * 100_000], 1, "no whole JSON object", id="deep"),
    pytest.param([*LINES[:2], "\n", *LINES[2:]], 3, "no whole JSON object", id="blank-line"),
    pytest.param(["[]\n"], 1, "no row of a log", id="no-object"),
    pytest.param(['{"version": 1}\n'], 1, "no row of a log", id="keys"),
    pytest.param([LINES[0].replace("1", "true", 1)], 1, "no row of a log", id="version-type"),
    pytest.param(LINES[1:], 1, "version 2 where 1 was due", id="begins-late"),
    pytest.param([LINES[0], LINES[2], LINES[1]], 2, "missing or out of order", id="exchanged"),
    pytest.param([*LINES[:4], *LINES[5:]], 5, "version 6 where 5 was due", id="row-lost"),
    pytest.param(
        [LINES[0], LINES[1].replace("Entered", "Entred")], 2, "'Entred' is no kind", id="kind"
    ),
    pytest.param(payload(1, entry=3), 2, "Entered.entry", id="field"),
    pytest.param(
        [LINES[1].replace('"version":2', '"version":1')], 1, "begins with Opened", id="no-opening"
    ),
    pytest.param(payload(0, commitment="00"), 1, "64 hexadecimal digits", id="commitment"),
    pytest.param(payload(0, plan={}), 1, "Opened.plan", id="plan-empty"),
    pytest.param(
        payload(0, plan={**json.loads(LINES[0])["payload"]["plan"], "boards": 0}),
        1,
        "this plan cannot be played: boards",
        id="plan",
    ),
    pytest.param(payload(len(LINES) - 1, secret="xy"), len(LINES), "hexadecimal", id="secret"),
]


@pytest.mark.parametrize(("lines", "line", "problem"), WRONG)
def test_a_wrong_line_is_named(lines: Lines, line: int, problem: str) -> None:
    with pytest.raises(UnreadableLog, match=problem) as found:
        read_log("".join(lines))
    assert found.value.line == line
    assert str(found.value).startswith(f"line {line}: ")
    assert "\n" not in str(found.value)


def entry(at: int, **fields: object) -> Lines:
    return payload(at, entry={**json.loads(LINES[at])["payload"]["entry"], **fields})


def round_of(*tables: object, byes: tuple[int, ...] = ()) -> Lines:
    told = [{"sides": sides, "deck": 0} for sides in tables]
    return payload(PAIRED, round={"tables": told, "byes": byes})


def halves(*changes: dict[str, object]) -> Lines:
    there = json.loads(LINES[PLAYED])["payload"]["halves"]
    return payload(
        PLAYED, halves=[{**half, **change} for half, change in zip(there, changes, strict=False)]
    )


def then(at: int, row: Row) -> Lines:
    """The log up to a row, and another one after it."""
    text = write_log([*read_log("".join(LINES[:at])).rows, row])
    return text.splitlines(keepends=True)


MISFITS = [
    pytest.param(entry(2, number=5), 2, "entry 5 where 1 was due", id="entry-number"),
    pytest.param(entry(2, name="e0"), 2, "a second entry named 'e0'", id="entry-twice"),
    pytest.param(entry(2, bots=[]), 2, "an entry of 0 bots", id="entry-without-bots"),
    pytest.param(round_of([[0], [1]], [[0], [2]]), PAIRED, "paired twice", id="paired-twice"),
    pytest.param(round_of([[0], [9]]), PAIRED, "has not entered", id="paired-nobody"),
    pytest.param(round_of([[0, 1, 2], [3]]), PAIRED, "a side is one entry", id="side"),
    pytest.param(payload(PAIRED, stage=1), PAIRED, "stage 1 of 1", id="stage"),
    pytest.param(payload(PLAYED, table=7), PLAYED, "no table 7", id="table"),
    pytest.param(payload(PLAYED, board=-1), PLAYED, "no board -1", id="board"),
    pytest.param(payload(PLAYED, attempt=1), PLAYED, "attempt 1", id="attempt"),
    pytest.param(halves({}), PLAYED, "a board of 1 halves", id="halves"),
    pytest.param(halves({"reasons": []}, {}), PLAYED, "reasons of 0 seats", id="reasons"),
    pytest.param(halves({"points": [10**9, 0]}, {}), PLAYED, "more points", id="points"),
    pytest.param(
        then(2, Withdrawn(5, "", "")), 2, "entry 5 is not in the field", id="withdrawn-nobody"
    ),
    pytest.param(then(2, Paused("", "")), 2, "is open, not running", id="paused-early"),
    pytest.param(then(PAIRED, Resumed("")), PAIRED, "is running, not paused", id="resumed"),
    pytest.param(
        then(PAIRED, TableAdjudicated(0, (0, 0), "", "")), PAIRED, "no round", id="between-rounds"
    ),
    pytest.param(
        then(len(LINES), Finished("", "00")), len(LINES), "nothing follows the end", id="ended"
    ),
    pytest.param(then(2, whole()[0]), 2, "opened once", id="opened-twice"),
]


@pytest.mark.parametrize(("lines", "at", "problem"), MISFITS)
def test_a_row_that_cannot_come_there_is_named(lines: Lines, at: int, problem: str) -> None:
    with pytest.raises(UnreadableLog, match=problem) as found:
        read_log("".join(lines))
    assert found.value.line == at + 1


def test_a_round_is_paired_when_the_one_before_is_over() -> None:
    row = whole()[PAIRED]
    assert isinstance(row, RoundPaired)
    with pytest.raises(UnreadableLog, match="round 1 is not over"):
        read_log("".join(then(PAIRED + 1, row)))
    with pytest.raises(UnreadableLog, match="has not started"):
        read_log("".join(then(PAIRED - 1, row)))
