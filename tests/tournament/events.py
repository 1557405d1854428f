"""Whole events without a network: every table comes to what a seed says."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from burraco.engine.rules import CLASSIC
from burraco.tournament.deciding import Asked
from burraco.tournament.field import Entry, Format, Stage
from burraco.tournament.plan import Plan
from burraco.tournament.progress import Progress, Wanted
from burraco.tournament.ranking import Scoring
from burraco.tournament.rows import (
    BoardPlayed,
    Entered,
    Finished,
    Half,
    Opened,
    Row,
    Started,
    Withdrawn,
)

VICTORY_POINTS = Scoring(uses_victory_points=True, bye_victory_points=14, bye_difference=355)
POINTS = Scoring(uses_victory_points=False, bye_victory_points=0, bye_difference=0)
LOTS = b"lots of a test"
PLAN = Plan(
    name="test",
    stages=(Stage(Format.SWISS, 3),),
    rules=CLASSIC,
    boards=2,
    halves=2,
    scoring=VICTORY_POINTS,
    adjusted=500,
    adjusted_allowed=1,
    question=None,
)
QUESTION = Asked(gain=25, false_alarms=0.05, misses=0.05)


def plan_of(*stages: Stage) -> Plan:
    """The plan of a test with other stages."""
    asks = any(stage.format is Format.DUEL for stage in stages)
    return replace(PLAN, stages=stages, question=QUESTION if asks else None)


def field_of(count: int, owners: int | None = None, anchors: int = 0) -> tuple[Entry, ...]:
    """So many entries; the first ones are anchors, and ``owners`` share them by turns."""
    return tuple(
        Entry(at, f"e{at}", f"o{at % owners if owners else at}", (f"b{at}",), at < anchors)
        for at in range(count)
    )


def half(points: tuple[int, int], at_fault: tuple[bool, bool] = (False, False)) -> Half:
    """A half that came to so many points."""
    return Half("m", points, at_fault, "played", ("clean",) * 4)


def by_chance(seed: int) -> Callable[[int, Wanted, tuple[int, int]], tuple[Half, ...]]:
    """Boards whose points follow from a seed, the round and the two entries; some are tied."""

    def played(number: int, wanted: Wanted, sides: tuple[int, int]) -> tuple[Half, ...]:
        chance = Random(f"{seed} {number} {wanted.ref.board} {sorted(sides)}")
        level = chance.random() < 0.1
        leads = [0 if level else 5 * chance.randrange(-120, 121) for _ in range(2)]
        return tuple(half((max(0, lead), max(0, -lead))) for lead in leads)

    return played


def started(plan: Plan, entries: tuple[Entry, ...]) -> list[Row]:
    """The rows of an event up to its start."""
    return [
        Opened("e-test", plan, "{}", "00" * 32, "director"),
        *(Entered(entry) for entry in entries),
        Started("director"),
    ]


def play(
    rows: list[Row],
    boards: Callable[[int, Wanted, tuple[int, int]], tuple[Half, ...]],
    leave: Callable[[Progress], Withdrawn | None] = lambda _progress: None,
    most_rounds: int = 400,
) -> Progress:
    """Play an event to its end and append its rows; asks before every round who leaves."""
    progress = Progress.of(rows)

    def add(row: Row) -> None:
        rows.append(row)
        progress.apply(row)

    while True:
        left = leave(progress)
        if left is not None:
            add(left)
        paired = progress.next_pairing(LOTS)
        if paired is None:
            add(Finished("played", "00"))
            return progress
        assert progress.number < most_rounds, "it does not end"
        number = progress.number
        add(paired)
        for wanted in progress.wanted():
            first, second = paired.round.tables[wanted.table].sides
            halves = boards(number, wanted, (first[0], second[0]))
            add(BoardPlayed(wanted.table, wanted.ref.board, wanted.ref.attempt, halves))
        assert progress.current is None, "a round is over when its boards are"
