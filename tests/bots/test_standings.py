"""Scores, intervals and places, on cases small enough to work out by hand (docs/arena.md)."""

from math import sqrt
from random import Random
from statistics import stdev

import pytest

from burraco.bots.standings import (
    FORFEIT_POINTS,
    RESAMPLES,
    Outcome,
    Standing,
    bootstrap,
    mean_points,
    places,
    standings,
)

CLEAN = (False, False)
BOTH = (True, True)


def played(board: int, entries: tuple[int, int], points: tuple[int, int]) -> Outcome:
    return Outcome(board, entries, points, CLEAN, BOTH)


def row(name: str, low: float, high: float) -> Standing:
    return Standing(name, (low + high) / 2, (low, high), 2, 1.0, 1, 1, 0, "")


@pytest.mark.parametrize(
    ("points", "forfeited", "scores"),
    [
        pytest.param((700, 250), CLEAN, (450, -450), id="difference-of-the-points"),
        pytest.param((-30, -30), CLEAN, (0, 0), id="level"),
        pytest.param((700, 250), (True, False), (-500, 0), id="forfeit-of-the-better-side"),
        pytest.param((250, 700), (True, False), (-500, 450), id="forfeit-of-the-worse-side"),
        pytest.param((250, 700), (False, True), (0, -500), id="forfeit-of-ew"),
        pytest.param((250, 700), (True, True), (-500, -500), id="both-forfeit"),
        pytest.param(None, (False, True), (0, -500), id="not-played-against-a-retired-bot"),
        pytest.param(None, (True, True), (-500, -500), id="not-played-between-retired-bots"),
    ],
)
def test_scores(
    points: tuple[int, int] | None, forfeited: tuple[bool, bool], scores: tuple[int, int]
) -> None:
    outcome = Outcome(1, (0, 1), points, forfeited, BOTH)

    assert outcome.scores == scores


def test_standings_of_two_boards() -> None:
    # Board 1: A +200 and +100; board 2: A -60 and +40. In all 280 over four deals.
    outcomes = [
        played(1, (0, 1), (500, 300)),
        played(1, (1, 0), (100, 200)),
        played(2, (0, 1), (40, 100)),
        played(2, (1, 0), (0, 40)),
    ]

    best, worst = standings(("A", "B"), outcomes, ("", ""), seed=1)

    assert (best.name, best.points_per_deal, best.deals, best.wins, best.boards) == (
        ("A", 70.0, 4, 3, 2)
    )
    assert (worst.name, worst.points_per_deal, worst.wins) == ("B", -70.0, 1)
    assert best.clean_rate == worst.clean_rate == 1.0
    # Of two boards a resample gives means of 150, 70 or -10, a quarter, a half and a quarter.
    assert best.ci95 == (-10.0, 150.0)


def test_forfeits_count_for_the_bot_that_fails_only() -> None:
    outcomes = [
        Outcome(1, (0, 1), (100, 400), (True, False), (False, True)),
        Outcome(1, (1, 0), (400, 100), (False, True), (True, False)),
        Outcome(2, (0, 1), None, (True, False), (False, True)),
    ]

    good, bad = standings(("bad", "good"), outcomes, ("illegal acts", ""), seed=1)

    assert (bad.points_per_deal, bad.forfeits, bad.clean_rate) == (FORFEIT_POINTS, 3, 0.0)
    assert bad.note == "illegal acts"
    assert (good.points_per_deal, good.forfeits, good.clean_rate) == (200.0, 0, 1.0)
    assert good.wins == 3


def test_an_entry_without_a_table_has_a_row() -> None:
    rows = standings(("A", "B"), [], ("", ""), seed=1)

    assert [(entry.name, entry.deals) for entry in rows] == [("A", 0), ("B", 0)]


def test_equal_points_go_by_name() -> None:
    rows = standings(("B", "A"), [played(1, (0, 1), (50, 50))], ("", ""), seed=1)

    assert [entry.name for entry in rows] == ["A", "B"]


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


def test_mean_points_so_far() -> None:
    outcomes = [played(1, (0, 1), (300, 100)), played(2, (1, 0), (0, 100))]

    assert mean_points(3, outcomes) == (150.0, -150.0, None)
