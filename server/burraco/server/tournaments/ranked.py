"""Standings with intervals and faults; found beside the event loop, and kept until they change."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from burraco.server.sidework import SideWork
from burraco.server.tournaments.logbook import Logbook
from burraco.tournament.deciding import Decision, decide
from burraco.tournament.field import Entry, Format, PlayedRound, TableScore
from burraco.tournament.intervals import Interval, rounds_interval
from burraco.tournament.plan import Plan
from burraco.tournament.ranking import Place, ranking
from burraco.tournament.rows import BoardPlayed
from burraco.tournament.scoring import half_gains

_UNKNOWN: Interval = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the standings; ``interval`` None without a deal.

    Those of ranks ``tied_from`` to ``tied_to`` have intervals that overlap.
    """

    place: Place
    tied_from: int
    tied_to: int
    points_per_deal: float
    interval: Interval | None
    faults: int


@dataclass(frozen=True, slots=True)
class Standings:
    """All entries from the first to the last, and in a duel what is known so far."""

    rows: tuple[Standing, ...]
    decision: Decision | None


class _Figures(NamedTuple):
    """All that standings follow from, as it is at one moment."""

    plan: Plan
    entries: tuple[Entry, ...]
    active: frozenset[int]
    played: tuple[PlayedRound, ...]
    boards: tuple[Sequence[tuple[BoardPlayed, ...]], ...]
    lots: bytes
    seed: int


async def standings_of(book: Logbook, side_work: SideWork) -> Standings:
    """The standings by the rounds that are over."""
    async with book.ranking:
        progress = book.progress
        by = (len(progress.played), len(progress.entries), len(progress.left))
        known, standings = book.ranked
        if known != by:
            standings = await side_work.run(partial(_standings, _figures(book)))
            book.ranked = by, standings
        found: Standings = standings
        return found


def duel_decision(book: Logbook) -> Decision | None:
    """What is known of the entry with the lower number in a duel, None where there is none."""
    return _decision(_figures(book))


def _figures(book: Logbook) -> _Figures:
    progress = book.progress
    return _Figures(
        plan=progress.plan,
        entries=tuple(progress.entries),
        active=progress.active,
        played=tuple(progress.played),
        boards=tuple(progress.boards),
        lots=book.secret,
        seed=int(progress.opened.commitment[:16], 16),
    )


def _standings(figures: _Figures) -> Standings:
    places = ranking(
        figures.plan.scoring, figures.entries, figures.active, figures.played, figures.lots
    )
    gained, faults = _gained(figures), _faults(figures)
    intervals = [
        rounds_interval(gained[place.entry], figures.seed) if gained[place.entry] else None
        for place in places
    ]
    rows = []
    for at, place in enumerate(places):
        tied = _tied(places, intervals, at)
        _, points, deals = (
            sum(column) for column in zip(*gained[place.entry] or [(0, 0, 0)], strict=True)
        )
        mean = points / deals if deals else 0.0
        rows.append(
            Standing(place, tied.start, tied.stop - 1, mean, intervals[at], faults[place.entry])
        )
    return Standings(tuple(rows), _decision(figures))


def _tied(places: Sequence[Place], intervals: Sequence[Interval | None], at: int) -> range:
    """Ranks next to one, one after the other, whose intervals overlap with its own."""

    def overlap(other: int) -> bool:
        one, two = intervals[at] or _UNKNOWN, intervals[other] or _UNKNOWN
        alike = places[at].has_left == places[other].has_left
        return alike and max(one[0], two[0]) <= min(one[1], two[1])

    first, last = at, at
    while first > 0 and overlap(first - 1):
        first -= 1
    while last + 1 < len(places) and overlap(last + 1):
        last += 1
    return range(places[first].rank, places[last].rank + 1)


def _gained(figures: _Figures) -> defaultdict[int, list[tuple[int, int, int]]]:
    """By entry, round, points and deals of every board, and of what was decided without play."""
    gained: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    rounds = zip(figures.played, figures.boards, strict=True)
    for number, (round_, tables) in enumerate(rounds):
        for table, score, boards in zip(round_.round.tables, round_.scores, tables, strict=True):
            for side, entries in enumerate(table.sides):
                shares = _shares(figures.plan, score, boards, side)
                for entry in entries:
                    gained[entry] += [(number, *share) for share in shares]
    return gained


def _shares(
    plan: Plan, score: TableScore, boards: Sequence[BoardPlayed], side: int
) -> list[tuple[int, int]]:
    shares = [_board_gain(plan, board, side) for board in boards]
    left = score.gains[side] - sum(points for points, _ in shares)
    deals = score.deals - sum(deals for _, deals in shares)
    if deals > 0:
        return [*shares, (left, deals)]
    return shares if left == 0 else [(score.gains[side], score.deals)]


def _board_gain(plan: Plan, board: BoardPlayed, side: int) -> tuple[int, int]:
    return sum(half_gains(plan, half)[side] for half in board.halves), len(board.halves)


def _faults(figures: _Figures) -> Counter[int]:
    faults: Counter[int] = Counter()
    for round_, tables in zip(figures.played, figures.boards, strict=True):
        for table, boards in zip(round_.round.tables, tables, strict=True):
            for half in (half for board in boards for half in board.halves):
                for side, entries in enumerate(table.sides):
                    faults.update(dict.fromkeys(entries, int(half.at_fault[side])))
    return faults


def _decision(figures: _Figures) -> Decision | None:
    question = figures.plan.question
    return None if question is None else decide(question, list(_margins(figures)))


def _margins(figures: _Figures) -> Iterator[float]:
    """Points a deal of the lower number's entry on every board of the duel without a fault."""
    for round_, tables in zip(figures.played, figures.boards, strict=True):
        if figures.plan.stages[round_.stage].format is not Format.DUEL:
            continue
        for table, boards in zip(round_.round.tables, tables, strict=True):
            side = table.entries.index(min(table.entries))
            for board in boards:
                if not any(any(half.at_fault) for half in board.halves):
                    points, deals = _board_gain(figures.plan, board, side)
                    yield points / deals
