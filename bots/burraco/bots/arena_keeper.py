"""Keeps the process of one bot running for as long as that makes sense."""

from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable

from burraco.bots.arena_processes import Children

Start = Callable[[], Awaitable[Process]]


async def keep(start: Start, children: Children, may_go_on: Callable[[int], bool]) -> None:
    """Start a process, and again when it ends by itself, while its exit status allows that.

    When the task is cancelled the process is ended first.
    """
    while True:
        child = await start()
        try:
            status = await child.wait()
        finally:
            await children.end(child)
        if not may_go_on(status):
            return
