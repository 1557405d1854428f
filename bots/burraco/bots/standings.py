"""The standings of an arena, from the log of its tournament (docs/arena.md)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from burraco.bots.arena_notes import Part, note
from burraco.sdk import MatchResult
from burraco.tournament.accounts import PlayedTable, played_halves, played_tables
from burraco.tournament.exported import Log
from burraco.tournament.figures import rounded, rounded_interval
from burraco.tournament.placing import Standing as PlacedEntry
from burraco.tournament.placing import placed
from burraco.tournament.progress import Progress
from burraco.tournament.scoring import forfeiting

RESAMPLES: Final = 2000
_TAIL: Final = 0.025


@dataclass(frozen=True, slots=True)
class Standing:
    """One row of the standings; ``ci95`` is the bootstrapped interval of ``points_per_deal``.

    It is None where too few boards were played to tell. ``boards`` counts those that were
    resampled, ``note`` says what went wrong, if anything.
    """

    name: str
    points_per_deal: float
    ci95: tuple[float, float] | None
    deals: int
    clean_rate: float
    wins: int
    boards: int
    forfeits: int
    note: str


def standings(
    log: Log, results: Mapping[str, MatchResult], exits: Sequence[Sequence[int]]
) -> tuple[Standing, ...]:
    """Rows from the best to the worst; ``exits`` are statuses of processes that ended, by entry."""
    progress = log.progress
    parts = parts_of(progress, results)
    unplayed = list(_unplayed(progress))
    return tuple(
        _row(
            progress.entries[row.place.entry].name,
            row,
            parts[row.place.entry],
            [deals for entry, deals in unplayed if entry == row.place.entry],
            exits[row.place.entry],
        )
        for row in placed(progress, log.lots)
    )


def parts_of(progress: Progress, results: Mapping[str, MatchResult]) -> list[list[Part]]:
    """For each entry its part of every deal that was played."""
    parts: list[list[Part]] = [[] for _ in progress.entries]
    for half in played_halves(progress):
        for side, entries in enumerate(half.at.table.sides):
            part = Part(half, side, results.get(half.result.match_id))
            for entry in entries:
                parts[entry].append(part)
    return parts


def places(rows: Sequence[Standing]) -> tuple[str, ...]:
    """Places from 1; ``=`` marks rows whose interval overlaps that of the row above or below."""
    firsts: list[int] = []
    for at, row in enumerate(rows):
        level = at > 0 and _overlap(rows[at - 1].ci95, row.ci95)
        firsts.append(firsts[-1] if level else at + 1)
    return tuple(f"{first}{'=' if firsts.count(first) > 1 else ''}" for first in firsts)


def bootstrap(boards: Sequence[tuple[int, int]], seed: int) -> tuple[float, float]:
    """A 95 % interval of the mean score per deal, resampling whole boards.

    Each board is the sum of its scores and the number of its deals. The same seed gives the same
    interval everywhere: only ``Random.random`` is used, which Python keeps stable.
    """
    chance, count = Random(seed).random, len(boards)
    means: list[float] = []
    for _ in range(RESAMPLES):
        drawn = [boards[int(chance() * count)] for _ in range(count)]
        means.append(sum(board[0] for board in drawn) / sum(board[1] for board in drawn))
    means.sort()
    cut = int(RESAMPLES * _TAIL)
    return means[cut], means[RESAMPLES - 1 - cut]


def _row(
    name: str,
    row: PlacedEntry,
    parts: Sequence[Part],
    unplayed: Sequence[int],
    exits: Sequence[int],
) -> Standing:
    deals = row.place.deals
    unclean = sum(not part.is_clean for part in parts) + sum(unplayed)
    interval = rounded_interval(row.interval) if deals else None
    return Standing(
        name=name,
        points_per_deal=rounded(row.points_per_deal),
        ci95=None if interval is None else (interval[0], interval[1]),
        deals=deals,
        clean_rate=rounded(1 - unclean / deals, 4) if deals else 0.0,
        wins=sum(part.is_won for part in parts),
        boards=row.boards,
        forfeits=sum(part.is_forfeited for part in parts) + sum(unplayed),
        note=note(parts, unplayed, exits),
    )


def _unplayed(progress: Progress) -> Iterator[tuple[int, int]]:
    """Entries that forfeited a table, each with the deals that were not played for that."""
    for table in played_tables(progress):
        missing = table.score.deals - len(table.boards) * progress.plan.halves
        if missing > 0:
            for side in _forfeiters(progress, table):
                for entry in table.table.sides[side]:
                    yield entry, missing


def _forfeiters(progress: Progress, table: PlayedTable) -> Iterator[int]:
    too_often = forfeiting(progress.plan, table.boards)
    for side, entries in enumerate(table.table.sides):
        if too_often[side] or (not any(too_often) and not progress.left.isdisjoint(entries)):
            yield side


def _overlap(one: tuple[float, float] | None, other: tuple[float, float] | None) -> bool:
    return one is None or other is None or (one[0] <= other[1] and other[0] <= one[1])
