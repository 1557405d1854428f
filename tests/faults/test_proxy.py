"""The proxy does to a connection what it is asked to, and nothing else."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.faults.proxy import Fault, Manner, Proxy

SENT = b"x" * 5_000


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
            async with asyncio.timeout(30):
                for at in range(0, len(SENT), 500):
                    writer.write(SENT[at : at + 500])
                    await writer.drain()
                    back += await reader.readexactly(500)
        except (OSError, asyncio.IncompleteReadError) as gone:
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
