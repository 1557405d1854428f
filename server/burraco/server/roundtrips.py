"""The way to a client and back, measured without believing the client anything."""

import secrets
from collections import deque
from typing import Final

_SAMPLES: Final = 8


class RoundTrip:
    """The shortest of the latest round trips of one connection.

    A stamp cannot be guessed, so an echo never comes early; a client can only be late with it, and
    gains nothing by that unless it is late every time.
    """

    def __init__(self) -> None:
        self._stamp = 0
        self._sent = 0.0
        self._seconds: deque[float] = deque(maxlen=_SAMPLES)

    @property
    def milliseconds(self) -> int | None:
        """The measure, rounded down; None before the first echo."""
        return int(min(self._seconds) * 1000) if self._seconds else None

    def stamp(self, now: float) -> int:
        """A new stamp that goes out now; the one before it counts no more."""
        self._stamp, self._sent = secrets.randbits(64) | 1, now
        return self._stamp

    def echo(self, stamp: int, now: float) -> None:
        """A stamp has come back; one that is not the last is worth nothing."""
        if stamp == self._stamp and stamp:
            self._seconds.append(now - self._sent)
            self._stamp = 0
