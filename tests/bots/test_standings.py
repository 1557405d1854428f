"""The standings of an arena, on cases small enough to work out by hand (docs/arena.md)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from random import Random
from statistics import stdev

import pytest

from burraco.bots.arena import log_so_far
from burraco.bots.standings import RESAMPLES, Standing, bootstrap, places, standings
from burraco.sdk import Fault, MatchEnd, MatchResult, SeatEnd, SeatResult, TournamentLogRow
from burraco.tournament.exported import Log
from burraco.tournament.field import Format, Stage
from burraco.tournament.plan import Plan
from burraco.tournament.progress import Progress, Wanted
from burraco.tournament.rows import BoardPlayed, Half, RoundPaired, Row, Withdrawn, row_to_json
from tests.tournament.events import LOTS, POINTS, field_of, plan_of, started

NO_EXITS: Sequence[Sequence[int]] = ((), ())
TWO = replace(plan_of(Stage(Format.ROUND_ROBIN, 0)), scoring=POINTS, boards=8, adjusted_allowed=2)
Leads = Callable[[Wanted, int], int]
Failing = Callable[[Wanted], tuple[bool, bool]]


def row(name: str, low: float, high: float) -> Standing:
    return Standing(name, (low + high) / 2, (low, high), 2, 1.0, 1, 1, 0, "")


def log_of(
    plan: Plan,
    leads: Leads,
    failing: Failing = lambda _wanted: (False, False),
    leaver: int | None = None,
) -> Log:
    """A round robin of two, e0 and e1, in which e0 leads by so much at a half; who fails."""
    rows: list[Row] = started(plan, field_of(2))
    if leaver is not None:
        rows.append(Withdrawn(leaver, "gone", "director"))
    progress = Progress.of(rows)
    while (paired := progress.next_pairing(LOTS)) is not None:
        rows.append(paired)
        progress.apply(paired)
        at = paired.round.tables[0].sides.index((0,))
        while wanted := progress.wanted():
            halves = tuple(
                _half(wanted[0], half, at, leads, failing) for half in range(plan.halves)
            )
            board = BoardPlayed(0, wanted[0].ref.board, 0, halves)
            rows.append(board)
            progress.apply(board)
    return Log(tuple(rows), progress)


def _half(wanted: Wanted, half: int, at: int, leads: Leads, failing: Failing) -> Half:
    points, fails = (leads(wanted, half), 0), failing(wanted)
    by_side = (points, fails) if at == 0 else (points[::-1], fails[::-1])
    return Half(f"m{wanted.ref.board}-{half}", *by_side, "played", ("clean",) * 4)


def result(ends: Sequence[SeatEnd], illegal_acts: int = 0) -> MatchResult:
    seats = tuple(
        SeatResult(seat, f"b{seat % 2}", end, Fault.BOT, illegal_acts, 0, 10, 50)
        for seat, end in enumerate(ends)
    )
    return MatchResult(MatchEnd.PLAYED, (0, 0), None, 1, seats)


def test_points_are_those_of_the_cards_and_a_win_is_a_deal() -> None:
    # e0 leads by 200 and by 100 on even boards, loses by 60 and leads by 40 on odd ones.
    leads = {(0, 0): 200, (0, 1): 100, (1, 0): -60, (1, 1): 40}
    log = log_of(TWO, lambda wanted, half: leads[wanted.ref.board % 2, half])

    best, worst = standings(log, {}, NO_EXITS)

    assert (best.name, best.points_per_deal, best.deals, best.boards) == ("e0", 70.0, 16, 8)
    assert (best.wins, worst.wins) == (12, 4)
    assert (worst.name, worst.points_per_deal) == ("e1", -70.0)
    assert best.clean_rate == worst.clean_rate == 1.0
    assert best.forfeits == worst.forfeits == 0
    assert best.note == worst.note == ""
    assert best.ci95 is not None
    assert worst.ci95 is not None
    assert best.ci95[0] < 70 < best.ci95[1]
    assert worst.ci95 == (-best.ci95[1], -best.ci95[0])


def test_few_boards_have_no_interval() -> None:
    log = log_of(replace(TWO, boards=5), lambda _wanted, _half: 100)

    assert [entry.ci95 for entry in standings(log, {}, NO_EXITS)] == [None, None]


def test_a_pairing_is_forfeited_with_the_third_board_that_a_side_fails_on() -> None:
    # Faults on the second, third and fourth board of eight; the winner keeps what it won.
    failed = (1, 2, 3)
    log = log_of(
        TWO,
        lambda _wanted, _half: 30,
        lambda wanted: (False, wanted.ref.board in failed),
    )

    good, bad = standings(log, {}, NO_EXITS)

    # Two halves of board 1 at 30, six forfeited ones, and eight that were not played.
    assert (good.name, good.points_per_deal, good.deals) == ("e0", 8 * 30 / 16, 16)
    assert (bad.points_per_deal, bad.forfeits) == ((2 * -30 + 14 * -500) / 16, 14)
    assert bad.clean_rate == 2 / 16
    assert bad.note == "6 deals lost to other faults; 1 pairing forfeited"
    assert (good.note, good.forfeits, good.clean_rate) == ("", 0, 1.0)


@pytest.mark.parametrize(
    ("ends", "illegal_acts", "fails", "note"),
    [
        pytest.param(
            [SeatEnd.CLEAN, SeatEnd.TIME_OUTS, SeatEnd.CLEAN, SeatEnd.DISCONNECTED],
            0,
            True,
            "1 deal lost to time-outs and going away",
            id="both-seats-lost",
        ),
        pytest.param(
            [SeatEnd.CLEAN, SeatEnd.STRIKES, SeatEnd.CLEAN, SeatEnd.CLEAN],
            0,
            False,
            "1 deal with strikes",
            id="strikes",
        ),
        pytest.param([SeatEnd.CLEAN] * 4, 1, False, "1 deal with illegal acts", id="illegal-acts"),
    ],
)
def test_what_is_said_of_a_deal(
    ends: Sequence[SeatEnd], illegal_acts: int, fails: bool, note: str
) -> None:
    plan = replace(TWO, boards=1, halves=1, adjusted_allowed=1)
    log = log_of(plan, lambda _wanted, _half: 10, lambda _wanted: (False, fails))
    first = log.progress.played[0].round.tables[0].sides[0][0]
    seen = ends if first == 0 else [*ends[1:], ends[0]]
    results: Mapping[str, MatchResult] = {"m0-0": result(seen, illegal_acts)}

    rows = {entry.name: entry for entry in standings(log, results, NO_EXITS)}

    assert rows["e1"].note == note
    assert rows["e1"].clean_rate == 0.0


@pytest.mark.parametrize(
    ("exits", "note"),
    [
        pytest.param((70,), "crashed: exit status 70, started again", id="once"),
        pytest.param((1, -9), "crashed: signal 9, 2 times", id="twice"),
    ],
)
def test_what_is_said_of_a_process_that_ended(exits: Sequence[int], note: str) -> None:
    log = log_of(TWO, lambda _wanted, _half: 10)

    rows = {entry.name: entry for entry in standings(log, {}, ((), exits))}

    assert (rows["e0"].note, rows["e1"].note) == ("", note)


def test_an_entry_without_a_table_has_a_row() -> None:
    log = log_of(TWO, lambda _wanted, _half: 10, leaver=0)

    rows = standings(log, {}, NO_EXITS)

    assert [(entry.name, entry.deals, entry.ci95) for entry in rows] == [
        ("e1", 0, None),
        ("e0", 0, None),
    ]


def test_an_arena_that_was_broken_off_counts_the_boards_that_are_over() -> None:
    rows: list[Row] = started(TWO, field_of(2))
    paired = Progress.of(rows).next_pairing(LOTS)
    assert isinstance(paired, RoundPaired)
    first = paired.round.tables[0].sides[0][0]
    points = (80, 0) if first == 0 else (0, 80)
    halves = tuple(Half(f"m{n}", points, (False, False), "played", ("clean",) * 4) for n in (0, 1))
    # The second board is not over yet, the third is.
    rows += [paired, BoardPlayed(0, 0, 0, halves), BoardPlayed(0, 2, 0, halves)]
    told = [
        TournamentLogRow(version, *row_to_json(row), b"") for version, row in enumerate(rows, 1)
    ]

    best, _ = standings(log_so_far(told), {}, NO_EXITS)

    assert (best.name, best.points_per_deal, best.deals) == ("e0", 80.0, 4)


def test_a_place_whose_interval_is_not_known_may_be_any() -> None:
    assert places([row("a", 5, 9), replace(row("b", 1, 4), ci95=None)]) == ("1=", "1=")


def test_bootstrap_depends_on_the_seed_alone() -> None:
    boards = [(value, 4) for value in (120, -310, 45, 800, 10, -90, 260)]

    assert bootstrap(boards, 7) == bootstrap(boards, 7)
    assert bootstrap(boards, 7) != bootstrap(boards, 8)


def test_bootstrap_weighs_boards_by_their_deals() -> None:
    # Every resample of one board is that board.
    assert bootstrap([(300, 4)], 1) == (75.0, 75.0)


def test_an_interval_holds_the_mean_and_narrows() -> None:
    few, many = [(0, 1), (100, 1)] * 5, [(0, 1), (100, 1)] * 200
    for boards in (few, many):
        low, high = bootstrap(boards, 1)
        assert low < 50 < high
    assert bootstrap(many, 1)[0] > bootstrap(few, 1)[0]


def test_bootstrap_agrees_with_the_normal_interval() -> None:
    chance = Random(3)
    values = [round(chance.gauss(50, 400)) for _ in range(200)]
    mean, error = sum(values) / 200, stdev(values) / sqrt(200)

    low, high = bootstrap([(value, 1) for value in values], 1)

    assert low == pytest.approx(mean - 1.96 * error, abs=error / 4)
    assert high == pytest.approx(mean + 1.96 * error, abs=error / 4)


def test_intervals_cover_the_true_mean_about_95_times_in_100() -> None:
    chance = Random(11)
    hits = 0
    for series in range(60):
        boards = [(round(chance.gauss(30, 300)), 1) for _ in range(30)]
        low, high = bootstrap(boards, series)
        hits += low <= 30 <= high

    assert RESAMPLES == 2000
    assert 51 <= hits <= 60


@pytest.mark.parametrize(
    ("intervals", "expected"),
    [
        pytest.param([(50, 90), (0, 40), (-90, -10)], ("1", "2", "3"), id="apart"),
        pytest.param([(30, 90), (0, 40), (-90, -10)], ("1=", "1=", "3"), id="first-two-overlap"),
        pytest.param([(50, 90), (0, 40), (-90, 0)], ("1", "2=", "2="), id="touching-is-overlap"),
        pytest.param([], (), id="nobody"),
    ],
)
def test_places(intervals: list[tuple[float, float]], expected: tuple[str, ...]) -> None:
    rows = [row(str(at), low, high) for at, (low, high) in enumerate(intervals)]

    assert places(rows) == expected
