"""A bot that begins a session anew is told about its seats, however many, at the pace it reads."""

import asyncio
from collections.abc import Sequence

from burraco.server.house import House
from burraco.server.sessions import Session
from burraco.server.settings import GREETED_AT_ONCE, GREETINGS_A_TURN
from burraco.server.table import Table
from burraco.server.turns import Turns


class Greeting:
    """Greets a few tables at once and the others by turns, each as soon as there is room for it."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._turns = Turns(GREETINGS_A_TURN)
        self._tasks: set[asyncio.Task[None]] = set()

    def greet(self, session: Session, tables: Sequence[Table]) -> None:
        """Let tables tell a session about its seats."""
        for table in tables[:GREETED_AT_ONCE]:
            table.greet(session)
        others = tables[GREETED_AT_ONCE:]
        if others:
            task = asyncio.create_task(self._greet_by_turns(session, others))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def stop(self) -> None:
        """Greet nobody more."""
        for task in self._tasks:
            task.cancel()

    async def _greet_by_turns(self, session: Session, tables: Sequence[Table]) -> None:
        for table in tables:
            await session.room()
            await self._turns.wait(session.player)
            if self._house.sink_of(session.player) is not session:
                return
            table.greet(session)
