"""A Play stream in this process: no transport, so a test sees all that the server would send."""

import asyncio
from collections.abc import Callable
from typing import Any

from grpc.aio import EOF  # type: ignore[attr-defined]  # missing from the stubs

from burraco.server.outbox import Outbox
from burraco.server.services.playing import PlayStream
from burraco.v1 import play_pb2
from tests.server.harness import Running

Frames = list[play_pb2.ServerFrame]


class Line:
    """One connection of a player."""

    def __init__(self, running: Running, player: str) -> None:
        arena = running.arena
        self.outbox = Outbox(arena.clock)
        self.frames: Frames = []
        self._stream = PlayStream(player, arena.tables, arena.sessions, self.outbox, arena.clock)
        self._sent: asyncio.Queue[Any] = asyncio.Queue()
        arena.streams.enter(self.outbox, player, takes_frames=True)

    def send(self, frame: play_pb2.ClientFrame) -> None:
        """Let the server find a frame when it reads next."""
        self._sent.put_nowait(frame)

    async def read(self) -> Any:  # noqa: ANN401 - a frame, or gRPC's mark of the end
        """What the server calls for the next frame."""
        return await self._sent.get()

    async def handle(self, *frames: play_pb2.ClientFrame) -> None:
        """Let the server take some frames, and then no more."""
        for frame in (*frames, EOF):
            self._sent.put_nowait(frame)
        await self._stream.read_all(self)

    async def run(self, react: Callable[[play_pb2.ServerFrame], None]) -> None:
        """Serve the line until the server ends it."""
        reading = asyncio.create_task(self._stream.read_all(self))
        await self.drain(react)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)

    async def drain(self, react: Callable[[play_pb2.ServerFrame], None] | None = None) -> Frames:
        """Receive everything up to the end of the line."""

        async def take(raw: bytes) -> None:
            frame = play_pb2.ServerFrame.FromString(raw)
            self.frames.append(frame)
            if react is not None:
                react(frame)

        await self.outbox.start(take)
        return self.frames
