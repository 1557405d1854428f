"""Time as an argument: what a match is charged is read here and nowhere else."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """Something that will happen unless it is cancelled."""

    def cancel(self) -> None:
        """Forget it; harmless when it has happened."""


class Clock(Protocol):
    """A monotonic clock that can call back, and the date for records."""

    def now(self) -> float:
        """Seconds from an arbitrary moment, never backwards."""

    def call_at(self, when: float, action: Callable[[], None]) -> Timer:
        """Call ``action`` once ``now()`` has reached ``when``."""

    def date_ms(self) -> int:
        """Milliseconds since 1970, for records only."""


class LoopClock:
    """The clock of the running event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.now = self._loop.time
        self.call_at = self._loop.call_at

    def date_ms(self) -> int:
        """Milliseconds since 1970, for records only."""
        return time.time_ns() // 1_000_000


class Alarm:
    """Calls back at one moment that may move often; moving it later costs no new timer."""

    __slots__ = ("_action", "_clock", "_due", "_rings", "_timer")

    def __init__(self, clock: Clock, action: Callable[[], None]) -> None:
        self._clock = clock
        self._action = action
        self._due: float | None = None
        self._rings = 0.0
        self._timer: Timer | None = None

    def move(self, due: float | None) -> None:
        """Ring at ``due``, or not at all."""
        self._due = due
        if due is None or (self._timer is not None and self._rings <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._set(due)

    def stop(self) -> None:
        """Never ring again, and hold neither a timer nor whom it would have called."""
        self._due, self._action = None, _nothing
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set(self, due: float) -> None:
        self._rings = due
        self._timer = self._clock.call_at(due, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._due is None:
            return
        if self._clock.now() < self._due:
            self._set(self._due)
            return
        self._due = None
        self._action()


def _nothing() -> None:
    """What an alarm does that was stopped."""
