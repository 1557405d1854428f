"""Statistics that a shuffle has to pass: ``python -m tests.battery``, or ``make battery``.

Every trial is one hypothesis, that packs and cuts are uniform, with the exact expectation and
variance of its figure under it. A trial rejects when its p-value is below ``FAMILY / trials``, so
that a perfect shuffle fails the whole battery once in a thousand runs. That the battery can see
anything is shown by shuffles that are wrong on purpose.
"""

from typing import Final

# How often a perfect shuffle may fail at all.
FAMILY: Final = 0.001
