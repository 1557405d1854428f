"""Fair shares of the event loop: of what many ask for at once, a little is done in each turn."""

import asyncio
from collections import deque


class Turns:
    """Lets so many go on in ``each`` turn of the loop, by turns of those on whose behalf they ask.

    Whatever else is ready comes between two turns, so nobody waits for more than one of them, and
    whoever asks for much waits for it behind nobody but himself.
    """

    __slots__ = ("_each", "_is_set", "_left", "_waiting")

    def __init__(self, each: int) -> None:
        self._each = each
        self._left = each
        self._is_set = False
        # In the order in which they are served next.
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def wait(self, who: str) -> None:
        """Go on at once where this turn has room, else in the turn that is yours."""
        self._begin_soon()
        if self._left and not self._waiting:
            self._left -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(who, deque()).append(turn)
        await turn

    def _begin_soon(self) -> None:
        if not self._is_set:
            self._is_set = True
            asyncio.get_running_loop().call_soon(self._begin)

    def _begin(self) -> None:
        self._is_set = False
        self._left = self._each
        while self._left and self._waiting:
            who = next(iter(self._waiting))
            queue = self._waiting.pop(who)
            turn = queue.popleft()
            if queue:
                self._waiting[who] = queue
            if not turn.done():
                turn.set_result(None)
                self._left -= 1
        if self._left < self._each:
            self._begin_soon()
