"""Is A better than B? A sequential test on board pairs, which may stop as soon as it is known."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import fmean, variance
from typing import Final

# Fewer boards say too little about how much boards differ.
FEWEST_BOARDS: Final = 24


class Decision(Enum):
    """What is known of A beside B; ``EQUAL`` says that neither is better by the gain asked for."""

    BETTER = "better"
    WORSE = "worse"
    EQUAL = "equal"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Asked:
    """The question: a difference of ``gain`` points a deal is worth finding.

    Of equal bots at most ``false_alarms`` are called better or worse; of bots that differ by the
    gain at most ``misses`` are not called so.
    """

    gain: float
    false_alarms: float
    misses: float


def decide(asked: Asked, margins: Sequence[float]) -> Decision:
    """What the margins of the boards so far say, each in points a deal of its board pair.

    Two sequential probability ratio tests, one each way, of no difference against the gain; how
    much boards differ is taken from the boards themselves.
    """
    if len(margins) < FEWEST_BOARDS:
        return Decision.UNDECIDED
    accept = math.log((1 - asked.misses) / (asked.false_alarms / 2))
    reject = math.log(asked.misses / (1 - asked.false_alarms / 2))
    up, down = likelihood_ratio(margins, asked.gain), likelihood_ratio(margins, -asked.gain)
    if up >= accept:
        return Decision.BETTER
    if down >= accept:
        return Decision.WORSE
    return Decision.EQUAL if max(up, down) <= reject else Decision.UNDECIDED


def likelihood_ratio(margins: Sequence[float], gain: float) -> float:
    """Logarithm of how much likelier the margins are with a mean of ``gain`` than with none."""
    mean, spread = fmean(margins), variance(margins)
    nearer = len(margins) * gain * (2 * mean - gain)
    if spread == 0:
        return math.copysign(math.inf, nearer)
    return nearer / (2 * spread)
