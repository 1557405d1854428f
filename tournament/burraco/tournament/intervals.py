"""Intervals from whole boards drawn again: the deals of a board belong together, boards do not."""

import hashlib
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

RESAMPLES: Final = 2000
CONFIDENCE: Final = 0.95
_DOMAIN: Final = b"burraco/bootstrap/v1"
# Boards beyond one a round that it takes to say how boards of a round differ.
_FEWEST_SPARE: Final = 5

Interval = tuple[float, float]


def board_interval(boards: Sequence[tuple[int, int]], seed: int) -> Interval:
    """A 95 % interval of points a deal.

    Each board is the sum of its points and the number of its deals. The same seed gives the same
    interval everywhere. A single board leaves nothing to draw from: its interval is its mean.
    """
    points, deals = np.array(boards, dtype=np.int64).T
    drawn = draws(len(boards), seed)
    return percentiles(points[drawn].sum(axis=1) / deals[drawn].sum(axis=1), len(boards))


def rounds_interval(boards: Sequence[tuple[int, int, int]], seed: int) -> Interval:
    """A 95 % interval of points a deal over rounds: whom it met is given, and no part of chance.

    Each board is its round, the sum of its points and the number of its deals. Boards are drawn by
    what they differ by from the mean of their round, where there are enough of them to tell.
    """
    rounds, points, deals = np.array(boards, dtype=np.int64).T
    _, of_round = np.unique(rounds, return_inverse=True)
    spare = len(boards) - int(of_round.max()) - 1
    if spare < _FEWEST_SPARE:
        return board_interval([(board[1], board[2]) for board in boards], seed)
    means = np.bincount(of_round, points) / np.bincount(of_round, deals)
    # Within rounds boards differ a little less than they would around the true mean.
    wider = (len(boards) / spare) ** 0.5
    apart = (points - means[of_round] * deals) * wider
    drawn = draws(len(boards), seed)
    moved = apart[drawn].sum(axis=1) / deals[drawn].sum(axis=1)
    return percentiles(points.sum() / deals.sum() + moved, spare + 1)


def draws(count: int, seed: int) -> NDArray[np.int64]:
    """``RESAMPLES`` times ``count`` numbers below ``count``, which follow from the seed alone."""
    stream = hashlib.shake_256(_DOMAIN + f" {seed} {count}".encode())
    words = np.frombuffer(stream.digest(4 * RESAMPLES * count), dtype=">u4").astype(np.uint64)
    return ((words * np.uint64(count)) >> np.uint64(32)).astype(np.int64).reshape(RESAMPLES, count)


def percentiles(means: NDArray[np.float64], boards: int) -> Interval:
    """The interval of what came out of drawing so many boards again.

    Plain percentiles are too narrow where boards are few; these reach as far out as Student's
    distribution does beyond the normal one (Hesterberg 2015, section 4.4).
    """
    ordered = np.sort(means)
    cut = round(_tail(boards) * (len(ordered) - 1))
    return float(ordered[cut]), float(ordered[len(ordered) - 1 - cut])


@cache
def _tail(boards: int) -> float:
    if boards < 2:
        return 0.0
    wide = special.stdtrit(boards - 1, (1 - CONFIDENCE) / 2) * (boards / (boards - 1)) ** 0.5
    return float(special.ndtr(wide))
