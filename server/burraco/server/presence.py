"""Which seats are away, since when, and how much of their time for that is left."""

from typing import Final

from burraco.engine.rules import SEATS

_NOBODY: Final[list[float | None]] = [None] * SEATS


class Presence:
    """Away times of four seats in seconds; each may be away ``allowed`` seconds in all."""

    __slots__ = ("_allowed", "_since", "_used")

    def __init__(self, allowed: float) -> None:
        self._allowed = allowed
        self._since: list[float | None] = [None] * SEATS
        self._used = [0.0] * SEATS

    def leave(self, seat: int, now: float) -> None:
        """A seat has nobody connected."""
        if self._since[seat] is None:
            self._since[seat] = now

    def come(self, seat: int, now: float) -> None:
        """A seat has somebody connected, or is no longer watched over."""
        since = self._since[seat]
        if since is not None:
            self._used[seat] += now - since
            self._since[seat] = None

    def due(self) -> float | None:
        """When the first seat that is away now has used up its time."""
        if self._since == _NOBODY:
            return None
        ends = [end for seat in range(SEATS) if (end := self._end(seat)) is not None]
        return min(ends, default=None)

    def over(self, now: float) -> list[int]:
        """Seats that have used up their time."""
        return [
            seat for seat in range(SEATS) if (end := self._end(seat)) is not None and end <= now
        ]

    def _end(self, seat: int) -> float | None:
        since = self._since[seat]
        return None if since is None else since + max(0.0, self._allowed - self._used[seat])
