"""The one task that writes logs, in groups, so that no table waits alone for a disk."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from burraco.server.failpoints import passing
from burraco.server.settings import COMMIT_ROWS, COMMIT_SECONDS, STALL_SECONDS, WRITER_ROWS
from burraco.server.store import (
    LogRow,
    MatchRow,
    Store,
    StoreFailed,
    StoreFenced,
    StoreUnreachable,
)

# A commit this large means load: it pays to let the next one gather more rows.
_BUSY_ROWS: Final = 8
# How long those who wait for a commit are told of it before the event loop does something else.
_LONGEST_SECONDS: Final = 0.002

Committed = Callable[[StoreFailed | None], None]


class _Entry(NamedTuple):
    rows: Sequence[LogRow]
    match: MatchRow | None
    committed: Committed


def _ignore(_fenced: StoreFenced) -> None:
    """Nobody minds."""


class LogWriter:
    """Takes rows from tables, commits them, and then calls back in the order they came.

    ``observe`` is told the seconds of every commit, ``broken`` what a call back raised, ``fenced``
    that another server has taken over. ``is_stalled`` while a commit takes suspiciously long:
    then everything new is refused at once, and only the commit itself has an open end.
    """

    def __init__(
        self,
        store: Store,
        observe: Callable[[float], None],
        broken: Callable[[Exception], object],
        fenced: Callable[[StoreFenced], object] = _ignore,
    ) -> None:
        self._store = store
        self._observe = observe
        self._broken = broken
        self._fenced = fenced
        self.is_stalled = False
        self._waiting: deque[_Entry] = deque()
        self._rows = 0
        self._arrived = asyncio.Event()
        self._enough = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def append(self, rows: Sequence[LogRow], match: MatchRow | None, committed: Committed) -> None:
        """Write rows soon; ``StoreFailed`` at once when they would wait too long."""
        if self.is_stalled:
            raise StoreUnreachable("the store does not answer")
        if self._rows >= WRITER_ROWS:
            raise StoreFailed(f"{self._rows} rows wait for the disk")
        self._waiting.append(_Entry(rows, match, committed))
        self._rows += len(rows)
        self._idle.clear()
        self._arrived.set()
        if self._rows >= COMMIT_ROWS:
            self._enough.set()

    async def flush(self) -> None:
        """Wait until everything that was appended has been committed or refused."""
        await self._idle.wait()

    async def run(self) -> None:
        """Commit group after group until cancelled."""
        last = 0
        while True:
            await self._arrived.wait()
            if last >= _BUSY_ROWS:
                await self._gather()
            entries = self._next_group()
            last = len(entries)
            await self._commit(entries)
            if not self._waiting:
                self._idle.set()

    async def _gather(self) -> None:
        try:
            async with asyncio.timeout(COMMIT_SECONDS):
                await self._enough.wait()
        except TimeoutError:
            pass

    def _next_group(self) -> list[_Entry]:
        entries: list[_Entry] = []
        rows = 0
        while self._waiting and rows < COMMIT_ROWS:
            entries.append(self._waiting.popleft())
            rows += len(entries[-1].rows)
        self._rows -= rows
        if not self._waiting:
            self._arrived.clear()
        if self._rows < COMMIT_ROWS:
            self._enough.clear()
        return entries

    async def _commit(self, entries: Sequence[_Entry]) -> None:
        rows = [row for entry in entries for row in entry.rows]
        matches = [entry.match for entry in entries if entry.match is not None]
        started = asyncio.get_running_loop().time()
        try:
            await self._append(rows, matches)
        except StoreFailed as failure:
            await self._failed(entries, failure)
            return
        self._observe(asyncio.get_running_loop().time() - started)
        told = asyncio.get_running_loop().time()
        for entry in entries:
            self._tell(entry, None)
            if asyncio.get_running_loop().time() - told > _LONGEST_SECONDS:
                # A large group, as when hundreds of matches begin: others come between.
                await asyncio.sleep(0)
                told = asyncio.get_running_loop().time()

    async def _failed(self, entries: Sequence[_Entry], failure: StoreFailed) -> None:
        """A group failed: its entries again, each alone, so that one bad entry costs no other."""
        if len(entries) == 1 or isinstance(failure, StoreUnreachable):
            for entry in entries:
                self._tell(entry, failure)
            return
        for entry in entries:
            await self._commit([entry])

    async def _append(self, rows: Sequence[LogRow], matches: Sequence[MatchRow]) -> None:
        """Append; every failure is a ``StoreFailed``, since tables wait for this task for ever."""
        watch = asyncio.get_running_loop().call_later(STALL_SECONDS, self._stall)
        try:
            passing("writer.commit")
            await self._store.append(rows, matches)
            passing("writer.committed")
        except StoreFailed:
            raise
        except Exception as error:
            self._broken(error)
            raise StoreFailed("the store is broken") from error
        finally:
            watch.cancel()
            self.is_stalled = False

    def _stall(self) -> None:
        """Let nobody wait behind a commit that may not end: what has not begun is refused."""
        self.is_stalled = True
        while self._waiting:
            entry = self._waiting.popleft()
            self._rows -= len(entry.rows)
            self._tell(entry, StoreUnreachable("the store does not answer"))
        self._arrived.clear()
        self._enough.clear()

    def _tell(self, entry: _Entry, outcome: StoreFailed | None) -> None:
        if isinstance(outcome, StoreFenced):
            self._fenced(outcome)
        try:
            entry.committed(outcome)
        except Exception as error:
            self._broken(error)
