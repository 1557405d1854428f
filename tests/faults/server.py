"""A real server process that may be killed, stopped and started again on the same port."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from burraco.server.failpoints import VARIABLE

_READY_SECONDS = 60


class ServerProcess:
    """``burraco serve`` on a port and a database that outlive it."""

    def __init__(self, folder: Path, database: str | None) -> None:
        self._folder = folder
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

    async def start(self, fail_point: str = "") -> bool:
        """Start it, and wait until it serves; False when it died of its fail point before that."""
        ready = self._folder / "ready.json"
        ready.unlink(missing_ok=True)
        command = [sys.executable, "-m", "burraco.server", "--listen", self.address]
        command += ["--data", str(self._folder / "data"), "--ready-file", str(ready)]
        command += ["--metrics", "off"]
        environment = {**os.environ, VARIABLE: fail_point}
        if self._database is not None:
            environment["BURRACO_DATABASE"] = self._database
        with (self._folder / "server.log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *command, stderr=log, stdout=log, env=environment
            )
        async with asyncio.timeout(_READY_SECONDS):
            while not _is_json(ready):
                if self._process.returncode is not None:
                    assert fail_point, (self._folder / "server.log").read_text()
                    return False
                await asyncio.sleep(0.02)
        return True

    async def dead(self) -> None:
        """Wait until it has gone by itself."""
        assert self._process is not None
        await self._process.wait()

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
