"""A tournament of bots, two of them misbehaving, on a server that is killed at random moments.

The bots answer by the question alone. A bot that counts cards by the events it is told, as ``club``
does, is told after a restart how many it has missed, and rightly plays otherwise from then on.
"""

import asyncio
import time
import zlib
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Final

import grpc.aio
import psutil

from burraco.bots.registry import house_bot
from burraco.engine import View
from burraco.sdk import Answer, Bot
from burraco.sdk.client import PlayPlan, play_bot
from burraco.sdk.organiser import Organiser
from burraco.v1 import matches_pb2, tournament_service_pb2, tournament_service_pb2_grpc
from burraco.v1 import tournaments_pb2 as pb
from tests.e2e.test_tournament import SECRET, finished, shown
from tests.faults.server import ServerProcess, serving_process
from tests.server.harness import bearer

ROSTER: Final = ("random", "random", "greedy", "greedy", "club", "club", "illegal", "sleeping")
# Short, so that who sleeps is soon known to; long enough for who only waits for a processor.
CLOCKS: Final = matches_pb2.ClockTerms(
    turn_ms=2_000, bank_ms=0, warmup_ms=1_000, disconnect_ms=60_000
)
FAULTS: Final = matches_pb2.FaultTerms(illegal_retries=2, strikes=1)
# Between two kills; some come while the server finds its matches again, some let a clock run out.
GAP_SECONDS: Final = (0.1, 6.0)
_TABLES_AT_ONCE: Final = 8
_HALVES: Final = 2


@dataclass(frozen=True, slots=True)
class EventPlan:
    """What is to be held, and for how many seconds at most."""

    bots: Sequence[str] = ROSTER
    boards: int = 1
    kills: int = 20
    seed: int = 1
    seconds: float = 1_200


@dataclass(slots=True)
class Held:
    """A tournament that was played to its end; the processors' seconds leave its start out."""

    standings: bytes = b""
    rows: list[str] = field(default_factory=list)
    matches: int = 0
    kills: int = 0
    seconds: float = 0.0
    server_seconds: float = 0.0
    client_seconds: float = 0.0

    def lines(self, name: str) -> Iterator[str]:
        """What it came to."""
        places = tournament_service_pb2.GetStandingsResponse.FromString(self.standings).places
        faults = sum(place.faults for place in places)
        yield (
            f"{name}: {self.kills} kills, {len(self.rows)} rows, {self.matches} matches,"
            f" a side at fault {faults} times, in {self.seconds:.1f} s"
        )
        if not self.kills:
            used = self.server_seconds + self.client_seconds
            yield (
                f"  {60 * self.matches / self.seconds:.0f} matches a minute (a board has"
                f" {_HALVES}); processors: server {self.server_seconds:.1f} s, bots"
                f" {self.client_seconds:.1f} s, so {100 * self.server_seconds / used:.0f} % are the"
                " server's"
            )


def forgetful(kind: str) -> type[Bot]:
    """A house bot that is made anew for every question, and answers it alike when asked again."""
    original = house_bot(kind)

    class Forgetful(Bot):
        """Knows what a question holds, except for the events before it."""

        def decide(self, view: View) -> Answer | Awaitable[Answer]:
            """Ask a new one; those that play by chance draw by match and view."""
            mark = zlib.crc32(repr(view).encode())
            fresh = original()
            fresh.table = replace(self.table, match_id=f"{self.table.match_id}/{mark}", events=())
            fresh.start(fresh.table)
            return fresh.decide(view)

    return Forgetful


async def hold(folder: Path, database: str | None, plan: EventPlan, kills: int) -> Held:
    """Hold a tournament, with so many kills of the server while it is played."""
    folder.mkdir()
    held, names = Held(), _names(plan.bots)
    async with asyncio.timeout(plan.seconds), serving_process(folder, database) as server:
        tokens = await _opened(server, plan, names)
        began, used, mine = time.monotonic(), _processor_seconds(server), time.process_time()
        async with asyncio.TaskGroup() as group:
            playing = [
                group.create_task(play_bot(forgetful(kind), server.address, token, PlayPlan()))
                for kind, token in zip(plan.bots, tokens, strict=True)
            ]
            held.kills = await _struck(server, kills, Random(plan.seed))
            held.seconds = time.monotonic() - began
            held.server_seconds = _processor_seconds(server) - used
            held.client_seconds = time.process_time() - mine
            held.standings, held.rows = await shown(server)
            for task in playing:
                task.cancel()
        held.matches = await _matches(server)
    return held


def differences(undisturbed: Held, killed: Held) -> Iterator[str]:
    """Where two tournaments of the same secret came to different things."""
    if undisturbed.standings != killed.standings:
        yield "the standings differ"
    for one, other in zip_longest(undisturbed.rows, killed.rows, fillvalue="no row"):
        if one != other:
            yield f"undisturbed: {one}\n    killed: {other}"


async def _struck(server: ServerProcess, kills: int, chance: Random) -> int:
    """Kill and start it until that was often enough or all is played; gives how often it was."""
    over = asyncio.create_task(finished(server))
    try:
        for done in range(kills):
            await asyncio.wait((over,), timeout=chance.uniform(*GAP_SECONDS))
            if over.done():
                return done
            await server.kill()
            await server.start()
        await over
        return kills
    finally:
        over.cancel()


def _names(kinds: Sequence[str]) -> list[str]:
    return [f"{kind}-{number}" for number, kind in enumerate(kinds, start=1)]


async def _opened(server: ServerProcess, plan: EventPlan, names: Sequence[str]) -> list[str]:
    """A round robin that has begun, with an entry for every bot; gives their tokens."""
    organiser = bearer(server.organiser)
    async with Organiser(server.address, server.organiser) as by_sdk:
        tokens = [await by_sdk.register_bot(name) for name in names]
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
        await stub.CreateTournament(_creation(plan), metadata=organiser)
        for token in tokens:
            mine = tournament_service_pb2.EnterTournamentRequest(tournament_id="t")
            await stub.EnterTournament(mine, metadata=bearer(token))
        start = tournament_service_pb2.StartTournamentRequest(
            tournament_id="t", expected_version=1 + len(names)
        )
        await stub.StartTournament(start, metadata=organiser)
    return tokens


def _creation(plan: EventPlan) -> tournament_service_pb2.CreateTournamentRequest:
    return tournament_service_pb2.CreateTournamentRequest(
        tournament_id="t",
        plan=pb.TournamentPlan(
            name="killed",
            stages=[pb.TournamentStage(format=pb.TOURNAMENT_FORMAT_ROUND_ROBIN)],
            boards=plan.boards,
            halves=_HALVES,
            tables_at_once=_TABLES_AT_ONCE,
        ),
        secret=SECRET,
        clocks=CLOCKS,
        faults=FAULTS,
    )


async def _matches(server: ServerProcess) -> int:
    async with Organiser(server.address, server.organiser) as organiser:
        return len([match.match_id async for match in organiser.matches()])


def _processor_seconds(server: ServerProcess) -> float:
    """What the server process that runs now, with its own children, has used of a processor."""
    process = psutil.Process(server.pid)
    times = [each.cpu_times() for each in (process, *process.children(recursive=True))]
    return sum(used.user + used.system for used in times)
