"""The store in one SQLite file: write-ahead log, every commit on the disk before it returns."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from sqlalchemy import (
    Connection,
    Engine,
    NullPool,
    Table,
    create_engine,
    event,
    insert,
    select,
    tuple_,
)
from sqlalchemy.dialects.sqlite import Insert
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.engine import RowMapping
from sqlalchemy.exc import SQLAlchemyError

from burraco.server.store import (
    LogRow,
    MatchFilter,
    MatchRow,
    StoreFailed,
    StoreUnusable,
    TokenRow,
)
from burraco.server.store.tables import (
    SCHEMA_VERSION,
    log,
    matches,
    metadata,
    schema,
    seats,
    tokens,
)
from burraco.server.terms import MatchState

T = TypeVar("T")

_INSERT_LOG: Final = "INSERT INTO log (match_id, version, kind, payload, chain)"
_LOG_PLACES: Final = "(?, ?, ?, ?, ?)"
# SQLite takes 32,766 values in one statement.
_ROWS_AT_ONCE: Final = 1_000


class _DriverConnection(Protocol):
    def execute(self, statement: str, /) -> object: ...


class _Worker:
    """A thread with a connection of its own.

    A whole transaction is one visit to the thread; an asynchronous driver makes one for each
    statement, which cost twice the time and half a millisecond of processor a commit.
    """

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._connection: Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Do a transaction in the thread; ``StoreFailed`` when it could not be done."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, self._transact, work)
        except SQLAlchemyError as error:
            raise StoreFailed(str(getattr(error, "orig", None) or error)) from error

    async def close(self) -> None:
        """Close the connection and end the thread."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown()

    def _transact(self, work: Callable[[Connection], T]) -> T:
        if self._connection is None:
            self._connection = self._engine.connect()
        with self._connection.begin():
            return work(self._connection)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class SqliteStore:
    """Matches and tokens in one file; one process at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._engine = create_engine(f"sqlite:///{path}", poolclass=NullPool)
        event.listen(self._engine, "connect", _configure)
        self._writer = _Worker(self._engine, "log-writer")
        self._reader = _Worker(self._engine, "log-reader")

    async def open(self) -> None:
        """Make the file and its tables where they are missing, and check their version."""
        try:
            found = await self._writer.run(_prepare)
        except StoreFailed as failure:
            raise StoreUnusable(
                f"{self._path}: not a database this server can use ({failure});"
                " move it away or choose another --data"
            ) from failure
        if found != SCHEMA_VERSION:
            raise StoreUnusable(
                f"{self._path}: schema {found}, but this version reads {SCHEMA_VERSION};"
                " use the version of burraco that wrote it"
            )

    async def close(self) -> None:
        """Close every connection."""
        await self._writer.close()
        await self._reader.close()
        self._engine.dispose()

    async def append(self, rows: Sequence[LogRow], changed: Sequence[MatchRow]) -> None:
        """Add log rows and put match rows in place in one transaction."""
        await self._writer.run(partial(_append, rows, changed))

    async def log(self, match_id: str) -> list[LogRow]:
        """The whole log of a match in order."""
        wanted = select(log).where(log.c.match_id == match_id).order_by(log.c.version)
        return [LogRow(**row) for row in await self._reader.run(partial(_rows, wanted))]

    async def unfinished(self) -> list[str]:
        """Ids of the matches that have not ended, oldest first."""
        wanted = (
            select(matches.c.match_id)
            .where(matches.c.state != MatchState.ENDED.value)
            .order_by(matches.c.created_ms, matches.c.match_id)
        )
        return [row["match_id"] for row in await self._reader.run(partial(_rows, wanted))]

    async def match(self, match_id: str) -> MatchRow | None:
        """One match."""
        wanted = select(matches).where(matches.c.match_id == match_id)
        found = await self._reader.run(partial(_match_rows, wanted))
        return found[0] if found else None

    async def matches(self, wanted: MatchFilter) -> list[MatchRow]:
        """Matches, oldest first."""
        query = select(matches).order_by(matches.c.created_ms, matches.c.match_id)
        if wanted.after is not None:
            query = query.where(tuple_(matches.c.created_ms, matches.c.match_id) > wanted.after)
        if wanted.state is not None:
            query = query.where(matches.c.state == wanted.state.value)
        if wanted.player is not None:
            seated = select(seats.c.match_id).where(seats.c.player == wanted.player)
            query = query.where(matches.c.match_id.in_(seated))
        return await self._reader.run(partial(_match_rows, query.limit(wanted.limit)))

    async def board(self, board_id: str) -> list[MatchRow]:
        """The tables of a board."""
        wanted = select(matches).where(matches.c.board_id == board_id)
        return await self._reader.run(partial(_match_rows, wanted))

    async def tokens(self) -> list[TokenRow]:
        """Every token."""
        return [
            TokenRow(row["hash"], row["name"], tuple(row["scopes"].split()), row["created_ms"])
            for row in await self._reader.run(partial(_rows, select(tokens)))
        ]

    async def add_token(self, token: TokenRow) -> None:
        """Keep a token."""
        values = {
            "hash": token.hash,
            "name": token.name,
            "scopes": " ".join(token.scopes),
            "created_ms": token.created_ms,
        }
        await self._writer.run(lambda connection: connection.execute(insert(tokens), values))


def _configure(connection: _DriverConnection, _record: object) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA busy_timeout=2000")


def _prepare(connection: Connection) -> int:
    """Make what is missing and give the version of what is there."""
    metadata.create_all(connection)
    found = connection.execute(select(schema.c.version)).scalar()
    if found is None:
        connection.execute(insert(schema).values(version=SCHEMA_VERSION))
        return SCHEMA_VERSION
    return int(found)


def _append(rows: Sequence[LogRow], changed: Sequence[MatchRow], connection: Connection) -> None:
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        _insert_log(connection, rows[start : start + _ROWS_AT_ONCE])
    if changed:
        _put_matches(connection, changed)


def _insert_log(connection: Connection, rows: Sequence[LogRow]) -> None:
    """One statement for many rows.

    The driver lets other threads run at every row of a statement that is executed row by row, and
    then waits for its turn again: with a busy event loop that took four times as long.
    """
    values: list[object] = []
    for row in rows:
        values += row.match_id, row.version, row.kind, row.payload, row.chain
    more = f", {_LOG_PLACES}" * (len(rows) - 1)
    connection.exec_driver_sql(f"{_INSERT_LOG} VALUES {_LOG_PLACES}{more}", tuple(values))


def _rows(query: Any, connection: Connection) -> Sequence[RowMapping]:  # noqa: ANN401 - a Select
    return connection.execute(query).mappings().all()


def _match_rows(query: Any, connection: Connection) -> list[MatchRow]:  # noqa: ANN401 - a Select
    found = _rows(query, connection)
    seated = _rows(
        select(seats)
        .where(seats.c.match_id.in_([row["match_id"] for row in found]))
        .order_by(seats.c.match_id, seats.c.seat),
        connection,
    )
    players: dict[str, list[str]] = {}
    for row in seated:
        players.setdefault(row["match_id"], []).append(row["player"])
    return [_match_of(row, players.get(row["match_id"], [])) for row in found]


def _put_matches(connection: Connection, changed: Sequence[MatchRow]) -> None:
    """Two statements however many matches there are."""
    connection.execute(
        _PUT_MATCH,
        [
            {
                "match_id": match.match_id,
                "state": match.state.value,
                "board_id": match.board_id,
                "created_ms": match.created_ms,
                "summary": match.summary,
            }
            for match in changed
        ],
    )
    connection.execute(
        _PUT_SEAT,
        [
            {"match_id": match.match_id, "seat": seat, "player": player}
            for match in changed
            for seat, player in enumerate(match.players)
        ],
    )


def _put(table: Table, keys: Sequence[str], changing: Sequence[str]) -> Insert:
    statement = upsert(table)
    new = {name: statement.excluded[name] for name in changing}
    return statement.on_conflict_do_update(index_elements=keys, set_=new)


_PUT_MATCH: Final = _put(matches, ["match_id"], ["state", "summary"])
_PUT_SEAT: Final = _put(seats, ["match_id", "seat"], ["player"])


def _match_of(row: RowMapping, players: Sequence[str]) -> MatchRow:
    return MatchRow(
        row["match_id"],
        MatchState(row["state"]),
        row["board_id"],
        row["created_ms"],
        tuple(players),
        row["summary"],
    )
