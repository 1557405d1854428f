"""Who beats whom: means of every pairing, cycles among them, and who is hard to exploit."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from burraco.tournament.intervals import Interval

_STEPS: Final = 500


@dataclass(frozen=True, slots=True)
class Payoff:
    """Mean points a deal of one entry against another, its interval, and the deals behind it."""

    points: float
    interval: Interval
    deals: int


def cycles(payoffs: Mapping[tuple[int, int], Payoff]) -> list[tuple[int, int, int]]:
    """Triples in which each beats the next beyond its interval, the lowest number first."""
    beats = {pair for pair, payoff in payoffs.items() if payoff.interval[0] > 0}
    entries = sorted({entry for pair in beats for entry in pair})
    return [
        (a, b, c)
        for a, b, c in permutations(entries, 3)
        if a == min(a, b, c) and {(a, b), (b, c), (c, a)} <= beats
    ]


def nash_shares(payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mixture of entries that nobody beats on average, the most even one where there are many.

    ``payoffs`` is antisymmetric: what the row wins against the column (Balduzzi and others 2018).
    """
    count = len(payoffs)
    scale = float(np.abs(payoffs).max()) or 1.0
    unbeaten = optimize.LinearConstraint((payoffs / scale).T, lb=0, ub=np.inf)
    whole = optimize.LinearConstraint(np.ones((1, count)), lb=1, ub=1)
    start = _one_solution(payoffs / scale)

    def evenness(shares: NDArray[np.float64]) -> float:
        kept = np.clip(shares, 1e-12, None)
        return float((kept * np.log(kept)).sum())

    solved = optimize.minimize(
        evenness,
        start,
        method="SLSQP",
        bounds=[(0, 1)] * count,
        constraints=[unbeaten, whole],
        options={"maxiter": _STEPS, "ftol": 1e-12},
    )
    shares = np.clip(solved.x if solved.success else start, 0, None)
    mixture: NDArray[np.float64] = shares / shares.sum()
    return mixture


def _one_solution(payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
    count = len(payoffs)
    solved = optimize.linprog(
        np.zeros(count),
        A_ub=-payoffs.T,
        b_ub=np.full(count, 1e-9),
        A_eq=np.ones((1, count)),
        b_eq=[1],
        bounds=(0, 1),
        method="highs",
    )
    assert solved.x is not None, "a game of no value has a mixture that nobody beats"
    return np.asarray(solved.x, dtype=np.float64)
