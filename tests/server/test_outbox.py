"""An outbox cuts the reader that does not read, and no other."""

import asyncio

from burraco.server.errors import Complaint
from burraco.server.errors import draining as draining_error
from burraco.server.outbox import Outbox
from burraco.server.settings import OUTBOX_FRAMES, OUTBOX_MOST, OUTBOX_SECONDS
from tests.server.harness import FakeClock


class _Reader:
    """Takes frames as long as it may; each number of ``let`` lets it take so many more."""

    def __init__(self) -> None:
        self._may = asyncio.Semaphore(0)
        self.taken = 0

    async def take(self, _frame: bytes) -> None:
        await self._may.acquire()
        self.taken += 1

    async def let(self, frames: int) -> None:
        goal = self.taken + frames
        for _ in range(frames):
            self._may.release()
        while self.taken < goal:
            await asyncio.sleep(0)


async def test_a_burst_that_is_read_within_the_time_is_not_cut(clock: FakeClock) -> None:
    outbox, reader = Outbox(clock), _Reader()
    outbox.start(reader.take)
    for _ in range(4 * OUTBOX_FRAMES):
        outbox.put(b"frame")
    await reader.let(4 * OUTBOX_FRAMES)
    for _ in range(2 * OUTBOX_FRAMES):
        outbox.put(b"frame")
    clock.move(OUTBOX_SECONDS)
    assert outbox.ending is None
    clock.move(OUTBOX_SECONDS)
    assert outbox.ending is not None
    assert outbox.ending.complaint is Complaint.SLOW_READER
    outbox.stop()


async def test_a_few_frames_may_wait_for_ever(clock: FakeClock) -> None:
    outbox = Outbox(clock)
    for _ in range(OUTBOX_FRAMES):
        outbox.put(b"frame")
    clock.move(10 * OUTBOX_SECONDS)
    assert outbox.ending is None


async def test_an_outbox_that_is_to_end_is_cut_when_it_is_not_read(clock: FakeClock) -> None:
    outbox, reader = Outbox(clock), _Reader()
    draining = outbox.start(reader.take)
    outbox.put(b"last")
    outbox.close(draining_error())
    clock.move(OUTBOX_SECONDS - 0.5)
    await asyncio.sleep(0)
    assert not draining.done()
    clock.move(0.5)
    await asyncio.wait([draining])
    assert outbox.ending is not None
    assert outbox.ending.complaint is Complaint.DRAINING
    outbox.stop()


async def test_an_outbox_that_ends_well_is_a_slow_readers_when_it_is_not_read(
    clock: FakeClock,
) -> None:
    outbox, reader = Outbox(clock), _Reader()
    outbox.start(reader.take)
    outbox.put(b"last")
    outbox.close(None)
    assert outbox.ending is None
    clock.move(OUTBOX_SECONDS)
    assert outbox.ending is not None
    assert outbox.ending.complaint is Complaint.SLOW_READER
    assert outbox.ending.retry_ms is not None
    outbox.stop()


async def test_an_outbox_that_is_to_end_sends_what_it_holds(clock: FakeClock) -> None:
    outbox, reader = Outbox(clock), _Reader()
    draining = outbox.start(reader.take)
    for _ in range(3):
        outbox.put(b"frame")
    outbox.close(None)
    outbox.put(b"too late")
    outbox.add(b"an answer")
    await reader.let(4)
    await draining
    clock.move(OUTBOX_SECONDS)
    assert (reader.taken, outbox.ending) == (4, None)
    outbox.stop()


async def test_an_outbox_is_cut_at_once_where_memory_ends(clock: FakeClock) -> None:
    outbox = Outbox(clock)
    for _ in range(OUTBOX_MOST):
        outbox.put(b"frame")
    assert outbox.ending is not None
    assert len(outbox) == 0
