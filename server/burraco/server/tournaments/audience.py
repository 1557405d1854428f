"""Those who watch a tournament: told what it is now, and again when that has changed."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from burraco.server.clock import Clock, Timer
from burraco.server.errors import ArenaError
from burraco.server.outbox import Outbox

# A change tells at most so often: whoever watches is shown states, not every row.
WATCH_SECONDS: Final = 0.25


class Audience:
    """Watchers of one tournament. ``picture`` encodes it, and says whether it is the last one."""

    def __init__(
        self,
        clock: Clock,
        picture: Callable[[], Awaitable[tuple[bytes, bool]]],
        broken: Callable[[Exception], object],
    ) -> None:
        self._clock = clock
        self._picture = picture
        self._broken = broken
        # Each with whether it has to be told.
        self._outboxes: dict[Outbox, bool] = {}
        self._task: asyncio.Task[None] | None = None
        self._timer: Timer | None = None
        self._next = 0.0

    def admit(self, outbox: Outbox) -> None:
        """Show it to one more."""
        self._outboxes[outbox] = True
        self._tell_soon()

    def leave(self, outbox: Outbox) -> None:
        """Show it to one less."""
        self._outboxes.pop(outbox, None)

    def changed(self) -> None:
        """There is something new to show."""
        self._outboxes = dict.fromkeys(self._outboxes, True)
        self._tell_soon()

    async def stop(self) -> None:
        """Show nothing more."""
        self._outboxes.clear()
        self._stop_timer()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _tell_soon(self) -> None:
        if self._task is not None or not any(self._outboxes.values()):
            return
        self._stop_timer()
        if self._next > self._clock.now():
            self._timer = self._clock.call_at(self._next, self._begin)
        else:
            self._begin()

    def _begin(self) -> None:
        self._timer = None
        if self._task is None:
            self._task = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        try:
            await self._tell_once()
        except ArenaError:
            # Busy: tried again with the next.
            pass
        except Exception as error:
            self._broken(error)
        finally:
            self._next = self._clock.now() + WATCH_SECONDS
            self._task = None
        self._tell_soon()

    async def _tell_once(self) -> None:
        due = [outbox for outbox, is_due in self._outboxes.items() if is_due]
        self._outboxes |= dict.fromkeys(due, False)
        try:
            picture, is_last = await self._picture()
        except BaseException:
            self._outboxes |= dict.fromkeys(self._outboxes.keys() & due, True)
            raise
        for outbox in self._outboxes.keys() & due:
            outbox.put(picture)
            if is_last:
                outbox.close(None)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
