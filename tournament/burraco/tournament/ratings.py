"""Ratings in points a deal: a bot's rating less its opponent's is what it wins by, on average."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from burraco.tournament.intervals import Interval, draws, percentiles

# It only matters where results leave a rating open, and it holds that at the anchor's.
_RIDGE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Margin:
    """What entry ``one`` won by against ``other`` on a board: a sum of points over ``deals``."""

    board: int
    one: int
    other: int
    points: int
    deals: int


@dataclass(frozen=True, slots=True)
class Rating:
    """Points a deal above the anchor; ``interval`` is bootstrapped by board."""

    entry: int
    points: float
    interval: Interval


def additive_ratings(
    entries: int, anchor: int, margins: Sequence[Margin], seed: int
) -> list[Rating]:
    """The ratings that leave the least squares; None of them is known better than its interval.

    Only entries that results connect with the anchor are rated.
    """
    boards = sorted({margin.board for margin in margins})
    places = {board: at for at, board in enumerate(boards)}
    sums = np.zeros((len(boards), entries, entries))
    counts = np.zeros((len(boards), entries, entries))
    for margin in margins:
        at = places[margin.board]
        for one, other, sign in ((margin.one, margin.other, 1), (margin.other, margin.one, -1)):
            sums[at, one, other] += sign * margin.points
            counts[at, one, other] += margin.deals
    rated = _connected(anchor, counts.sum(axis=0))
    if not boards:
        return [Rating(anchor, 0.0, (0.0, 0.0))]
    means = _solved(anchor, rated, sums.sum(axis=0), counts.sum(axis=0))
    again = np.array(
        [
            _solved(anchor, rated, sums[drawn].sum(axis=0), counts[drawn].sum(axis=0))
            for drawn in draws(len(boards), seed)
        ]
    )
    return [
        Rating(entry, float(means[at]), percentiles(again[:, at], len(boards)))
        for at, entry in enumerate(rated)
    ]


def _solved(
    anchor: int, rated: Sequence[int], sums: NDArray[np.float64], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    weights = counts[np.ix_(rated, rated)]
    won = sums[np.ix_(rated, rated)].sum(axis=1)
    system = np.diag(weights.sum(axis=1)) - weights + _RIDGE * np.eye(len(rated))
    points = np.linalg.solve(system, won)
    solved: NDArray[np.float64] = points - points[rated.index(anchor)]
    return solved


def _connected(anchor: int, counts: NDArray[np.float64]) -> list[int]:
    found, fringe = {anchor}, [anchor]
    while fringe:
        for other in np.flatnonzero(counts[fringe.pop()]).tolist():
            if other not in found:
                found.add(other)
                fringe.append(other)
    return sorted(found)
