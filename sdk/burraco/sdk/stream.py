"""One Play stream: opened with a Hello, it carries frames both ways and is known to be alive."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, Final

import grpc
import grpc.aio
from grpc.aio import EOF  # type: ignore[attr-defined]  # missing from the stubs

from burraco.sdk.calls import CALL_SECONDS, Complaint, Server, complaint_of
from burraco.v1 import play_pb2, play_service_pb2_grpc

PING_SECONDS: Final = 10.0
# So many pings without any frame in between, and the line is dead.
_SILENT_PINGS: Final = 3


class StreamLost(Exception):
    """The stream has ended; ``complaint`` is what the server said, None when it just ended."""

    def __init__(self, message: str, complaint: Complaint | None = None) -> None:
        super().__init__(message)
        self.complaint = complaint


class PlayStream:
    """A stream on a channel of its own; closed at the end of an ``async with``."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._channel = server.channel()
        self._writing = asyncio.Lock()
        self._silent_pings = 0
        self._last_seq = 0
        self._call: Any = None

    async def __aenter__(self) -> "PlayStream":
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._channel.close(None)

    @property
    def last_seq(self) -> int:
        """Number of the last frame received in the session."""
        return self._last_seq

    async def open(self, hello: play_pb2.Hello) -> play_pb2.Welcome:
        """Say Hello and wait for the Welcome."""
        stub: Any = play_service_pb2_grpc.PlayServiceStub(self._channel)
        self._call = stub.Play(metadata=self._server.metadata)
        self._last_seq = hello.last_seq
        try:
            async with asyncio.timeout(CALL_SECONDS):
                await self.send(play_pb2.ClientFrame(hello=hello))
                frame = await self._read()
        except TimeoutError:
            raise StreamLost(f"no answer within {CALL_SECONDS:.0f} s") from None
        if frame.WhichOneof("body") != "welcome":
            raise StreamLost(f"the first frame is no Welcome but {frame.WhichOneof('body')}")
        if not frame.welcome.resumed:
            self._last_seq = 0
        return frame.welcome

    async def frames(self) -> AsyncGenerator[play_pb2.ServerFrame, None]:
        """Frames after the Welcome, each once, until ``StreamLost``."""
        beating = asyncio.create_task(self._beat())
        try:
            while True:
                frame = await self._read()
                if frame.pong.stamp:
                    await self._echo(frame.pong.stamp)
                if frame.seq and frame.seq <= self._last_seq:
                    continue
                self._last_seq = frame.seq or self._last_seq
                yield frame
        finally:
            beating.cancel()

    async def send(self, frame: play_pb2.ClientFrame) -> None:
        """Send a frame; when the stream is over, the reading side says so."""
        async with self._writing:
            try:
                await self._call.write(frame)
            except (grpc.RpcError, asyncio.InvalidStateError):
                return

    async def acknowledge(self) -> None:
        """Tell the server which frames have arrived."""
        await self.send(play_pb2.ClientFrame(ping=play_pb2.Ping(last_seq=self._last_seq)))

    async def _echo(self, stamp: int) -> None:
        """Send a stamp back at once, by which the server measures the line."""
        ping = play_pb2.Ping(last_seq=self._last_seq, stamp=stamp)
        await self.send(play_pb2.ClientFrame(ping=ping))

    async def _read(self) -> play_pb2.ServerFrame:
        try:
            frame = await self._call.read()
        except grpc.aio.AioRpcError as error:
            complaint = complaint_of(error)
            raise StreamLost(str(complaint), complaint) from None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # Cancelled by the heartbeat, which gRPC reports in the same way.
            raise StreamLost("the line is dead") from None
        if frame is EOF:
            raise StreamLost("the server ended the stream")
        self._silent_pings = 0
        assert isinstance(frame, play_pb2.ServerFrame)
        return frame

    async def _beat(self) -> None:
        """Ping; silence is counted in pings, so that a bot that thinks long is not taken for it."""
        while self._silent_pings < _SILENT_PINGS:
            await asyncio.sleep(PING_SECONDS)
            self._silent_pings += 1
            await self.acknowledge()
        self._call.cancel()
