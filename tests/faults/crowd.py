"""Many who misbehave at once: readers that never read, bots that all come back together."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc.aio
import psutil

from burraco.v1 import match_service_pb2, play_pb2
from burraco.v1 import match_service_pb2_grpc as match_service
from burraco.v1 import play_service_pb2_grpc as play_service
from tests.faults.bystander import NAME, Quickness, another_process, bystand
from tests.faults.guests import make_matches, register
from tests.faults.player import Player
from tests.faults.proxy import Proxy
from tests.faults.server import ServerProcess, serving_process
from tests.server.harness import bearer

_SEATS: Final = 4
_STREAMS_A_CONNECTION: Final = 20
_SECONDS: Final = 10.0
# So long that more has happened than a reader's window and outbox hold.
_WATCHED_SECONDS: Final = 40.0
_MIB: Final = 1 << 20
_DEADLINE: Final = 120.0
# Long enough that a match is watched by all of them until they are cut.
_DEALS: Final = 200


@dataclass(slots=True)
class Crowded:
    """Megabytes of the server, seconds, and how quick a bystander was."""

    quiet: Quickness
    crowded: Quickness
    returned: Quickness
    ends: Counter[str] = field(default_factory=Counter)
    memory: dict[str, float] = field(default_factory=dict)
    resumed: int = 0
    recovery: float = 0.0
    wrong: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """For a person."""
        times = (self.crowded.p99 / self.quiet.p99, self.returned.p99 / self.quiet.p99)
        return [
            f"bystander, quiet: {self.quiet}",
            f"bystander beside readers that never read: {self.crowded} ({times[0]:.2f} times)",
            f"bystander while bots return: {self.returned} ({times[1]:.2f} times)",
            "how those readers ended: " + ", ".join(f"{how} {n}" for how, n in self.ends.items()),
            f"bots back in their sessions: {self.resumed}, after {self.recovery:.1f} s",
            "server, MiB: " + ", ".join(f"{when} {size:.0f}" for when, size in self.memory.items()),
            f"violations {len(self.wrong)}",
            *self.wrong[:20],
        ]


async def crowd(folder: Path, readers: int, bots: int) -> Crowded:
    """Both crowds, one after the other, at one server."""
    async with serving_process(folder, None) as server:
        names = [f"bot{number}" for number in range(bots)]
        star, bystander, *tokens = await register(server, ["star", NAME, *names])
        seats = (server.organiser, bystander)
        memory = {"at first": _memory(server)}
        with another_process() as process:
            quiet = await bystand(process, server.address, seats, _SECONDS)
            memory["after a quiet match"] = _memory(server)
            playing = asyncio.create_task(bystand(process, server.address, seats, _WATCHED_SECONDS))
            ends = await _never_read(server, star, readers, memory)
            crowded = await playing
            playing = asyncio.create_task(bystand(process, server.address, seats, _SECONDS))
            resumed, recovery = await _return(server, names, tokens, memory)
            returned = await playing
        memory["at last"] = _memory(server)
        done = Crowded(quiet, crowded, returned, ends, memory, resumed, recovery)
        done.wrong += (*quiet.wrong, *crowded.wrong, *returned.wrong)
        if resumed < bots:
            done.wrong.append(f"{bots - resumed} bots did not get their sessions back")
        if server.faults():
            done.wrong.append(f"{server.faults()} internal errors")
        await server.stop()
    return done


def _memory(server: ServerProcess) -> float:
    return float(psutil.Process(server.pid).memory_info().rss) / _MIB


async def _never_read(
    server: ServerProcess, token: str, readers: int, memory: dict[str, float]
) -> Counter[str]:
    """Watch a match that is played, without reading; how each was ended."""
    (match_id,) = await make_matches(server, [["star"] * _SEATS], deals=_DEALS)
    async with AsyncExitStack() as stack:
        watching = []
        for start in range(0, readers, _STREAMS_A_CONNECTION):
            channel = await stack.enter_async_context(
                grpc.aio.insecure_channel(server.address, options=_apart(start))
            )
            stub = match_service.MatchServiceStub(channel)
            request = match_service_pb2.WatchMatchRequest(match_id=match_id)
            for _ in range(min(_STREAMS_A_CONNECTION, readers - start)):
                call: Any = stub.WatchMatch(request, metadata=bearer(server.organiser))
                watching.append(call)
        await _play_star(server, token, _WATCHED_SECONDS)
        memory[f"with {readers} readers that never read"] = _memory(server)
        ends = await asyncio.gather(*map(_read_to_the_end, watching))
    return Counter(ends)


def _apart(number: int) -> list[tuple[str, int]]:
    """Options that give a channel a connection of its own, and windows that do not grow."""
    return [
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.http2.bdp_probe", 0),
        ("burraco.number", number),
    ]


async def _read_to_the_end(call: Any) -> str:  # noqa: ANN401 - a call of any kind
    try:
        async with asyncio.timeout(_SECONDS):
            while await call.read() is not grpc.aio.EOF:  # type: ignore[attr-defined]  # in no stub
                pass
    except grpc.aio.AioRpcError as error:
        return error.code().name
    except TimeoutError:
        return "open"
    return "ended"


async def _play_star(server: ServerProcess, token: str, seconds: float) -> None:
    """Play what the others should watch."""
    player = Player("star", token, _SEATS)
    try:
        async with asyncio.timeout(seconds):
            await player.play(server.address)
    except TimeoutError:
        pass


async def _return(
    server: ServerProcess, names: Sequence[str], tokens: Sequence[str], memory: dict[str, float]
) -> tuple[int, float]:
    """Connect them all, break every connection, and connect them again."""
    fours = [names[at : at + _SEATS] for at in range(0, len(names), _SEATS)]
    await make_matches(server, fours)
    async with Proxy(server.port).running() as proxy, AsyncExitStack() as stack:
        first = await _connect(stack, proxy.address, [(token, "", 0) for token in tokens])
        memory[f"with {len(names)} bots"] = _memory(server)
        for link in tuple(proxy.links):
            link.cut()
        began = time.monotonic()
        again = await _connect(
            stack,
            proxy.address,
            [(token, welcome.session_id, 0) for token, welcome in zip(tokens, first, strict=True)],
        )
        recovery = time.monotonic() - began
        memory["once they are back"] = _memory(server)
    return sum(welcome.resumed for welcome in again), recovery


async def _connect(
    stack: AsyncExitStack, address: str, who: Sequence[tuple[str, str, int]]
) -> list[play_pb2.Welcome]:
    """Open a stream for each; gives their Welcomes."""
    opening = []
    for start in range(0, len(who), _STREAMS_A_CONNECTION):
        channel = await stack.enter_async_context(
            grpc.aio.insecure_channel(address, options=_apart(start))
        )
        stub = play_service.PlayServiceStub(channel)
        opening += [_hello(stub, *one) for one in who[start : start + _STREAMS_A_CONNECTION]]
    async with asyncio.timeout(_DEADLINE):
        return await asyncio.gather(*opening)


async def _hello(
    stub: play_service.PlayServiceStub, token: str, session: str, seq: int
) -> play_pb2.Welcome:
    """A Welcome, however often the server has no room for one more stream; bounded outside."""
    while True:
        call: Any = stub.Play(metadata=bearer(token))  # type: ignore[call-arg]  # written by hand
        hello = play_pb2.Hello(session_id=session, last_seq=seq)
        try:
            await call.write(play_pb2.ClientFrame(hello=hello))
            frame = await call.read()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            frame = None
        if isinstance(frame, play_pb2.ServerFrame) and frame.HasField("welcome"):
            return frame.welcome
        await asyncio.sleep(random.uniform(0.05, 0.2))
