"""The proxy does to a connection what it is asked to, and nothing else."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.faults.proxy import Fault, FrameCounter, Manner, Proxy

SENT = b"x" * 5_000
# Nobody is told of a black hole, so nothing but time shows it.
_LOUD = frozenset(Manner) - {Manner.BLACK_HOLE}


@asynccontextmanager
async def echo() -> AsyncIterator[int]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while chunk := await reader.read(1 << 14):
                writer.write(chunk)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.transport.abort()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


async def through(fault: Fault | None) -> tuple[bytes, int]:
    """What comes back of what was sent, and how many connections were struck."""
    async with echo() as port, Proxy(port, lambda: fault).running() as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        back = b""
        try:
            async with asyncio.timeout(30 if fault is None or fault.manner in _LOUD else 1):
                for at in range(0, len(SENT), 500):
                    writer.write(SENT[at : at + 500])
                    await writer.drain()
                    back += await reader.readexactly(500)
        except (OSError, TimeoutError, asyncio.IncompleteReadError) as gone:
            back += getattr(gone, "partial", b"")
        finally:
            writer.transport.abort()
        return back, proxy.struck


async def test_a_connection_without_a_fault_is_left_alone() -> None:
    assert await through(None) == (SENT, 0)


@pytest.mark.parametrize("upstream", [True, False], ids=["up", "down"])
@pytest.mark.parametrize("manner", [Manner.CUT, Manner.HALF_CLOSE, Manner.BLACK_HOLE])
async def test_nothing_comes_through_after_the_strike(manner: Manner, upstream: bool) -> None:
    back, struck = await through(Fault(manner, 2_000, upstream, seconds=0))
    assert (back, struck) == (SENT[:2_000], 1)


@pytest.mark.parametrize("upstream", [True, False], ids=["up", "down"])
@pytest.mark.parametrize("manner", [Manner.DELAY, Manner.SLOW_DRIP])
async def test_everything_comes_through_late(manner: Manner, upstream: bool) -> None:
    assert await through(Fault(manner, 2_000, upstream, seconds=0)) == (SENT, 1)


async def test_a_link_is_struck_by_hand() -> None:
    async with echo() as port, Proxy(port).running() as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(b"first")
        assert await reader.readexactly(5) == b"first"
        (link,) = proxy.links
        link.strike(Manner.CUT, upstream=False)
        writer.write(b"second")
        with pytest.raises((OSError, asyncio.IncompleteReadError)):
            await reader.readexactly(6)
        writer.transport.abort()


def frames(*sizes: int) -> bytes:
    return b"".join(size.to_bytes(3) + bytes(6) + b"x" * size for size in sizes)


@pytest.mark.parametrize("step", [1, 4, 9, 1_000])
def test_frames_are_counted_wherever_their_bytes_are_parted(step: int) -> None:
    sent = b"P" * 24 + frames(3, 0, 30, 5)
    counter = FrameCounter(24)
    pieces = [sent[at : at + step] for at in range(0, len(sent), step)]
    assert sum(counter.take(piece, 3) for piece in pieces) == 24 + len(frames(3, 0, 30))
    assert counter.begun == 3
