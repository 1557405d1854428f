"""Durable appends: rows a second of either store, in groups as the log writer makes them."""

import asyncio
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from burraco.server.store import LogRow, MatchRow
from burraco.server.store.postgres import postgres_store
from burraco.server.store.relational import RelationalStore
from burraco.server.store.sqlite import sqlite_store
from burraco.server.terms import MatchState
from tests.server.postgres import serving_postgres

_ROUNDS = 5
_COMMITS = 60
_ROWS = 100
# About what a turn's row has.
_PAYLOAD = '{"decision":17,"seat":2,"by":"bot","actions":["+"],"action_id":"%s"}' % ("x" * 120)


def report() -> Iterator[str]:
    """Lines of the report; the stores take turns, since the machine is shared."""
    return iter(asyncio.run(_measure()))


async def _measure() -> list[str]:
    with tempfile.TemporaryDirectory() as folder, serving_postgres(is_durable=True) as server:
        sqlite = sqlite_store(Path(folder) / "burraco.db")
        postgres = postgres_store(server.make_database())
        for store in (sqlite, postgres):
            await store.open()
            await store.claim()
            await store.append([], [_match(place) for place in range(_ROWS)])
        rounds = [
            (await _rate(sqlite, number), await _rate(postgres, number))
            for number in range(_ROUNDS)
        ]
        await sqlite.close()
        await postgres.close()
    ratios = [postgres_rate / sqlite_rate for sqlite_rate, postgres_rate in rounds]
    return [
        f"SQLite: {median(one for one, _ in rounds):.0f} rows a second durable, {_ROWS} a commit",
        f"PostgreSQL: {median(one for _, one in rounds):.0f} rows a second, {median(ratios):.2f}"
        f" of SQLite ({', '.join(f'{ratio:.2f}' for ratio in sorted(ratios))})",
    ]


def _match(place: int) -> MatchRow:
    return MatchRow(f"m{place}", MatchState.RUNNING, "", place, ("a", "b", "c", "d"), b"")


async def _rate(store: RelationalStore, number: int) -> float:
    """A row for each of so many matches in every commit, all of which the owner may write."""
    began = time.perf_counter()
    for commit in range(_COMMITS):
        version = number * _COMMITS + commit + 1
        rows = [
            LogRow(f"m{place}", version, "acted", _PAYLOAD, bytes(32)) for place in range(_ROWS)
        ]
        await store.append(rows, [])
    return _COMMITS * _ROWS / (time.perf_counter() - began)
