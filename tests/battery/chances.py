"""P-values: how likely a perfect shuffle is to be as far from expectation, on either side."""

import math
from collections.abc import Iterable, Sequence

_STEPS = 100_000
_TINY = 1e-300
_EXACT = 1e-14
# Cells that are expected to hold fewer are counted together.
_LEAST_EXPECTED = 5.0


def of_normal(deviation: float) -> float:
    """For a figure so many standard deviations off."""
    return math.erfc(abs(deviation) / math.sqrt(2))


def of_chi_square(statistic: float, freedom: int) -> float:
    """For a chi-square too large, and for one too small: too even is not random either."""
    lower, upper = _gamma_tails(freedom / 2, statistic / 2)
    return min(1.0, 2 * min(lower, upper))


def of_cells(counts: Sequence[int], expected: Sequence[float]) -> float:
    """For independent draws counted in cells; sparse cells are pooled."""
    full = [(c, e) for c, e in zip(counts, expected, strict=True) if e >= _LEAST_EXPECTED]
    sparse = [(c, e) for c, e in zip(counts, expected, strict=True) if e < _LEAST_EXPECTED]
    if sparse:
        full.append((sum(c for c, _ in sparse), sum(e for _, e in sparse)))
    return of_chi_square(sum((c - e) ** 2 / e for c, e in full), len(full) - 1)


def of_count(seen: int, expected: float) -> float:
    """For a single count: Poisson, whose tails are a little heavier than those of the binomial."""
    at_least = _gamma_tails(seen, expected)[0] if seen else 1.0
    at_most = _gamma_tails(seen + 1, expected)[1]
    return min(1.0, 2 * min(at_least, at_most))


def worst(chances: Iterable[float]) -> float:
    """The smallest of several, made good for there being several (Bonferroni)."""
    every = list(chances)
    return min(1.0, len(every) * min(every))


def _gamma_tails(shape: float, at: float) -> tuple[float, float]:
    """The regularised incomplete gamma functions P and Q."""
    if at <= 0:
        return 0.0, 1.0
    scale = math.exp(shape * math.log(at) - at - math.lgamma(shape))
    if at < shape + 1:
        lower = min(1.0, scale * _series(shape, at))
        return lower, 1 - lower
    upper = min(1.0, scale * _fraction(shape, at))
    return 1 - upper, upper


def _series(shape: float, at: float) -> float:
    term = total = 1 / shape
    for step in range(1, _STEPS):
        term *= at / (shape + step)
        total += term
        if term < total * _EXACT:
            break
    return total


def _fraction(shape: float, at: float) -> float:
    """Lentz's method for the continued fraction of Q."""
    b = at + 1 - shape
    c, d = 1 / _TINY, 1 / b
    value = d
    for step in range(1, _STEPS):
        a = -step * (step - shape)
        b += 2
        d = 1 / (a * d + b or _TINY)
        c = b + a / c or _TINY
        value *= c * d
        if abs(c * d - 1) < _EXACT:
            break
    return value
