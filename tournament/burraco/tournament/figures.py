"""Figures as they are written: rounded, so that the same event gives the same bytes."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Final

from burraco.tournament.intervals import Interval

POINTS_DIGITS: Final = 2
# Too little was played to know anything.
UNKNOWN_INTERVAL: Final = (-math.inf, math.inf)

# What a written document is made of.
Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


def rounded(figure: float, digits: int = POINTS_DIGITS) -> float:
    """A figure as it is written; there is one zero."""
    return round(figure, digits) + 0.0


def rounded_interval(interval: Interval) -> list[float] | None:
    """An interval as it is written, None for one that is not known."""
    return None if math.inf in interval else [rounded(end) for end in interval]


def written(document: Json) -> str:
    """A document as JSON, equal bytes for equal figures."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
