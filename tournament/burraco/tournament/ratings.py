"""Ratings in points a deal: a bot's rating less its opponent's is what it wins by, on average."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from burraco.tournament.field import Side
from burraco.tournament.intervals import Interval, draws, percentiles

# It only matters where results leave a rating open, and it holds that at the anchor's.
_RIDGE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Margin:
    """What entry ``one`` won by against ``other`` on a board: a sum of points over ``deals``.

    ``deals`` is below 0 between partners, as ``margins_between`` says.
    """

    board: int
    one: int
    other: int
    points: float
    deals: int


@dataclass(frozen=True, slots=True)
class Rating:
    """Points a deal above the anchor; ``interval`` is bootstrapped by board."""

    entry: int
    points: float
    interval: Interval


def margins_between(
    board: int, sides: tuple[Side, Side], points: int, deals: int
) -> Iterator[Margin]:
    """What one side won by against another, as margins of its entries.

    A side is worth the sum of its entries. Least squares then have a term for every two at the
    table, with the opposite sign where the two are partners.
    """
    first, second = sides
    for one, other in product(first, second):
        yield Margin(board, one, other, points / len(second), deals)
    for side in sides:
        for one, other in combinations(side, 2):
            yield Margin(board, one, other, 0, -deals)


def additive_ratings(
    entries: int, anchor: int, margins: Sequence[Margin], seed: int
) -> list[Rating]:
    """The ratings that leave the least squares; None of them is known better than its interval.

    Only entries that results connect with the anchor are rated.
    """
    rated = _connected(anchor, margins)
    assert rated[-1] < entries, "somebody is rated who has not entered"
    found = _Found.of(margins, rated)
    if found.boards == 0:
        return [Rating(anchor, 0.0, (0.0, 0.0))]
    at_anchor = rated.index(anchor)
    means = found.solved(at_anchor, np.ones(found.boards))
    again = np.array(
        [
            found.solved(at_anchor, np.bincount(drawn, minlength=found.boards))
            for drawn in draws(found.boards, seed)
        ]
    )
    return [
        Rating(entry, float(means[at]), percentiles(again[:, at], found.boards))
        for at, entry in enumerate(rated)
    ]


@dataclass(frozen=True, slots=True)
class _Found:
    """Margins as columns; entries and boards are numbered from 0 without a gap."""

    entries: int
    boards: int
    board: NDArray[np.int64]
    one: NDArray[np.int64]
    other: NDArray[np.int64]
    points: NDArray[np.float64]
    deals: NDArray[np.float64]

    @classmethod
    def of(cls, margins: Sequence[Margin], rated: Sequence[int]) -> "_Found":
        places = {entry: at for at, entry in enumerate(rated)}
        margins = [margin for margin in margins if margin.one in places]
        numbers = sorted({margin.board for margin in margins})
        boards = {board: at for at, board in enumerate(numbers)}
        return cls(
            entries=len(rated),
            boards=len(boards),
            board=np.array([boards[margin.board] for margin in margins], dtype=np.int64),
            one=np.array([places[margin.one] for margin in margins], dtype=np.int64),
            other=np.array([places[margin.other] for margin in margins], dtype=np.int64),
            points=np.array([margin.points for margin in margins], dtype=np.float64),
            deals=np.array([margin.deals for margin in margins], dtype=np.float64),
        )

    def solved(
        self, anchor: int, times: NDArray[np.int64] | NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The ratings when each board counts so many times."""
        count, often = self.entries, times[self.board]
        won = np.bincount(self.one, often * self.points, count)
        won -= np.bincount(self.other, often * self.points, count)
        between = np.bincount(self.one * count + self.other, often * self.deals, count * count)
        weights = between.reshape(count, count)
        weights = weights + weights.T
        system = np.diag(weights.sum(axis=1)) - weights + _RIDGE * np.eye(count)
        points = np.linalg.solve(system, won)
        solved: NDArray[np.float64] = points - points[anchor]
        return solved


def _connected(anchor: int, margins: Sequence[Margin]) -> list[int]:
    beside: defaultdict[int, set[int]] = defaultdict(set)
    for margin in margins:
        beside[margin.one].add(margin.other)
        beside[margin.other].add(margin.one)
    found, fringe = {anchor}, [anchor]
    while fringe:
        new = beside[fringe.pop()] - found
        found |= new
        fringe += new
    return sorted(found)
