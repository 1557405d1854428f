"""Points per deal with their intervals, from the outcomes of tables (docs/arena.md)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

FORFEIT_POINTS: Final = -500
RESAMPLES: Final = 2000
_TAIL: Final = 0.025


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one table counts.

    ``entries``, ``points``, ``forfeited`` and ``clean`` are by side, NS first. ``points`` is None
    for a table that was not played because a retired entry had to sit at it.
    """

    board: int
    entries: tuple[int, int]
    points: tuple[int, int] | None
    forfeited: tuple[bool, bool]
    clean: tuple[bool, bool]

    @property
    def scores(self) -> tuple[int, int]:
        """What each side scores: the difference played, less where a side forfeits.

        A side that forfeits scores -500; the other one keeps its difference where that is above 0.
        """
        ns, ew = self.points or (0, 0)
        return self._score(0, ns - ew), self._score(1, ew - ns)

    def _score(self, side: int, difference: int) -> int:
        if self.forfeited[side]:
            return FORFEIT_POINTS
        return max(0, difference) if self.forfeited[1 - side] else difference


@dataclass(frozen=True, slots=True)
class Standing:
    """One row of the standings; ``ci95`` is the bootstrapped interval of ``points_per_deal``.

    ``boards`` counts the boards that were resampled, ``note`` says what went wrong, if anything.
    """

    name: str
    points_per_deal: float
    ci95: tuple[float, float]
    deals: int
    clean_rate: float
    wins: int
    boards: int
    forfeits: int
    note: str


@dataclass(frozen=True, slots=True)
class _Share:
    """What one entry has of one table."""

    board: int
    score: int
    won: bool
    forfeited: bool
    clean: bool


def standings(
    names: Sequence[str], outcomes: Sequence[Outcome], notes: Sequence[str], seed: int
) -> tuple[Standing, ...]:
    """Rows from the best to the worst; equal points go by name."""
    shares = _shares(outcomes)
    rows = (_row(name, shares[entry], notes[entry], seed) for entry, name in enumerate(names))
    return tuple(sorted(rows, key=lambda row: (-row.points_per_deal, row.name)))


def places(rows: Sequence[Standing]) -> tuple[str, ...]:
    """Places from 1; ``=`` marks rows whose interval overlaps that of the row above or below."""
    firsts: list[int] = []
    for at, row in enumerate(rows):
        level = at > 0 and _overlap(rows[at - 1].ci95, row.ci95)
        firsts.append(firsts[-1] if level else at + 1)
    return tuple(f"{first}{'=' if firsts.count(first) > 1 else ''}" for first in firsts)


def mean_points(entries: int, outcomes: Iterable[Outcome]) -> tuple[float | None, ...]:
    """Points per deal of every entry so far, without an interval; None before its first table."""
    sums, deals = [0] * entries, [0] * entries
    for outcome in outcomes:
        for entry, score in zip(outcome.entries, outcome.scores, strict=True):
            sums[entry] += score
            deals[entry] += 1
    return tuple(total / count if count else None for total, count in zip(sums, deals, strict=True))


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


def _shares(outcomes: Iterable[Outcome]) -> defaultdict[int, list[_Share]]:
    shares: defaultdict[int, list[_Share]] = defaultdict(list)
    for outcome in outcomes:
        scores = outcome.scores
        for side, entry in enumerate(outcome.entries):
            won = scores[side] > scores[1 - side]
            shares[entry].append(
                _Share(
                    outcome.board, scores[side], won, outcome.forfeited[side], outcome.clean[side]
                )
            )
    return shares


def _row(name: str, shares: Sequence[_Share], note: str, seed: int) -> Standing:
    deals = len(shares)
    if not deals:
        return Standing(name, 0.0, (0.0, 0.0), 0, 0.0, 0, 0, 0, note)
    boards = _by_board(shares)
    low, high = bootstrap(boards, seed)
    return Standing(
        name,
        round(sum(share.score for share in shares) / deals, 2),
        (round(low, 2), round(high, 2)),
        deals,
        round(sum(share.clean for share in shares) / deals, 4),
        sum(share.won for share in shares),
        len(boards),
        sum(share.forfeited for share in shares),
        note,
    )


def _by_board(shares: Iterable[_Share]) -> list[tuple[int, int]]:
    """Sum of scores and number of deals of each board, in the order of the boards."""
    sums: defaultdict[int, int] = defaultdict(int)
    deals: defaultdict[int, int] = defaultdict(int)
    for share in shares:
        sums[share.board] += share.score
        deals[share.board] += 1
    return [(sums[board], deals[board]) for board in sorted(sums)]


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
