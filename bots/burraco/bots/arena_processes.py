"""The processes an arena or a load starts, a server and bots, and how each of them is ended."""

import asyncio
import json
import os
import secrets
import signal
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_START_SECONDS: Final = 30.0
_END_SECONDS: Final = 5.0
_NOTICE_SECONDS: Final = 1.0
_LOOK_EVERY_SECONDS: Final = 0.02
_OWN_SETTINGS: Final = "BURRACO_"
_RUN_COMMAND: Final = "import sys; from burraco.sdk.command import main; sys.exit(main())"


class ServerFailed(Exception):
    """The local server did not start or did not last; the text names its log."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server of our own on the loopback; ``token`` is its organiser's."""

    address: str
    pid: int
    token: str


class Children:
    """Every process that was started and has not ended yet."""

    def __init__(self) -> None:
        self._running: set[Process] = set()

    async def start(
        self, arguments: Sequence[str], log: Path, settings: Mapping[str, str]
    ) -> Process:
        """Start Python with arguments; what it writes is appended to a log.

        It is no member of our process group, so that Ctrl-C reaches it only through us, in order.
        """
        with log.open("ab") as written:
            child = await asyncio.create_subprocess_exec(
                sys.executable,
                *arguments,
                stdin=DEVNULL,
                stdout=written,
                stderr=written,
                env={**_clean_environment(), **settings},
                start_new_session=True,
            )
        self._running.add(child)
        return child

    async def start_bot(self, spec: str, server: LocalServer, token: str, log: Path) -> Process:
        """Start a bot in a process of its own, as its author would."""
        arguments = ["-c", _RUN_COMMAND, "bot", "run", spec, "--server", server.address]
        # Bots that iterate over sets of strings would else differ from run to run.
        settings = {"BURRACO_TOKEN": token, "PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "1"}
        return await self.start(arguments, log, settings)

    async def end(self, child: Process) -> None:
        """End a process: politely, and after five seconds without asking."""
        if child.returncode is None:
            with suppress(ProcessLookupError):
                child.terminate()
            try:
                await asyncio.wait_for(child.wait(), _END_SECONDS)
            except TimeoutError:
                child.kill()
                await child.wait()
        self._running.discard(child)

    def kill(self) -> None:
        """End at once whatever still runs, for a way out that cannot wait."""
        for child in self._running:
            if child.returncode is None:
                with suppress(ProcessLookupError):
                    os.kill(child.pid, signal.SIGKILL)


@asynccontextmanager
async def local_server(children: Children, store: Path, log: Path) -> AsyncIterator[LocalServer]:
    """Start a server on a free port of the loopback and end it afterwards.

    When it ends by itself, the body is cancelled and ``ServerFailed`` is raised.
    """
    token = secrets.token_urlsafe(32)
    ready = store / "ready.json"
    ready.unlink(missing_ok=True)
    listen = ["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"]
    arguments = ["-m", "burraco.server", *listen, "--data", str(store), "--ready-file", str(ready)]
    child = await children.start(arguments, log, {"BURRACO_ORGANISER_TOKEN": token})
    try:
        told = await _await_ready(child, ready, log)
        async with _watched(child, log):
            yield LocalServer(str(told["address"]), child.pid, token)
    finally:
        await children.end(child)


@asynccontextmanager
async def _watched(child: Process, log: Path) -> AsyncIterator[None]:
    """Cancel the body when the server ends, and give that as the reason of whatever went wrong."""
    body = asyncio.current_task()
    assert body is not None
    watch = asyncio.create_task(child.wait())

    def stop(_: asyncio.Task[int]) -> None:
        body.cancel()

    watch.add_done_callback(stop)
    try:
        yield
    except (asyncio.CancelledError, Exception) as problem:
        watch.remove_done_callback(stop)
        if isinstance(problem, Exception) and not watch.done():
            # A broken connection is often noticed before the end of the process behind it.
            await asyncio.wait([watch], timeout=_NOTICE_SECONDS)
        if not watch.done():
            raise
        raise ServerFailed(
            f"the server ended by itself ({exit_text(watch.result())}): see {log}"
        ) from None
    finally:
        watch.remove_done_callback(stop)
        watch.cancel()


def exit_text(status: int) -> str:
    """How a process ended, in words."""
    return f"signal {-status}" if status < 0 else f"exit status {status}"


def _clean_environment() -> dict[str, str]:
    """Our environment without our own settings: no child inherits a token that is not its own."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OWN_SETTINGS)}


async def _await_ready(child: Process, ready: Path, log: Path) -> Mapping[str, object]:
    """What the server says when it listens; it writes the file whole or not at all."""
    try:
        async with asyncio.timeout(_START_SECONDS):
            while not ready.exists():
                if child.returncode is not None:
                    raise ServerFailed(f"the server did not start: see {log}")
                await asyncio.sleep(_LOOK_EVERY_SECONDS)
    except TimeoutError:
        raise ServerFailed(
            f"the server is not ready after {_START_SECONDS:.0f} s: see {log}"
        ) from None
    told: Mapping[str, object] = json.loads(ready.read_text(encoding="utf-8"))
    return told
