"""Many who misbehave at once: readers that never read, bots that all come back together."""

import asyncio
import os
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
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
_CROWD_NICE: Final = 10
_MIB: Final = 1 << 20
_DEADLINE: Final = 120.0
# Long enough that a match is watched by all of them until they are cut.
_DEALS: Final = 200


@dataclass(slots=True)
class Crowded:
    """Megabytes of the server, seconds, and how quick a bystander was.

    ``elsewhere`` and ``here`` say so beside each crowd: one at another server of the same machine,
    which takes as much of its processors, and one at the bystander's own.
    """

    quiet: Quickness
    elsewhere: dict[str, Quickness] = field(default_factory=dict)
    here: dict[str, Quickness] = field(default_factory=dict)
    ends: Counter[str] = field(default_factory=Counter)
    memory: dict[str, float] = field(default_factory=dict)
    resumed: int = 0
    recovery: float = 0.0
    wrong: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """For a person."""
        return [
            f"bystander, quiet: {self.quiet}",
            *(line for kind in self.here for line in self._lines_of(kind)),
            "how those readers ended: " + ", ".join(f"{how} {n}" for how, n in self.ends.items()),
            f"bots back in their sessions: {self.resumed}, after {self.recovery:.1f} s",
            "server, MiB: " + ", ".join(f"{when} {size:.0f}" for when, size in self.memory.items()),
            f"violations {len(self.wrong)}",
            *self.wrong[:20],
        ]

    def _lines_of(self, kind: str) -> list[str]:
        elsewhere, here = self.elsewhere[kind], self.here[kind]
        return [
            f"bystander beside {kind} at another server: {elsewhere}"
            f" ({elsewhere.p99 / self.quiet.p99:.2f} times)",
            f"bystander beside {kind}: {here} ({here.p99 / self.quiet.p99:.2f} times,"
            f" {here.p99 / elsewhere.p99:.2f} times that at another server)",
        ]


_READERS: Final = "readers that never read"
_RETURNING: Final = "bots that return"


async def crowd(folder: Path, readers: int, bots: int) -> Crowded:
    """Both crowds, one after the other, first at a server beside that of the bystander."""
    async with _server(folder / "here") as server, _server(folder / "elsewhere") as other:
        (bystander,) = await register(server, [NAME])
        seats = (server.organiser, bystander)
        with another_process() as process:
            done = Crowded(await bystand(process, server.address, seats, _SECONDS))
            # From here on this process is the crowd: it takes what the others leave of a processor.
            os.nice(_CROWD_NICE)
            for place in (other, server):
                names = [f"bot{number}" for number in range(bots)]
                star, *tokens = await register(place, ["star", *names])
                quick = done.here if place is server else done.elsewhere
                done.memory = {"at first": _memory(place)}
                playing = asyncio.create_task(
                    bystand(process, server.address, seats, _WATCHED_SECONDS)
                )
                done.ends = await _never_read(place, star, readers, done.memory)
                quick[_READERS] = await playing
                playing = asyncio.create_task(bystand(process, server.address, seats, _SECONDS))
                done.resumed, done.recovery = await _return(place, names, tokens, done.memory)
                quick[_RETURNING] = await playing
            done.memory["at last"] = _memory(server)
        _find_faults(done, bots, server)
        await server.stop()
        await other.stop()
    return done


@asynccontextmanager
async def _server(folder: Path) -> AsyncIterator[ServerProcess]:
    folder.mkdir()
    async with serving_process(folder, None) as server:
        yield server


def _find_faults(done: Crowded, bots: int, server: ServerProcess) -> None:
    for quick in (done.quiet, *done.elsewhere.values(), *done.here.values()):
        done.wrong += quick.wrong
    if done.resumed < bots:
        done.wrong.append(f"{bots - done.resumed} bots did not get their sessions back")
    if server.faults():
        done.wrong.append(f"{server.faults()} internal errors")


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
