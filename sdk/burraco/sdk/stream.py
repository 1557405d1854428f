"""One Play stream: opened with a Hello, it carries frames both ways and is known to be alive."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, Final

import grpc
import grpc.aio
from grpc.aio import EOF  # type: ignore[attr-defined]  # missing from the stubs

from burraco.sdk.calls import CALL_SECONDS, Server, complaint_of
from burraco.sdk.ordering import FrameOrder, StreamLost
from burraco.sdk.stopping import is_cancelled
from burraco.v1 import play_pb2, play_service_pb2_grpc

__all__ = ["PING_SECONDS", "PlayStream", "StreamLost"]

PING_SECONDS: Final = 10.0
# Not at once: what a server says before it ends a stream is lost when we write meanwhile.
_FIRST_PING_SECONDS: Final = 0.2
# So many pings without any frame in between, and the line is dead.
_SILENT_PINGS: Final = 3
# Servers keep what is not acknowledged, and not for ever: who hears much says often what has come.
ACKNOWLEDGED_EVERY: Final = 64
# How long a good-bye may take.
LEAVE_SECONDS: Final = 2.0


class PlayStream:
    """A stream on a channel of its own; the end of an ``async with`` says good-bye and closes it.

    A stream that was lost is closed without: its client comes back at once.
    """

    def __init__(self, server: Server, order: FrameOrder | None = None) -> None:
        self._server = server
        self._order = order or FrameOrder()
        self._channel = server.channel()
        self._writing = asyncio.Lock()
        self._silent_pings = 0
        self._has_greeted = False
        self._acknowledged = 0
        self._call: Any = None

    async def __aenter__(self) -> "PlayStream":
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        try:
            if kind is None or not issubclass(kind, StreamLost):
                await self._part()
        finally:
            await self._channel.close(None)

    @property
    def last_seq(self) -> int:
        """Number of the last frame received in the session."""
        return self._order.last_seq

    @property
    def is_heard(self) -> bool:
        """Whether the server may have our Hello, and listens."""
        return self._has_greeted and not self._call.done()

    async def open(self, hello: play_pb2.Hello) -> play_pb2.Welcome:
        """Say Hello and wait for the Welcome."""
        stub: Any = play_service_pb2_grpc.PlayServiceStub(self._channel)
        self._call = stub.Play(metadata=self._server.metadata)
        try:
            async with asyncio.timeout(CALL_SECONDS):
                # Set before: the server may have it while we do not know yet that it is sent.
                self._has_greeted = True
                await self.send(play_pb2.ClientFrame(hello=hello))
                frame = await self._read()
        except TimeoutError:
            raise StreamLost(f"no answer within {CALL_SECONDS:.0f} s") from None
        if frame.WhichOneof("body") != "welcome":
            raise StreamLost(f"the first frame is no Welcome but {frame.WhichOneof('body')}")
        self._order.greet(frame.welcome)
        self._acknowledged = self.last_seq
        return frame.welcome

    async def frames(self) -> AsyncGenerator[play_pb2.ServerFrame, None]:
        """Frames after the Welcome, each once and in order, until ``StreamLost``."""
        beating = asyncio.create_task(self._beat())
        try:
            while True:
                frame = await self._read()
                if frame.pong.stamp:
                    await self._echo(frame.pong.stamp)
                if self._order.take(frame):
                    yield frame
                if self.last_seq - self._acknowledged >= ACKNOWLEDGED_EVERY:
                    await self.acknowledge()
        finally:
            beating.cancel()

    async def send(self, frame: play_pb2.ClientFrame) -> None:
        """Send a frame; when the stream is over, the reading side says so."""
        async with self._writing:
            try:
                async with asyncio.timeout(CALL_SECONDS):
                    await self._call.write(frame)
            except (grpc.RpcError, asyncio.InvalidStateError):
                return
            except TimeoutError:
                # Nobody reads at the other end: what is given up while it is written ends the call.
                return
            except asyncio.CancelledError:
                if is_cancelled():
                    raise

    async def acknowledge(self) -> None:
        """Tell the server which frames have arrived."""
        self._acknowledged = self.last_seq
        await self.send(play_pb2.ClientFrame(ping=play_pb2.Ping(last_seq=self.last_seq)))

    async def leave(self) -> None:
        """Say good-bye; the server then ends the stream, as the reading side will see."""
        await self.acknowledge()
        await self.send(play_pb2.ClientFrame(leave=play_pb2.Leave()))
        await self._call.done_writing()

    async def _part(self) -> None:
        """Say good-bye where it can still be heard, and wait a little until it was."""
        if not self.is_heard:
            return
        try:
            async with asyncio.timeout(LEAVE_SECONDS):
                await self.leave()
                while await self._call.read() is not EOF:
                    pass
        except (TimeoutError, grpc.RpcError, asyncio.InvalidStateError):
            return
        except asyncio.CancelledError:
            if is_cancelled():
                raise

    async def _echo(self, stamp: int) -> None:
        """Send a stamp back at once, by which the server measures the line."""
        ping = play_pb2.Ping(last_seq=self.last_seq, stamp=stamp)
        await self.send(play_pb2.ClientFrame(ping=ping))

    async def _read(self) -> play_pb2.ServerFrame:
        try:
            frame = await self._call.read()
        except grpc.aio.AioRpcError as error:
            complaint = complaint_of(error)
            raise StreamLost(str(complaint), complaint) from None
        except asyncio.CancelledError:
            if is_cancelled():
                raise
            raise StreamLost("the line is dead") from None
        if frame is EOF:
            raise StreamLost("the server ended the stream")
        self._silent_pings = 0
        assert isinstance(frame, play_pb2.ServerFrame)
        return frame

    async def _beat(self) -> None:
        """Ping; silence is counted in pings, so that a bot that thinks long is not taken for it.

        The first goes out soon, so that the server knows the line from the beginning.
        """
        await asyncio.sleep(_FIRST_PING_SECONDS)
        while self._silent_pings < _SILENT_PINGS:
            self._silent_pings += 1
            await self.acknowledge()
            await asyncio.sleep(PING_SECONDS)
        self._call.cancel()
