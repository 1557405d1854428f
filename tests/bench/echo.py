"""An echo stream over the same transport: the ceiling for decisions a server can serve.

``python -m tests.bench.echo READY_FILE`` answers every Ping of `PlayService.Play` with a Pong and
knows no game. ``echo_rate`` starts it as a process and asks as fast as it can.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import grpc.aio

from burraco.v1 import play_pb2, play_service_pb2_grpc

_STREAMS = 4
_IN_FLIGHT = 50


@dataclass(frozen=True, slots=True)
class Rate:
    """Messages answered, seconds on the wall, and seconds of the server's processor time."""

    messages: int
    seconds: float
    server_cpu: float

    @property
    def per_second(self) -> float:
        """Messages a second."""
        return self.messages / self.seconds

    @property
    def cpu_each(self) -> float:
        """Seconds of server processor time for one message."""
        return self.server_cpu / self.messages


def echo_rate(messages: int) -> Rate:
    """Start an echo server, exchange so many messages over four streams, stop it."""
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready.json"
        server = subprocess.Popen([sys.executable, "-m", "tests.bench.echo", str(ready)])
        try:
            return asyncio.run(_exchange(_address(server, ready), server.pid, messages))
        finally:
            server.terminate()
            server.wait()


def cpu_seconds(pid: int) -> float:
    """Processor time of a process so far, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _address(server: subprocess.Popen[bytes], ready: Path) -> str:
    deadline = time.monotonic() + 30
    while not ready.exists():
        if server.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the echo server did not start")
        time.sleep(0.02)
    return str(json.loads(ready.read_text())["address"])


async def _exchange(address: str, pid: int, messages: int) -> Rate:
    async with grpc.aio.insecure_channel(address) as channel:
        stub = play_service_pb2_grpc.PlayServiceStub(channel)
        await asyncio.gather(*(_talk(stub, 200) for _ in range(_STREAMS)))
        cpu, began = cpu_seconds(pid), time.perf_counter()
        await asyncio.gather(*(_talk(stub, messages // _STREAMS) for _ in range(_STREAMS)))
        return Rate(messages, time.perf_counter() - began, cpu_seconds(pid) - cpu)


async def _talk(stub: play_service_pb2_grpc.PlayServiceStub, messages: int) -> None:
    """Keep a number of questions in flight on one stream until enough are answered."""
    call = stub.Play()  # type: ignore[call-arg]  # frames are written one by one
    asked = 0
    for _ in range(min(_IN_FLIGHT, messages)):
        asked += 1
        await call.write(_ping(asked))
    for _ in range(messages):
        await call.read()
        if asked < messages:
            asked += 1
            await call.write(_ping(asked))
    await call.done_writing()


def _ping(nonce: int) -> play_pb2.ClientFrame:
    return play_pb2.ClientFrame(ping=play_pb2.Ping(nonce=nonce))


async def _echo(
    frames: AsyncIterator[play_pb2.ClientFrame],
    context: "grpc.aio.ServicerContext[play_pb2.ClientFrame, play_pb2.ServerFrame]",
) -> None:
    async for frame in frames:
        pong = play_pb2.Pong(nonce=frame.ping.nonce)
        await context.write(play_pb2.ServerFrame(pong=pong))


async def _serve(ready: Path) -> None:
    server = grpc.aio.server()
    play = grpc.stream_stream_rpc_method_handler(
        _echo, play_pb2.ClientFrame.FromString, play_pb2.ServerFrame.SerializeToString
    )
    handlers = grpc.method_handlers_generic_handler("burraco.v1.PlayService", {"Play": play})
    server.add_generic_rpc_handlers((handlers,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    partial = ready.with_suffix(".part")
    partial.write_text(json.dumps({"address": f"127.0.0.1:{port}"}))
    partial.rename(ready)
    await server.wait_for_termination()


if __name__ == "__main__":
    try:
        import uvloop
    except ImportError:
        asyncio.run(_serve(Path(sys.argv[1])))
    else:
        uvloop.run(_serve(Path(sys.argv[1])))
