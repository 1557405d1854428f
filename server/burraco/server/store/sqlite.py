"""The store in one SQLite file: write-ahead log, every commit on the disk before it returns."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, NullPool, Table, create_engine, event
from sqlalchemy.dialects.sqlite import Insert
from sqlalchemy.dialects.sqlite import insert as upsert

from burraco.server.settings import STORE_SECONDS
from burraco.server.store import LogRow
from burraco.server.store.relational import RelationalStore

_INSERT_LOG: Final = "INSERT INTO log (match_id, version, kind, payload, chain)"
_LOG_PLACES: Final = "(?, ?, ?, ?, ?)"
# SQLite takes 32,766 values in one statement. Only powers of two are used, so that the driver,
# which keeps what it has prepared, keeps few statements and uses them again.
_ROWS_AT_ONCE: Final = 512
_EPOCHS: Final = (
    "SELECT match_id, epoch FROM matches WHERE match_id IN (SELECT value FROM json_each(?))"
)


def sqlite_store(path: Path) -> RelationalStore:
    """Matches and tokens in one file."""
    return RelationalStore(_Sqlite(path), STORE_SECONDS)


class _Sqlite:
    advice = "move it away or choose another --data"

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path

    def engine(self, *, writes: bool) -> Engine:
        """A writer takes the whole file's lock before it reads: no epoch changes under it."""
        engine = create_engine(f"sqlite:///{self._path}", poolclass=NullPool)
        event.listen(engine, "connect", _configure)
        event.listen(engine, "begin", _begin_immediate if writes else _begin)
        return engine

    def socket_of(self, connection: Connection) -> None:
        """A file has none."""

    def lock_epochs(self, connection: Connection, match_ids: Sequence[str]) -> dict[str, int]:
        """The epochs of matches; the whole file is locked already."""
        found = connection.exec_driver_sql(_EPOCHS, (json.dumps(match_ids),))
        return {match_id: epoch for match_id, epoch in found}

    def insert_log(self, connection: Connection, rows: Sequence[LogRow]) -> None:
        """Add rows, many with one statement.

        The driver lets other threads run at every row of a statement that is executed row by row,
        and then waits for its turn again: with a busy event loop that took four times as long.
        """
        start = 0
        while start < len(rows):
            left = len(rows) - start
            some = min(_ROWS_AT_ONCE, 1 << left.bit_length() - 1)
            _insert_log(connection, rows[start : start + some])
            start += some

    def put(self, table: Table, keys: Sequence[str], changing: Sequence[str]) -> Insert:
        """Insert, or change what stands under the same keys."""
        return _put(table, tuple(keys), tuple(changing))


@cache
def _put(table: Table, keys: tuple[str, ...], changing: tuple[str, ...]) -> Insert:
    """Kept: there are few, and each would be a lot of work for the garbage collector."""
    statement = upsert(table)
    new = {name: statement.excluded[name] for name in changing}
    return statement.on_conflict_do_update(index_elements=keys, set_=new)


def _configure(connection: Any, _record: object) -> None:  # noqa: ANN401 - of the driver
    # The driver would begin transactions when it sees fit; ours begin where they begin.
    connection.isolation_level = None
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(f"PRAGMA busy_timeout={round(STORE_SECONDS * 1000)}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _insert_log(connection: Connection, rows: Sequence[LogRow]) -> None:
    values: list[object] = []
    for row in rows:
        values += row.match_id, row.version, row.kind, row.payload, row.chain
    more = f", {_LOG_PLACES}" * (len(rows) - 1)
    connection.exec_driver_sql(f"{_INSERT_LOG} VALUES {_LOG_PLACES}{more}", tuple(values))
