"""Streams that only send: frames of one seat, and the public view."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager

from burraco.server.links import SeatLink
from burraco.server.outbox import Outbox, Write
from burraco.server.sessions import superseded
from burraco.server.settings import SEAT_STREAMS
from burraco.v1 import play_pb2


class SeatWatcher:
    """A stream that is told about one seat; its frames are numbered from 1 and kept nowhere."""

    wants_live_events = True
    has_left = False
    round_trip_ms = 0

    def __init__(self, player: str, outbox: Outbox) -> None:
        self.player = player
        self.is_connected = True
        self._outbox = outbox
        self._last = 0

    def send(self, frame: play_pb2.ServerFrame) -> int:
        """Number a frame and pass it on."""
        self._last += 1
        frame.seq = self._last
        self._outbox.put(frame.SerializeToString())
        return self._last

    def link(self, link: SeatLink) -> None:
        """It has one seat and needs to remember none."""

    def forget(self, link: SeatLink) -> None:
        """The match is over, and with it the stream."""
        self._outbox.close(None)


class SeatStreams:
    """The open streams of each seat; of more than ``SEAT_STREAMS`` the oldest is ended."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], list[Outbox]] = {}

    @contextmanager
    def enter(self, match_id: str, seat: int, outbox: Outbox) -> Iterator[None]:
        """A stream of a seat is open in the body."""
        streams = self._open.setdefault((match_id, seat), [])
        streams.append(outbox)
        if len(streams) > SEAT_STREAMS:
            streams.pop(0).close(superseded())
        try:
            yield
        finally:
            # One that a newer took the place of is gone already.
            if outbox in streams:
                streams.remove(outbox)
                if not streams:
                    del self._open[match_id, seat]


class PublicViewer:
    """A stream that is shown the public view."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    def send(self, message: bytes) -> None:
        """Pass on an encoded message."""
        self._outbox.put(message)

    def finish(self) -> None:
        """End the stream after what is queued."""
        self._outbox.close(None)


async def pour(outbox: Outbox, write: Write, reading: Coroutine[None, None, None] | None) -> None:
    """Send what is queued until the outbox ends, or the reading side does; raise what ended it."""
    tasks = [outbox.start(write)]
    if reading is not None:
        tasks.append(asyncio.create_task(reading))
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if outbox.ending is not None:
            raise outbox.ending
        for task in done:
            if not task.cancelled():
                task.result()
    finally:
        outbox.stop()
        for task in tasks:
            task.cancel()
