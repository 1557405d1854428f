"""A thread with a database connection of its own: a whole transaction is one visit to it.

An asynchronous driver makes a visit for each statement, which cost twice the time and half a
millisecond of processor a commit. The event loop never waits here: where the database answers
nothing for ``patience`` seconds, its connection is cut from outside and the visit fails.
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from burraco.server.failpoints import passing
from burraco.server.store import StoreFailed, StoreUnreachable

T = TypeVar("T")
# A socket of its own that stands for the connection, None where a connection has none.
SocketOf = Callable[[Connection], socket.socket | None]


class CommitUnknown(Exception):
    """The connection was lost between COMMIT and its answer: it may be stored, or not."""


class Worker:
    """Does transactions one after the other."""

    def __init__(self, engine: Engine, socket_of: SocketOf, patience: float, name: str) -> None:
        self._engine = engine
        self._socket_of = socket_of
        self._patience = patience
        self._connection: Connection | None = None
        self._socket: socket.socket | None = None
        self._is_busy = False
        self._was_cut = False
        self._turn = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)

    async def run(self, work: Callable[[Connection], T], patience: float | None = None) -> T:
        """Do a transaction in the thread.

        ``StoreFailed`` when nothing of it is stored, ``StoreUnreachable`` when that is so because
        the database does not answer, ``CommitUnknown`` when nobody can say. Waiting for its turn
        costs a transaction none of its patience, with which it would cut the one before it.
        """
        loop = asyncio.get_running_loop()
        async with self._turn:
            visit = loop.run_in_executor(self._thread, self._transact, work)
            watch = loop.call_later(patience or self._patience, self._cut)
            try:
                return await visit
            finally:
                watch.cancel()

    async def close(self) -> None:
        """Close the connection and end the thread, whatever it is doing."""
        if self._is_busy:
            self._cut()
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown()

    def _transact(self, work: Callable[[Connection], T]) -> T:
        self._is_busy, self._was_cut = True, False
        was_connected = self._connection is not None
        try:
            try:
                done = self._do(work)
            except StoreUnreachable:
                # A database that was started again has closed what we had of the old one.
                if self._was_cut or not was_connected:
                    raise
                done = self._do(work)
            self._commit()
        finally:
            self._is_busy = False
        return done

    def _do(self, work: Callable[[Connection], T]) -> T:
        """Everything up to COMMIT: what fails here is not stored."""
        try:
            connection = self._connect()
            connection.begin()
            return work(connection)
        except BaseException as error:
            self._roll_back()
            if isinstance(error, SQLAlchemyError):
                raise self._failure(error) from error
            raise

    def _commit(self) -> None:
        assert self._connection is not None
        passing("worker.commit")
        try:
            self._connection.commit()
        except SQLAlchemyError as error:
            self._disconnect()
            raise CommitUnknown(_words(error)) from error
        passing("worker.committed")

    def _roll_back(self) -> None:
        """Ready for the next transaction, on a new connection where this one is lost."""
        connection = self._connection
        if connection is None:
            return
        try:
            connection.rollback()
        except SQLAlchemyError:
            self._disconnect()
            return
        if connection.invalidated:
            self._disconnect()

    def _connect(self) -> Connection:
        if self._connection is None:
            connection = self._engine.connect()
            self._socket = self._socket_of(connection)
            self._connection = connection
        return self._connection

    def _failure(self, error: SQLAlchemyError) -> StoreFailed:
        if self._connection is None and isinstance(error, OperationalError):
            return StoreUnreachable(_words(error))
        return StoreFailed(_words(error))

    def _cut(self) -> None:
        """Make whatever waits for the database fail now; called from the event loop."""
        self._was_cut = True
        held = self._socket
        if held is not None:
            with contextlib.suppress(OSError):
                held.shutdown(socket.SHUT_RDWR)

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        held, self._socket = self._socket, None
        if connection is not None:
            with contextlib.suppress(SQLAlchemyError):
                connection.close()
        if held is not None:
            held.close()


def _words(error: SQLAlchemyError) -> str:
    """The driver's own words on one line, without the statement and its values."""
    return " ".join(str(getattr(error, "orig", None) or error).split())
