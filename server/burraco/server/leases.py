"""Open streams by the token they were opened with: they end when the token does."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from burraco.server.clock import Alarm, Clock
from burraco.server.credentials import Token
from burraco.server.errors import ArenaError

# A far date is looked at again after a day, since dates and the clock may drift apart.
_LONGEST_SECONDS: Final = 86_400.0


class Lease:
    """One open stream: the task that serves it, and why it has to end once it has to."""

    __slots__ = ("_task", "ending")

    def __init__(self, task: asyncio.Task[Any]) -> None:
        self._task = task
        self.ending: ArenaError | None = None

    def end(self, ending: ArenaError) -> None:
        """End the stream at once."""
        if self.ending is None:
            self.ending = ending
            self._task.cancel()


class Leases:
    """All open streams; ``find`` gives a token as it is now, by its id."""

    def __init__(self, clock: Clock, find: Callable[[str], Token]) -> None:
        self._clock = clock
        self._find = find
        self._open: dict[str, set[Lease]] = {}
        self._alarm = Alarm(clock, self._look_at_all)
        self._due: float | None = None

    @contextmanager
    def hold(self, token_id: str) -> Iterator[None]:
        """Serve a stream in the body, which is cut short with an error when the token ends."""
        task = asyncio.current_task()
        assert task is not None
        lease = Lease(task)
        self._open.setdefault(token_id, set()).add(lease)
        self.look_at(token_id)
        try:
            yield
        except asyncio.CancelledError:
            if lease.ending is None:
                raise
            task.uncancel()
            raise lease.ending from None
        finally:
            self._close(token_id, lease)

    def look_at(self, token_id: str) -> None:
        """End the streams of a token that has ended, or look again when it will."""
        token, date_ms = self._find(token_id), self._clock.date_ms()
        ending = token.complaint(date_ms)
        if ending is not None:
            for lease in tuple(self._open.get(token_id, ())):
                lease.end(ending)
        elif token.row.expires_ms is not None and token_id in self._open:
            self._look_again_in((token.row.expires_ms - date_ms) / 1000)

    def stop(self) -> None:
        """Hold no timer any more."""
        self._alarm.stop()

    def _look_again_in(self, seconds: float) -> None:
        due = self._clock.now() + min(seconds, _LONGEST_SECONDS)
        if self._due is None or due < self._due:
            self._due = due
            self._alarm.move(due)

    def _look_at_all(self) -> None:
        self._due = None
        for token_id in tuple(self._open):
            self.look_at(token_id)

    def _close(self, token_id: str, lease: Lease) -> None:
        leases = self._open[token_id]
        leases.discard(lease)
        if not leases:
            del self._open[token_id]
