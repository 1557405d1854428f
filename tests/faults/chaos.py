"""Matches under a server that is killed and connections that break, and what is left of them."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

import grpc.aio

from burraco.server.store import LogRow
from burraco.server.store.choosing import choose_store
from burraco.v1 import (
    bot_service_pb2,
    bot_service_pb2_grpc,
    match_service_pb2,
    match_service_pb2_grpc,
    matches_pb2,
    rules_pb2,
)
from tests.faults.history import violations
from tests.faults.moments import Matrix
from tests.faults.player import PATIENCE_SECONDS, Journal, Player
from tests.faults.proxy import Fault, Manner, Proxy
from tests.faults.server import ServerProcess, serving_process
from tests.faults.torment import Strokes, Torment
from tests.server.harness import bearer
from tests.server.postgres import Postgres

PRESETS: Final = ("classic", "fibur", "international", "online")
SEATS: Final = 4
# A connection is struck within its first bytes: a deal is about 400 KB to each bot.
_STRIKE_WITHIN: Final = 60_000


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to happen in all.

    ``cuts`` break connections after some bytes, ``disconnects`` is for each moment and manner.
    """

    matches: int
    deals: int = 2
    cuts: int = 0
    disconnects: int = 0
    strokes: Strokes = field(default_factory=Strokes)
    seed: int = 1
    seconds: float = 600
    patience: float = PATIENCE_SECONDS


@dataclass(slots=True)
class Outcome:
    """What came of it; ``wrong`` is empty when every promise was kept."""

    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def lines(self) -> list[str]:
        """For a person."""
        told = ", ".join(f"{name} {count}" for name, count in self.counts.items())
        return [f"{told}; violations {len(self.wrong)}; {self.seconds:.0f} s", *self.wrong[:20]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server keeps what it has: in a folder, or in a database of a PostgreSQL server."""

    folder: Path
    postgres: Postgres | None = None
    database: str | None = None


async def chaos(place: Place, plan: Plan) -> Outcome:
    """Play the matches through it all, then hold the journals against the log."""
    began = time.monotonic()
    logs, journals, outcome = await play_through(place, plan)
    outcome.wrong += violations(logs, journals)
    _count(outcome, logs, journals)
    outcome.seconds = time.monotonic() - began
    return outcome


async def play_through(
    place: Place, plan: Plan
) -> tuple[dict[str, list[LogRow]], list[Journal], Outcome]:
    """Play the matches through it all; gives the logs and what the bots wrote down."""
    chance, outcome = Random(plan.seed), Outcome()
    async with serving_process(place.folder, place.database) as server:
        players = await _seat(server, plan)
        torment = Torment(server, place.postgres, players, chance)
        async with _doors(server, plan, chance, outcome, players) as doors:
            playing = [
                asyncio.create_task(player.play(door))
                for player, door in zip(players, doors, strict=True)
            ]
            try:
                async with asyncio.timeout(plan.seconds):
                    await torment.run(plan.strokes, plan.matches * plan.deals)
                    await asyncio.gather(*playing)
            except TimeoutError:
                outcome.wrong += _unfinished(players)
            finally:
                for task in playing:
                    task.cancel()
                await asyncio.gather(*playing, return_exceptions=True)
        await server.stop()
    outcome.counts += torment.counts
    outcome.wrong += torment.wrong
    faults = server.faults()
    outcome.counts["internal errors"] = faults
    if faults > torment.raised:
        outcome.wrong.append(f"{faults} internal errors, and {torment.raised} were planted")
    journals = [player.journal for player in players]
    return await _read_logs(place, plan), journals, outcome


def _unfinished(players: Iterable[Player]) -> list[str]:
    return [
        f"{player.journal.name}: time is up and {len(player.journal.ended)} matches have ended"
        for player in players
        if not player.is_done
    ]


async def _seat(server: ServerProcess, plan: Plan) -> list[Player]:
    async with grpc.aio.insecure_channel(server.address) as channel:
        organiser = bearer(server.organiser)
        bots = bot_service_pb2_grpc.BotServiceStub(channel)
        names = [f"journal{seat}" for seat in range(SEATS)]
        made = [
            await bots.RegisterBot(
                bot_service_pb2.RegisterBotRequest(name=name), metadata=organiser
            )
            for name in names
        ]
        matches = match_service_pb2_grpc.MatchServiceStub(channel)
        for number in range(plan.matches):
            request = match_service_pb2.CreateMatchRequest(
                match_id=f"m{number}",
                rules=rules_pb2.RulesChoice(preset=PRESETS[number % len(PRESETS)]),
                players=names[number % SEATS :] + names[: number % SEATS],
                deals=plan.deals,
                # No clock: what is lost here is lost by the server, and by nothing else.
                clocks=matches_pb2.ClockTerms(),
            )
            await matches.CreateMatch(request, metadata=organiser)
    return [Player(name, one.token, plan.matches) for name, one in zip(names, made, strict=True)]


@asynccontextmanager
async def _doors(
    server: ServerProcess, plan: Plan, chance: Random, outcome: Outcome, players: Sequence[Player]
) -> AsyncIterator[list[str]]:
    """The address each bot is to call, that of a proxy of its own which has faults to give."""
    left = plan.cuts

    def next_fault() -> Fault | None:
        nonlocal left
        if not left:
            return None
        left -= 1
        manner = tuple(Manner)[left % len(Manner)]
        outcome.counts[manner] += 1
        return Fault(manner, chance.randrange(_STRIKE_WITHIN), upstream=chance.random() < 0.5)

    matrix = Matrix(plan.disconnects, chance)
    async with AsyncExitStack() as stack:
        proxies = [
            await stack.enter_async_context(Proxy(server.port, next_fault).running())
            for _ in players
        ]
        for player, proxy in zip(players, proxies, strict=True):
            player.at, player.patience = matrix.hook(proxy), plan.patience
        yield [proxy.address for proxy in proxies]
    for (moment, manner), times in matrix.struck.items():
        outcome.counts[moment] += times
        outcome.counts[manner] += times


async def _read_logs(place: Place, plan: Plan) -> dict[str, list[LogRow]]:
    store = choose_store(place.database, place.folder / "data" / "burraco.db")
    await store.open()
    try:
        return {f"m{at}": await store.log(f"m{at}") for at in range(plan.matches)}
    finally:
        await store.close()


def _count(outcome: Outcome, logs: dict[str, list[LogRow]], journals: Sequence[Journal]) -> None:
    outcome.counts["matches"] = len(logs)
    outcome.counts["acts"] = sum(len(journal.acts) for journal in journals)
    outcome.counts["connections"] = sum(journal.connections for journal in journals)
    outcome.counts["snapshots"] = sum(journal.snapshots for journal in journals)
    outcome.counts["put off"] = sum(journal.put_off for journal in journals)
    outcome.counts["resumed"] = sum(journal.resumed for journal in journals)
