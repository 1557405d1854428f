"""Stated error rates hold: intervals and decisions, by simulation; ratings, by what went in."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from burraco.tournament.deciding import Asked, Decision, decide
from burraco.tournament.intervals import board_interval, rounds_interval
from burraco.tournament.ladder_ratings import Meeting, ladder_ratings
from burraco.tournament.payoffs import Payoff, cycles, nash_shares
from burraco.tournament.ratings import Margin, additive_ratings

QUESTION = Asked(gain=40, false_alarms=0.05, misses=0.05)
EVENTS = 1000


def margin(chance: Random, mean: float) -> int:
    """A board pair as they are at the table: skewed, with a long tail, in steps of five."""
    burraco = 400 if chance.random() < 0.1 else 0
    return 5 * round((chance.gauss(mean - 40, 250) + burraco) / 5)


@pytest.mark.parametrize("boards", [8, 24])
def test_the_interval_holds_the_mean_as_often_as_it_says(boards: int) -> None:
    chance = Random(boards)
    held = 0
    for event in range(EVENTS):
        sums = [(margin(chance, 0) + margin(chance, 0), 2) for _ in range(boards)]
        low, high = board_interval(sums, event)
        held += low <= 0 <= high
    assert 0.93 <= held / EVENTS <= 0.97


def test_the_interval_is_the_same_each_time() -> None:
    sums = [(margin(Random(board), 0), 2) for board in range(20)]
    assert board_interval(sums, 7) == board_interval(sums, 7) != board_interval(sums, 8)


@pytest.mark.parametrize("boards", [4, 16])
def test_the_interval_over_rounds_holds_the_mean_whoever_the_opponents_were(boards: int) -> None:
    chance = Random(f"rounds {boards}")
    held, wide = 0, 0.0
    for event in range(EVENTS // 2):
        sums = [
            (opponent, margin(chance, mean) + margin(chance, mean), 2)
            for opponent, mean in enumerate((900, 0, -900))
            for _ in range(boards)
        ]
        low, high = rounds_interval(sums, event)
        held += low <= 0 <= high
        wide += (high - low) / (EVENTS // 2)
    assert 0.925 <= held / (EVENTS // 2) <= 0.975
    # A board pair's mean strays by some 200: over n of them the interval is 4 × 200 / √n wide.
    assert wide < 1.3 * 800 / (3 * boards) ** 0.5


def test_a_board_a_round_leaves_only_the_boards_themselves() -> None:
    sums = [(number, 100 * number, 2) for number in range(8)]
    assert rounds_interval(sums, 1) == board_interval([board[1:] for board in sums], 1)


def test_a_single_board_is_a_point() -> None:
    assert board_interval([(100, 2)], 1) == (50, 50)


def decisions(mean: float, events: int) -> Counter[Decision]:
    chance = Random(f"decisions {mean}")
    found: Counter[Decision] = Counter()
    for _ in range(events):
        margins: list[float] = []
        decision = Decision.UNDECIDED
        while decision is Decision.UNDECIDED:
            margins += [margin(chance, mean) / 2 for _ in range(8)]
            decision = decide(QUESTION, margins)
        found[decision] += 1
    return found


def test_equal_bots_are_called_better_or_worse_as_seldom_as_is_said() -> None:
    found = decisions(0, EVENTS)
    # Three standard deviations of a share of 5 % in 1,000 events are 2.1 %.
    assert (found[Decision.BETTER] + found[Decision.WORSE]) / EVENTS <= 0.05 + 0.021


@pytest.mark.parametrize(("mean", "right"), [(80, Decision.BETTER), (-80, Decision.WORSE)])
def test_bots_that_differ_by_the_gain_are_told_apart(mean: float, right: Decision) -> None:
    found = decisions(mean, 300)
    assert found[right] / 300 >= 0.95 - 0.038


def test_few_boards_decide_nothing() -> None:
    assert decide(QUESTION, [500.0] * 23) is Decision.UNDECIDED
    assert decide(QUESTION, [500.0, 480.0] * 16) is Decision.BETTER


def test_boards_that_are_all_the_same_decide_what_they_show() -> None:
    assert decide(QUESTION, [0.0] * 24) is Decision.EQUAL
    assert decide(QUESTION, [40.0] * 24) is Decision.BETTER


def test_ratings_are_what_margins_were_made_from() -> None:
    strength = [0, 120, -60, 30]
    margins = [
        Margin(board, a, b, 2 * (strength[a] - strength[b]), 2)
        for board in range(5)
        for a in range(4)
        for b in range(a)
    ]
    rated = additive_ratings(5, 0, margins, 1)
    assert [rating.entry for rating in rated] == [0, 1, 2, 3], "who has not played has no rating"
    for rating in rated:
        assert rating.points == pytest.approx(strength[rating.entry], abs=1e-4)
        assert rating.interval == pytest.approx((rating.points, rating.points), abs=1e-4)


def test_ratings_reach_over_others() -> None:
    margins = [Margin(0, 1, 0, 200, 2), Margin(0, 2, 1, 100, 2)]
    points = {rating.entry: round(rating.points) for rating in additive_ratings(3, 0, margins, 1)}
    assert points == {0: 0, 1: 100, 2: 150}


def test_who_beats_whom_in_a_ring_is_a_cycle() -> None:
    def beaten(low: float) -> Payoff:
        return Payoff(low + 10, (low, low + 20), 10)

    payoffs = {(0, 1): beaten(5), (1, 2): beaten(5), (2, 0): beaten(5), (0, 3): beaten(-5)}
    assert cycles(payoffs) == [(0, 1, 2)]
    assert cycles({**payoffs, (2, 0): beaten(-5)}) == []


def test_nash_shares_of_a_ring_are_even_and_a_loser_has_none() -> None:
    ring = np.array([[0, 1, -1, 5], [-1, 0, 1, 5], [1, -1, 0, 5], [-5, -5, -5, 0]], dtype=float)
    assert nash_shares(ring) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-3)


def test_nash_shares_of_equals_are_even() -> None:
    assert nash_shares(np.zeros((4, 4))) == pytest.approx([0.25] * 4, abs=1e-3)


def test_a_copy_shares_what_its_original_had() -> None:
    twice = np.array([[0, 0, 10], [0, 0, 10], [-10, -10, 0]], dtype=float)
    assert nash_shares(twice) == pytest.approx([0.5, 0.5, 0], abs=1e-3)


@pytest.mark.parametrize("seed", range(20))
def test_a_win_never_lowers_the_winners_rating(seed: int) -> None:
    chance = Random(seed)
    names = [f"n{at}" for at in range(6)]
    meetings: list[Meeting] = []
    for _ in range(40):
        four = chance.sample(names, 4)
        before = ladder_ratings(meetings)
        meetings.append(Meeting(((four[0], four[1]), (four[2], four[3])), chance.choice((0, 1))))
        after = ladder_ratings(meetings)
        winner = meetings[-1].winner
        assert winner is not None
        for name in meetings[-1].sides[winner]:
            assert name not in before or after[name].mu >= before[name].mu
        for name in set(names) - set(four):
            assert after.get(name) == before.get(name), "no play, no change"


def test_ratings_of_the_ladder_are_the_same_again() -> None:
    meetings = [Meeting((("a",), ("b",)), 0), Meeting((("b",), ("c",)), None)]
    assert ladder_ratings(meetings) == ladder_ratings(list(meetings))
