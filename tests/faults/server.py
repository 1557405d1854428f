"""A real server process that may be killed, stopped and started again on the same port."""

import asyncio
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from burraco.server.failpoints import VARIABLE as FAIL_POINT_VARIABLE

_READY_SECONDS = 60


class ServerProcess:
    """``burraco serve`` on a port and a database that outlive it."""

    def __init__(self, folder: Path, database: str | None) -> None:
        self._folder = folder
        self._log = folder / "server.log"
        self._database = database
        self._process: asyncio.subprocess.Process | None = None
        self.port = _free_port()

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.port}"

    @property
    def organiser(self) -> str:
        """The organiser's token."""
        return (self._folder / "data" / "organiser.token").read_text().strip()

    @property
    def is_running(self) -> bool:
        """Whether there is a process."""
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int:
        """Id of the process."""
        assert self._process is not None
        return self._process.pid

    def faults(self) -> int:
        """How many faults of its own it has written to its log."""
        return self._log.read_text(errors="replace").count('"internal_error"')

    async def start(self, fail_point: str = "") -> None:
        """Start it, and wait until it serves; one with a fail point may die before that."""
        ready = self._folder / "ready.json"
        ready.unlink(missing_ok=True)
        command = [sys.executable, "-m", "burraco.server", "--listen", self.address]
        command += ["--data", str(self._folder / "data"), "--ready-file", str(ready)]
        command += ["--metrics", "off"]
        environment = {**os.environ, FAIL_POINT_VARIABLE: fail_point}
        if self._database is not None:
            environment["BURRACO_DATABASE"] = self._database
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *command, stderr=log, stdout=log, env=environment
            )
        async with asyncio.timeout(_READY_SECONDS):
            while not _is_json(ready):
                if not self.is_running:
                    assert fail_point, self._log.read_text(errors="replace")
                    return
                await asyncio.sleep(0.02)

    async def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        assert self._process is not None
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()

    async def freeze(self, seconds: float) -> None:
        """SIGSTOP for a while."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            self._process.send_signal(signal.SIGCONT)

    def limit_files(self, most: int | None) -> None:
        """Let no file grow beyond so many bytes, as on a full disk; None lets them again."""
        soft = resource.RLIM_INFINITY if most is None else most
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (soft, resource.RLIM_INFINITY))

    async def stop(self) -> int:
        """SIGTERM; its exit status."""
        assert self._process is not None
        self._process.terminate()
        return await self._process.wait()


@asynccontextmanager
async def serving_process(folder: Path, database: str | None) -> AsyncIterator[ServerProcess]:
    """A server that is gone when the block ends."""
    server = ServerProcess(folder, database)
    await server.start()
    try:
        yield server
    finally:
        await server.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_json(file: Path) -> bool:
    try:
        return bool(json.loads(file.read_text()))
    except (OSError, ValueError):
        return False
