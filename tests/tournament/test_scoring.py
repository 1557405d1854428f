"""What tables come to: deals, faults, leavers, and an organiser's word."""

from dataclasses import replace

from burraco.tournament.field import TableScore
from burraco.tournament.rows import BoardPlayed, Half
from burraco.tournament.scoring import (
    adjudicated_score,
    forfeited_score,
    forfeiting,
    half_gains,
    table_score,
)
from tests.tournament.events import PLAN, POINTS, half

BY_POINTS = replace(PLAN, scoring=POINTS)


def board(number: int, *halves: Half) -> BoardPlayed:
    return BoardPlayed(0, number, 0, halves)


def test_the_difference_of_the_totals_is_looked_up_not_the_sum_of_differences() -> None:
    boards = [board(0, half((400, 0)), half((0, 75))), board(1, half((475, 0)), half((0, 250)))]
    # 875 against 325 over four deals (rules/tournaments.md).
    assert table_score(PLAN, boards) == TableScore((550, -550), (13, 7), 4)


def test_without_victory_points_the_gains_are_all() -> None:
    boards = [board(0, half((400, 0)), half((0, 75))), board(1, half((0, 0)), half((0, 5)))]
    assert table_score(BY_POINTS, boards) == TableScore((320, -320), (0, 0), 4)


def test_a_side_at_fault_loses_the_adjusted_points_and_the_other_keeps_what_it_won() -> None:
    assert half_gains(PLAN, half((300, 900), (True, False))) == (-500, 600)


def test_a_side_at_fault_wins_nothing_and_costs_its_opponents_nothing() -> None:
    assert half_gains(PLAN, half((900, 300), (True, False))) == (-500, 0)


def test_two_sides_at_fault_both_lose() -> None:
    assert half_gains(PLAN, half((900, 300), (True, True))) == (-500, -500)


def test_victory_points_of_an_adjusted_table_go_by_the_middle() -> None:
    boards = [board(0, half((0, 0), (False, True)), half((0, 0))), board(1, *[half((0, 0))] * 2)]
    # +0 and -500: 250 between them, 12-8 over four deals is 305 and more.
    assert table_score(PLAN, boards) == TableScore((0, -500), (11, 9), 4)


def test_more_adjusted_boards_than_allowed_forfeit() -> None:
    faulty, clean = half((0, 0), (True, False)), half((0, 0))
    assert forfeiting(PLAN, [board(0, faulty, faulty), board(1, clean, clean)]) == (False, False)
    assert forfeiting(PLAN, [board(0, faulty, clean), board(1, clean, faulty)]) == (True, False)


def test_a_leaver_has_its_points_and_the_other_side_a_bye() -> None:
    score = forfeited_score(PLAN, [], (True, False))
    assert score == TableScore((-355, 355), (8, 14), 4)
    assert forfeited_score(replace(PLAN, boards=1), [], (True, False)).victory_points == (6, 14)


def test_a_leaver_without_victory_points_loses_each_deal_that_is_missing() -> None:
    boards = [board(0, half((0, 100)), half((0, 100)))]
    assert forfeited_score(BY_POINTS, boards, (False, True)).gains == (-200, 200 - 1000)


def test_both_leave() -> None:
    assert forfeited_score(PLAN, [], (True, True)) == TableScore((-355, -355), (8, 8), 4)


def test_an_organisers_score_is_looked_up_too() -> None:
    assert adjudicated_score(PLAN, (550, -550)).victory_points == (13, 7)
