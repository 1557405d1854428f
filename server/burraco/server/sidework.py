"""Costly answers beside the matches: one thread, so that no table ever waits for them."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from burraco.server.errors import ArenaError, Complaint
from burraco.server.settings import BUSY_MS, SIDE_JOBS

T = TypeVar("T")


class SideWork:
    """Does pure work in a thread of its own, one job at a time; refuses more than it can hold."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="side-work")
        self._jobs = 0

    async def run(self, work: Callable[[], T]) -> T:
        """Do a job when its turn comes."""
        if self._jobs >= SIDE_JOBS:
            raise ArenaError(
                Complaint.BUSY,
                f"{SIDE_JOBS} costly questions wait already: ask again in a second",
                retry_ms=str(BUSY_MS),
            )
        self._jobs += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            self._jobs -= 1

    def close(self) -> None:
        """Do nothing more."""
        self._thread.shutdown(cancel_futures=True)
