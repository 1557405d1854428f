"""How far a round robin is, by the rounds that a server has shown."""

from collections.abc import Sequence
from typing import Any

from burraco.bots.arena_course import Course
from burraco.sdk import TournamentHalf, TournamentRound, TournamentTable

HALVES = 2


class Shown:
    """What a course asks of a tournament: its rounds, as a test has them."""

    def __init__(self, rounds: Sequence[TournamentRound]) -> None:
        self.rounds = rounds
        self.asked: list[int] = []
        self.tournament = self
        self.tournament_id = "arena"
        self.rounds_played = sum(round_.is_over for round_ in rounds)

    async def pairings(self, _tournament_id: str, number: int) -> TournamentRound | None:
        self.asked.append(number)
        return self.rounds[number - 1] if number <= len(self.rounds) else None


def table(
    first: int, second: int, boards: int, lead: int, gains: tuple[int, int] | None = None
) -> TournamentTable:
    halves = tuple(
        TournamentHalf(f"m{board}{half}", board, half, (lead, 0), (False, False), 0)
        for board in range(boards)
        for half in range(HALVES)
    )
    return TournamentTable((first,), (second,), 0, gains, (0, 0), halves)


async def follow(course: Course, rounds: Sequence[TournamentRound]) -> list[int]:
    shown: Any = Shown(rounds)
    await course.follow(shown, shown)
    asked: list[int] = shown.asked
    return asked


async def test_boards_count_as_they_come_in() -> None:
    course = Course(("a", "b", "c"), boards=4)
    playing = TournamentRound(1, 1, (table(1, 0, 3, 50),), (2,), is_over=False)

    assert await follow(course, [playing]) == [1]

    assert (course.done, course.played, course.all_boards) == (3, 3, 12)
    assert list(course.pairings()) == [((0, 1), 3), ((0, 2), 0), ((1, 2), 0)]
    assert list(course.means()) == [("b", 50.0), ("a", -50.0)]


async def test_a_forfeited_pairing_is_done_and_was_not_played() -> None:
    course = Course(("a", "b"), boards=8)
    over = TournamentRound(1, 1, (table(0, 1, 3, 50, (300, -3300)),), (), is_over=True)

    await follow(course, [over])

    assert (course.done, course.played, course.all_boards) == (8, 3, 8)


async def test_rounds_that_are_over_are_not_asked_for_again() -> None:
    course = Course(("a", "b", "c"), boards=1)
    one = TournamentRound(1, 1, (table(0, 1, 1, 10, (20, -20)),), (2,), is_over=True)
    two = TournamentRound(2, 1, (table(2, 0, 0, 0),), (1,), is_over=False)

    assert await follow(course, [one, two]) == [1, 2]
    assert await follow(course, [one, two]) == [2]


async def test_a_fault_costs_who_was_at_fault() -> None:
    course = Course(("a", "b"), boards=1)
    half = TournamentHalf("m", 0, 0, (700, 250), (True, False), 0)
    shown = TournamentTable((0,), (1,), 0, None, (0, 0), (half,))

    await follow(course, [TournamentRound(1, 1, (shown,), (), is_over=False)])

    assert list(course.means()) == [("b", 0.0), ("a", -500.0)]
