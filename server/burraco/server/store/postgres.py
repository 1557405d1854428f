"""The store in a PostgreSQL database, so that it may live on another machine than the server."""

import os
import socket
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, NullPool, Table, create_engine, event
from sqlalchemy.dialects.postgresql import Insert
from sqlalchemy.dialects.postgresql import insert as upsert

from burraco.server.settings import STORE_SECONDS
from burraco.server.store import LogRow
from burraco.server.store.relational import RelationalStore

# One text for any number of rows, so that the database plans it once.
_INSERT_LOG: Final = (
    "INSERT INTO log (match_id, version, kind, payload, chain)"
    " SELECT * FROM unnest(%s::text[], %s::int[], %s::text[], %s::text[], %s::bytea[])"
)
# A row that another transaction changed is read again once that one has ended: what comes back is
# never an epoch from before the lock.
_EPOCHS: Final = (
    "SELECT match_id, epoch FROM matches WHERE match_id = ANY(%s::text[])"
    " ORDER BY match_id FOR UPDATE"
)
# The driver takes no less than two seconds.
_CONNECT_SECONDS: Final = 2
# What a server that hangs in a transaction may hold up whoever takes over from it.
_IDLE_SECONDS: Final = 5


def postgres_store(url: URL, patience: float = STORE_SECONDS) -> RelationalStore:
    """Matches and tokens in a database; ``url`` is ``postgresql://…``."""
    return RelationalStore(_Postgres(url, patience), patience)


class _Postgres:
    advice = "check --database, and that the database server runs"

    def __init__(self, url: URL, patience: float) -> None:
        # Queries of the URL may hold secrets as well as its password.
        shown = url.set(drivername="postgresql", query={})
        self.name = shown.render_as_string(hide_password=True)
        self._url = url.set(drivername="postgresql+psycopg")
        self._patience = patience

    def engine(self, *, writes: bool) -> Engine:
        """READ COMMITTED: a lock that was waited for shows what the one before it wrote."""
        engine = create_engine(
            self._url,
            poolclass=NullPool,
            isolation_level="READ COMMITTED",
            connect_args={"connect_timeout": _CONNECT_SECONDS, "application_name": "burraco"},
        )
        event.listen(engine, "connect", self._configure)
        return engine

    def socket_of(self, connection: Connection) -> socket.socket | None:
        """The driver's socket again, under a number that stays ours when the driver closes it."""
        driver: Any = connection.connection.dbapi_connection
        return socket.socket(fileno=os.dup(driver.pgconn.socket))

    def lock_epochs(self, connection: Connection, match_ids: Sequence[str]) -> dict[str, int]:
        """Lock matches and give the epochs that stand once they are locked."""
        found = connection.exec_driver_sql(_EPOCHS, (list(match_ids),))
        return {match_id: epoch for match_id, epoch in found}

    def insert_log(self, connection: Connection, rows: Sequence[LogRow]) -> None:
        """Add rows with one statement."""
        columns = tuple(list(column) for column in zip(*rows, strict=True))
        connection.exec_driver_sql(_INSERT_LOG, columns)

    def put(self, table: Table, keys: Sequence[str], changing: Sequence[str]) -> Insert:
        """Insert, or change what stands under the same keys."""
        return _put(table, tuple(keys), tuple(changing))

    def _configure(self, driver: Any, _record: object) -> None:  # noqa: ANN401 - of the driver
        with driver.cursor() as cursor:
            # Whatever the database's own settings are: a commit is on the disk when it returns.
            cursor.execute("SET synchronous_commit TO on")
            cursor.execute(f"SET lock_timeout TO {round(self._patience * 1000)}")
            cursor.execute(f"SET idle_in_transaction_session_timeout TO {_IDLE_SECONDS * 1000}")
        driver.commit()


@cache
def _put(table: Table, keys: tuple[str, ...], changing: tuple[str, ...]) -> Insert:
    """Kept: there are few, and each would be a lot of work for the garbage collector."""
    statement = upsert(table)
    new = {name: statement.excluded[name] for name in changing}
    return statement.on_conflict_do_update(index_elements=keys, set_=new)
