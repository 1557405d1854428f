"""How long the seats of an event's matches thought, where that was written down beside the log."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TIMES_NAME: Final = "times.json"


class UnreadableTimes(ValueError):
    """A file of times that is none; the text says what to do."""


@dataclass(frozen=True, slots=True)
class SeatTime:
    """What one seat of a match took, by the server's clock."""

    decisions: int
    think_ms: int


def read_times(root: Path) -> dict[str, tuple[SeatTime, ...]]:
    """The times of every match by its id, seats in order; none where there is no file.

    Raises ``UnreadableTimes``.
    """
    path = root / TIMES_NAME
    if not path.is_file():
        return {}
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        return {str(match_id): tuple(_times(seats)) for match_id, seats in told.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        shape = '{"MATCH_ID": [{"decisions": 41, "think_ms": 3400}, …]}, a row for each seat'
        remedy = "write it again, or remove it"
        raise UnreadableTimes(f"{path}: these are no times, which are {shape}; {remedy}") from None


def _times(seats: Iterable[dict[str, int]]) -> Iterable[SeatTime]:
    for seat in seats:
        time = SeatTime(seat["decisions"], seat["think_ms"])
        if (
            type(time.decisions) is not int
            or type(time.think_ms) is not int
            or min(time.decisions, time.think_ms) < 0
        ):
            raise ValueError
        yield time
