"""Keeps the process of one bot running for as long as the bot is in the arena."""

from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable

from burraco.bots.arena_ledger import Ledger
from burraco.bots.arena_processes import Children

Start = Callable[[], Awaitable[Process]]


async def keep(entry: int, ledger: Ledger, children: Children, start: Start) -> None:
    """Start the process of an entry, and again when it ends by itself, until the bot is retired.

    When the task is cancelled the process is ended first.
    """
    while not ledger.is_retired(entry):
        child = await start()
        try:
            status = await child.wait()
        finally:
            await children.end(child)
        ledger.record_exit(entry, status)
