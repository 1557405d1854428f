"""A TCP proxy that treats connections badly, on purpose."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum


class Manner(StrEnum):
    """What happens to a connection once so many bytes have gone through it."""

    CUT = "cut"
    HALF_CLOSE = "half_close"
    BLACK_HOLE = "black_hole"
    SLOW_DRIP = "slow_drip"
    DELAY = "delay"


@dataclass(frozen=True, slots=True)
class Fault:
    """``manner`` befalls a connection after ``after`` bytes; ``upstream`` towards the server."""

    manner: Manner
    after: int
    upstream: bool
    seconds: float = 0.05


class Proxy:
    """Forwards connections to a port; each may have a fault."""

    def __init__(self, port: int, next_fault: Callable[[], Fault | None]) -> None:
        self._target = port
        self._next_fault = next_fault
        self._links: set[asyncio.Task[None]] = set()
        self.port = 0
        self.struck = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Proxy"]:
        """Listen on a free port of the loopback until the block ends."""
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for link in tuple(self._links):
                link.cancel()
            await asyncio.gather(*self._links, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._links.add(task)
        try:
            await self._carry(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self._links.discard(task)
            writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        fault = self._next_fault()
        up = fault if fault is not None and fault.upstream else None
        down = fault if fault is not None and not fault.upstream else None
        ways = (
            asyncio.ensure_future(self._pipe(reader, back, up)),
            asyncio.ensure_future(self._pipe(there, writer, down)),
        )
        try:
            await asyncio.gather(*ways)
        finally:
            for way in ways:
                way.cancel()
            back.transport.abort()

    async def _pipe(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, fault: Fault | None
    ) -> None:
        passed = 0
        while chunk := await reader.read(1 << 14):
            if fault is None or passed + len(chunk) <= fault.after:
                passed += len(chunk)
                writer.write(chunk)
                await writer.drain()
                continue
            self.struck += passed <= fault.after
            passed += len(chunk)
            await self._strike(fault, chunk, writer)
        if writer.can_write_eof():
            writer.write_eof()

    async def _strike(self, fault: Fault, chunk: bytes, writer: asyncio.StreamWriter) -> None:
        match fault.manner:
            case Manner.CUT:
                raise ConnectionResetError
            case Manner.HALF_CLOSE:
                if writer.can_write_eof():
                    writer.write_eof()
                await asyncio.sleep(fault.seconds)
                raise ConnectionResetError
            case Manner.BLACK_HOLE:
                await asyncio.sleep(fault.seconds)
                raise ConnectionResetError
            case Manner.DELAY:
                await asyncio.sleep(fault.seconds)
                writer.write(chunk)
                await writer.drain()
            case Manner.SLOW_DRIP:
                for at in range(0, len(chunk), 64):
                    writer.write(chunk[at : at + 64])
                    await writer.drain()
                    await asyncio.sleep(0)
