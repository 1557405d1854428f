"""Places in an event; ties are settled in the order of rules/tournaments.md."""

from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from burraco.tournament.chance import lot
from burraco.tournament.field import Entry, PlayedRound, Table, TableScore
from burraco.tournament.past import Past


@dataclass(frozen=True, slots=True)
class Scoring:
    """What a round counts: victory points, or else points a deal.

    A bye is worth ``bye_victory_points`` and ``bye_difference`` match points; where points a deal
    are counted it is worth nothing and costs nothing.
    """

    uses_victory_points: bool
    bye_victory_points: int
    bye_difference: int


@dataclass(frozen=True, slots=True)
class Place:
    """One row of the standings; those who have left stand below the others.

    ``rank`` counts from 1. ``difference`` is match points won less match points lost, byes included
    where victory points are counted; ``deals`` is what was played for them.
    """

    rank: int
    entry: int
    victory_points: int
    difference: int
    deals: int
    wins: int
    byes: int
    has_left: bool

    @property
    def points_per_deal(self) -> float:
        """Mean difference of a deal, 0 before the first."""
        return self.difference / self.deals if self.deals else 0.0


def ranking(
    scoring: Scoring,
    entries: Sequence[Entry],
    active: frozenset[int],
    played: Sequence[PlayedRound],
    lots: bytes,
) -> list[Place]:
    """All entries from the first to the last.

    Victory points (or points a deal), then the sum of differences, then the matches between those
    who are level, then the lot.
    """
    byes, scores = Past.of(played).byes, _scores(played)
    level: defaultdict[tuple[float, ...], list[Place]] = defaultdict(list)
    for entry in entries:
        number = entry.number
        row = _row(scoring, number, scores[number], byes[number], has_left=number not in active)
        level[_key(scoring, row)].append(row)
    order: list[Place] = []
    for key in sorted(level, reverse=True):
        among = {row.entry for row in level[key]}
        direct = {entry: _direct(scores[entry], among) for entry in among}
        order += sorted(
            level[key], key=lambda row: (-direct[row.entry], lot(lots, "place", row.entry))
        )
    return [replace(row, rank=rank) for rank, row in enumerate(order, start=1)]


@dataclass(frozen=True, slots=True)
class _Share:
    """What one entry has of one table: who sat there, what it gained, and the score."""

    table: Table
    side: int
    score: TableScore

    @property
    def gain(self) -> int:
        return self.score.gains[self.side]


def _scores(played: Sequence[PlayedRound]) -> defaultdict[int, list[_Share]]:
    shares: defaultdict[int, list[_Share]] = defaultdict(list)
    for round_ in played:
        for table, score in zip(round_.round.tables, round_.scores, strict=True):
            for side, entries in enumerate(table.sides):
                for entry in entries:
                    shares[entry].append(_Share(table, side, score))
    return shares


def _row(
    scoring: Scoring, entry: int, shares: Sequence[_Share], byes: int, *, has_left: bool
) -> Place:
    counted = byes if scoring.uses_victory_points else 0
    return Place(
        rank=0,
        entry=entry,
        victory_points=sum(share.score.victory_points[share.side] for share in shares)
        + counted * scoring.bye_victory_points,
        difference=sum(share.gain for share in shares) + counted * scoring.bye_difference,
        deals=sum(share.score.deals for share in shares),
        wins=sum(share.score.winner == share.side for share in shares),
        byes=byes,
        has_left=has_left,
    )


def _key(scoring: Scoring, row: Place) -> tuple[float, ...]:
    if scoring.uses_victory_points:
        return (not row.has_left, row.victory_points, row.difference)
    return (not row.has_left, row.points_per_deal)


def _direct(shares: Sequence[_Share], among: Set[int]) -> int:
    """What an entry gained in its matches against others of a group."""
    return sum(share.gain for share in shares if among >= set(share.table.entries))
