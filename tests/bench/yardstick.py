"""What speeds are divided by: a plain loop of the interpreter, and medians of repeated runs."""

import statistics
import time
from collections.abc import Callable

_ROUNDS = 20_000


def yardstick() -> float:
    """Seconds of processor time for one small dictionary-and-tuple step, median of seven."""
    return median_seconds(_loop, 7) / _ROUNDS


def _loop() -> None:
    table: dict[int, tuple[int, int]] = {}
    for at in range(_ROUNDS):
        table[at & 255] = (at, at + 1)
        table.get(at & 127)


def median_seconds(work: Callable[[], object], times: int) -> float:
    """Median processor time of a piece of work over so many runs."""
    return statistics.median(_seconds(work) for _ in range(times))


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
