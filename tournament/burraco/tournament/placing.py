"""Standings as a statistician would sign them: with intervals, and with places that are tied."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from burraco.tournament.accounts import Sum, Unit, entry_sums, faults, played_tables
from burraco.tournament.figures import UNKNOWN_INTERVAL, Json, rounded, rounded_interval
from burraco.tournament.intervals import (
    RESAMPLES,
    Interval,
    board_interval,
    draws,
    percentiles,
    rounds_interval,
)
from burraco.tournament.plan import Plan
from burraco.tournament.progress import Progress
from burraco.tournament.ranking import Place
from burraco.tournament.scoring import half_gains
from burraco.tournament.victory_points import victory_points

# Drawn again, fewer boards cannot tell 95 %: with five the truth lies beyond all of them, on either
# side, once in sixteen times.
FEWEST_UNITS: Final = 6
_SEED_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class Standing:
    """A place, how sure it is, and the ranks that it is tied with.

    ``points_per_deal`` leaves byes out. Both intervals are drawn by board, that of victory points
    is of their sum; they are unknown where there are too few boards.
    """

    place: Place
    tied: tuple[int, int]
    points_per_deal: float
    interval: Interval
    victory_interval: Interval | None
    boards: int
    faults: int

    @property
    def shown_place(self) -> str:
        """The place in words: ``3``, or ``2–5`` for one that is tied."""
        first, last = self.tied
        return str(first) if first == last else f"{first}–{last}"


def placed(progress: Progress, lots: bytes) -> list[Standing]:
    """All entries from the first to the last.

    A place is tied with those above and below it for as far as its interval reaches: that of
    victory points where they are counted, else that of points a deal. Who has left is tied with
    none of those who have not.
    """
    seed = interval_seed(progress)
    places = progress.standings(lots)
    sums, faulty = entry_sums(progress), faults(progress)
    few = [len(sums[place.entry]) < FEWEST_UNITS for place in places]
    intervals = [
        UNKNOWN_INTERVAL if few[at] else units_interval(sums[place.entry], seed)
        for at, place in enumerate(places)
    ]
    totals = _victory_intervals(progress, places, seed)
    decisive = totals or intervals
    return [
        Standing(
            place=place,
            tied=tied_ranks(at, decisive, [row.has_left for row in places]),
            points_per_deal=mean([*sums[place.entry].values()]),
            interval=intervals[at],
            victory_interval=totals[at] if totals else None,
            boards=len(sums[place.entry]),
            faults=faulty[place.entry].total(),
        )
        for at, place in enumerate(places)
    ]


def interval_seed(progress: Progress) -> int:
    """What intervals of an event are drawn from; known from its first row on."""
    return int(progress.opened.commitment[:_SEED_DIGITS], 16)


def interval_of(units: Sequence[Sum], seed: int) -> Interval:
    """The interval of points a deal, unknown where there are too few units."""
    return board_interval(units, seed) if len(units) >= FEWEST_UNITS else UNKNOWN_INTERVAL


def units_interval(units: Mapping[Unit, Sum], seed: int) -> Interval:
    """The interval of points a deal over rounds, however few units there are."""
    boards = [(unit[0], points, deals) for unit, (points, deals) in units.items()]
    return rounds_interval(boards, seed)


def mean(units: Sequence[Sum]) -> float:
    """Points a deal, 0 before the first."""
    deals = sum(unit[1] for unit in units)
    return sum(unit[0] for unit in units) / deals if deals else 0.0


def standings_document(progress: Progress, lots: bytes) -> Json:
    """The standings as they are written."""
    names = [entry.name for entry in progress.entries]
    rows = placed(progress, lots)
    return {
        "event_id": progress.opened.event_id,
        "name": progress.plan.name,
        "status": progress.status.value,
        "rounds": len(progress.played),
        "victory_points": progress.plan.scoring.uses_victory_points,
        "entries": [_written(names[row.place.entry], row) for row in rows],
    }


def _written(name: str, row: Standing) -> Json:
    place = row.place
    return {
        "rank": place.rank,
        "tied": list(row.tied),
        "entry": place.entry,
        "name": name,
        "victory_points": place.victory_points,
        "victory_points_ci95": row.victory_interval and rounded_interval(row.victory_interval),
        "difference": place.difference,
        "points_per_deal": rounded(row.points_per_deal),
        "ci95": rounded_interval(row.interval),
        "deals": place.deals,
        "boards": row.boards,
        "wins": place.wins,
        "byes": place.byes,
        "faults": row.faults,
        "has_left": place.has_left,
    }


def _victory_intervals(progress: Progress, places: Sequence[Place], seed: int) -> list[Interval]:
    """The interval of every place where victory points are counted; else none at all."""
    if not progress.plan.scoring.uses_victory_points:
        return []
    led = _board_differences(progress)
    return [_victory_interval(progress.plan, place, led[place.entry], seed) for place in places]


def _board_differences(progress: Progress) -> list[list[int]]:
    """For each entry what it led by on every board of the tables that boards decided."""
    plan = progress.plan
    led: list[list[int]] = [[] for _ in progress.entries]
    for table in played_tables(progress):
        if table.by_boards:
            for board in table.boards:
                gains = [half_gains(plan, half) for half in board.halves]
                twice = sum(first - second for first, second in gains)
                for side, entries in enumerate(table.table.sides):
                    for entry in entries:
                        led[entry].append(twice // 2 if side == 0 else -(twice // 2))
    return led


def _victory_interval(plan: Plan, place: Place, led: Sequence[int], seed: int) -> Interval:
    """The interval of all victory points; what byes and forfeits gave is certain.

    Drawn boards make up rounds as those that were played did.
    """
    rounds = np.array(led, dtype=np.int64).reshape(-1, plan.boards)
    certain = place.victory_points - int(_victory_points(plan, rounds.sum(axis=1)).sum())
    if len(led) < FEWEST_UNITS:
        return UNKNOWN_INTERVAL if led else (certain, certain)
    drawn = rounds.reshape(-1)[draws(len(led), seed)].reshape(RESAMPLES, -1, plan.boards)
    low, high = percentiles(_victory_points(plan, drawn.sum(axis=2)).sum(axis=1), len(led))
    return certain + low, certain + high


def _victory_points(plan: Plan, leads: NDArray[np.int64]) -> NDArray[np.float64]:
    """Victory points of the side that leads by so much; a lead below 0 is one of the others."""
    found, places = np.unique(leads, return_inverse=True)
    worth = np.array([victory_points(int(lead), plan.deals)[0] for lead in found], dtype=np.float64)
    return worth[places].reshape(leads.shape)


def tied_ranks(at: int, intervals: Sequence[Interval], left: Sequence[bool]) -> tuple[int, int]:
    """First and last of the ranks next to a place, in a row, that its interval reaches."""

    def reaches(other: int) -> bool:
        one, two = intervals[at], intervals[other]
        return left[at] == left[other] and one[0] <= two[1] and two[0] <= one[1]

    first, last = at, at
    while first > 0 and reaches(first - 1):
        first -= 1
    while last + 1 < len(intervals) and reaches(last + 1):
        last += 1
    return first + 1, last + 1
