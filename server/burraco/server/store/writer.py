"""The one task that writes logs, in groups, so that no table waits alone for a disk."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from burraco.server.settings import COMMIT_ROWS, COMMIT_SECONDS, WRITER_ROWS
from burraco.server.store import LogRow, MatchRow, Store, StoreFailed

# A commit this large means load: it pays to let the next one gather more rows.
_BUSY_ROWS: Final = 8

Committed = Callable[[StoreFailed | None], None]


class _Entry(NamedTuple):
    rows: Sequence[LogRow]
    match: MatchRow | None
    committed: Committed


class LogWriter:
    """Takes rows from tables, commits them, and then calls back in the order they came.

    ``observe`` is told the seconds of every commit, ``broken`` what a call back raised.
    """

    def __init__(
        self,
        store: Store,
        observe: Callable[[float], None],
        broken: Callable[[Exception], object],
    ) -> None:
        self._store = store
        self._observe = observe
        self._broken = broken
        self._waiting: deque[_Entry] = deque()
        self._rows = 0
        self._arrived = asyncio.Event()
        self._enough = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def append(self, rows: Sequence[LogRow], match: MatchRow | None, committed: Committed) -> None:
        """Write rows soon; ``StoreFailed`` at once when too many are waiting already."""
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
            await self._one_by_one(entries, failure)
            return
        self._observe(asyncio.get_running_loop().time() - started)
        for entry in entries:
            self._tell(entry, None)

    async def _one_by_one(self, entries: Sequence[_Entry], failure: StoreFailed) -> None:
        """A group failed: its entries again, each alone, so that one bad entry costs no other."""
        for entry in entries:
            outcome: StoreFailed | None = None if len(entries) > 1 else failure
            if len(entries) > 1:
                try:
                    await self._append(entry.rows, [entry.match] if entry.match else [])
                except StoreFailed as alone:
                    outcome = alone
            self._tell(entry, outcome)

    async def _append(self, rows: Sequence[LogRow], matches: Sequence[MatchRow]) -> None:
        """Append; every failure is a ``StoreFailed``, since tables wait for this task for ever."""
        try:
            await self._store.append(rows, matches)
        except StoreFailed:
            raise
        except Exception as error:
            self._broken(error)
            raise StoreFailed("the store is broken") from error

    def _tell(self, entry: _Entry, outcome: StoreFailed | None) -> None:
        try:
            entry.committed(outcome)
        except Exception as error:
            self._broken(error)
