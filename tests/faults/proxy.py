"""A TCP proxy that treats connections badly, on purpose."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

_READ: Final = 1 << 14
_DRIP: Final = 64
# So much drips, then the rest flows again: a frame or two.
_DRIPPING: Final = 8_192
_PREFACE: Final = len(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
_HEAD: Final = 9


class Manner(StrEnum):
    """What happens to one direction of a connection; a cut one loses both."""

    CUT = "cut"
    HALF_CLOSE = "half_close"
    BLACK_HOLE = "black_hole"
    SLOW_DRIP = "slow_drip"
    DELAY = "delay"


# After these nothing more comes through, whatever the two ends believe.
SILENCING: Final = frozenset({Manner.CUT, Manner.HALF_CLOSE, Manner.BLACK_HOLE})


@dataclass(frozen=True, slots=True)
class Fault:
    """``manner`` befalls a connection after so much; ``upstream`` is towards the server.

    ``after`` counts bytes, or HTTP/2 frames where ``in_frames``; ``seconds`` is how long a delay
    is, and the pause between two drops.
    """

    manner: Manner
    after: int
    upstream: bool
    seconds: float = 0.05
    in_frames: bool = False


class FrameCounter:
    """Finds the ends of HTTP/2 frames in a stream of bytes."""

    def __init__(self, preface: int) -> None:
        self._skip = preface
        self._head = b""
        self.begun = 0

    def take(self, chunk: bytes, most: int) -> int:
        """How many bytes of a chunk belong to the first ``most`` frames."""
        at = 0
        while at < len(chunk):
            if self._skip:
                step = min(self._skip, len(chunk) - at)
                self._skip -= step
                at += step
                continue
            if not self._head and self.begun >= most:
                return at
            piece = chunk[at : at + _HEAD - len(self._head)]
            self._head += piece
            at += len(piece)
            if len(self._head) == _HEAD:
                self._skip, self._head = int.from_bytes(self._head[:3]), b""
                self.begun += 1
        return at


class _Way:
    """One direction of a connection."""

    def __init__(self, *, upstream: bool, fault: Fault | None) -> None:
        self.fault = fault if fault is not None and fault.upstream is upstream else None
        self._passed = 0
        self._frames = FrameCounter(_PREFACE if upstream else 0)

    def before_the_fault(self, chunk: bytes) -> int:
        """How much of a chunk still passes untouched."""
        if self.fault is None:
            return len(chunk)
        if self.fault.in_frames:
            return self._frames.take(chunk, self.fault.after)
        free = max(0, min(len(chunk), self.fault.after - self._passed))
        self._passed += len(chunk)
        return free


class Link:
    """One connection through the proxy."""

    def __init__(self, fault: Fault | None) -> None:
        self._ways = {upstream: _Way(upstream=upstream, fault=fault) for upstream in (True, False)}
        self._doomed = asyncio.Event()
        self.struck = 0

    def strike(self, manner: Manner, *, upstream: bool, seconds: float = 0.005) -> None:
        """Let it befall the next bytes in one direction."""
        self._ways[upstream].fault = Fault(manner, 0, upstream, seconds)

    def cut(self) -> None:
        """Break it now."""
        self.struck += 1
        self._doomed.set()

    async def carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: int
    ) -> None:
        """Carry bytes to a port and back until either end, or a fault, makes an end."""
        there, back = await asyncio.open_connection("127.0.0.1", target)
        up = asyncio.ensure_future(self._pipe(reader, back, self._ways[True]))
        down = asyncio.ensure_future(self._pipe(there, writer, self._ways[False]))
        doomed = asyncio.ensure_future(self._until_doomed())
        both = asyncio.ensure_future(_both(up, down))
        try:
            await asyncio.wait((both, doomed), return_when=asyncio.FIRST_COMPLETED)
        finally:
            back.transport.abort()
            for task in (both, up, down, doomed):
                task.cancel()
            await asyncio.gather(both, up, down, doomed, return_exceptions=True)

    async def _until_doomed(self) -> None:
        await self._doomed.wait()

    async def _pipe(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: _Way
    ) -> None:
        while chunk := await reader.read(_READ):
            free = way.before_the_fault(chunk)
            if free:
                writer.write(chunk[:free])
                await writer.drain()
            if free < len(chunk):
                await self._strike(way, chunk[free:], reader, writer)
        if writer.can_write_eof():
            writer.write_eof()

    async def _strike(
        self,
        way: _Way,
        chunk: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        fault, way.fault = way.fault, None
        assert fault is not None
        self.struck += 1
        match fault.manner:
            case Manner.CUT:
                raise ConnectionResetError
            case Manner.HALF_CLOSE:
                if writer.can_write_eof():
                    writer.write_eof()
                await _swallow(reader)
            case Manner.BLACK_HOLE:
                await _swallow(reader)
            case Manner.DELAY:
                await asyncio.sleep(fault.seconds)
                writer.write(chunk)
                await writer.drain()
            case Manner.SLOW_DRIP:
                await _drip(chunk, writer, fault.seconds)


async def _both(up: asyncio.Future[None], down: asyncio.Future[None]) -> None:
    await asyncio.gather(up, down)


async def _swallow(reader: asyncio.StreamReader) -> None:
    """Take what comes and pass nothing on; the sender sees no difference."""
    while await reader.read(_READ):
        pass
    raise ConnectionResetError


async def _drip(chunk: bytes, writer: asyncio.StreamWriter, seconds: float) -> None:
    for at in range(0, min(len(chunk), _DRIPPING), _DRIP):
        writer.write(chunk[at : at + _DRIP])
        await writer.drain()
        await asyncio.sleep(seconds)
    writer.write(chunk[_DRIPPING:])
    await writer.drain()


def _no_fault() -> None:
    """Every connection is left alone until it is struck by hand."""


class Proxy:
    """Forwards connections to a port; each may have a fault."""

    def __init__(self, port: int, next_fault: Callable[[], Fault | None] = _no_fault) -> None:
        self._target = port
        self._next_fault = next_fault
        self._tasks: set[asyncio.Task[None]] = set()
        self._gone = 0
        self._is_closed = False
        self.links: set[Link] = set()
        self.port = 0

    @property
    def address(self) -> str:
        """Where clients are to connect."""
        return f"127.0.0.1:{self.port}"

    @property
    def struck(self) -> int:
        """How many faults have befallen connections."""
        return self._gone + sum(link.struck for link in self.links)

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Proxy"]:
        """Listen on a free port of the loopback until the block ends."""
        server = await asyncio.start_server(self._begin, "127.0.0.1", 0, backlog=4_096)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            self._is_closed = True
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_closed:
            writer.transport.abort()
            return
        link = Link(self._next_fault())
        self.links.add(link)
        task = asyncio.create_task(self._carry(link, reader, writer))
        self._tasks.add(task)

        def ended(task: asyncio.Task[None]) -> None:
            # Also where the task was cancelled before it began.
            self._tasks.discard(task)
            self.links.discard(link)
            self._gone += link.struck
            writer.transport.abort()

        task.add_done_callback(ended)

    async def _carry(
        self, link: Link, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with contextlib.suppress(OSError):
            await link.carry(reader, writer, self._target)
