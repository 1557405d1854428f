"""Matches under a server that is killed and connections that break, and what is left of them."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
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
from tests.faults.player import Journal, Player
from tests.faults.proxy import Fault, Manner, Proxy
from tests.faults.server import ServerProcess, serving_process
from tests.server.harness import bearer

PRESETS: Final = ("classic", "fibur", "international", "online")
SEATS: Final = 4
# A connection is struck within its first bytes: a deal is about 400 KB to each bot.
_STRIKE_WITHIN: Final = 60_000


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to happen: kills and freezes of the server, faults of connections, in all.

    ``fail_point`` is armed once the matches are made (``burraco.server.failpoints``).
    """

    matches: int
    kills: int = 0
    freezes: int = 0
    cuts: int = 0
    deals: int = 2
    seed: int = 1
    seconds: float = 600
    fail_point: str = ""


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


async def chaos(folder: Path, database: str | None, plan: Plan) -> Outcome:
    """Play the matches through it all, then hold the journals against the log."""
    began = time.monotonic()
    logs, journals, outcome = await play_through(folder, database, plan)
    outcome.wrong += violations(logs, journals)
    _count(outcome, logs, journals)
    outcome.seconds = time.monotonic() - began
    return outcome


async def play_through(
    folder: Path, database: str | None, plan: Plan
) -> tuple[dict[str, list[LogRow]], list[Journal], Outcome]:
    """Play the matches through it all; gives the logs and what the bots wrote down."""
    chance, outcome = Random(plan.seed), Outcome()
    async with serving_process(folder, database) as server:
        players = await _seat(server, plan)
        async with asyncio.timeout(plan.seconds), _proxied(server, plan, chance, outcome) as door:
            playing = [asyncio.create_task(player.play(door())) for player in players]
            reviving = asyncio.create_task(_fail_once(server, plan, outcome))
            try:
                await _torment(server, plan, chance, outcome, players)
                await asyncio.gather(*playing)
            finally:
                for task in (*playing, reviving):
                    task.cancel()
        await server.stop()
    journals = [player.journal for player in players]
    return await _read_logs(folder, database, plan), journals, outcome


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
async def _proxied(
    server: ServerProcess, plan: Plan, chance: Random, outcome: Outcome
) -> AsyncIterator[Callable[[], str]]:
    """The address bots are to call: the server's own, or a proxy's that has faults to give."""
    left = plan.cuts

    def next_fault() -> Fault | None:
        nonlocal left
        if not left:
            return None
        left -= 1
        manner = tuple(Manner)[left % len(Manner)]
        outcome.counts[manner] += 1
        return Fault(manner, chance.randrange(_STRIKE_WITHIN), upstream=chance.random() < 0.5)

    if not plan.cuts:
        with nullcontext():
            yield lambda: server.address
        return
    async with Proxy(server.port, next_fault).running() as proxy:
        yield lambda: f"127.0.0.1:{proxy.port}"


async def _fail_once(server: ServerProcess, plan: Plan, outcome: Outcome) -> None:
    """Start the server anew with its fail point, and once more when that has killed it."""
    if not plan.fail_point:
        return
    await server.kill()
    if await server.start(plan.fail_point):
        await server.dead()
    outcome.counts["died"] += 1
    await server.start()


async def _torment(
    server: ServerProcess,
    plan: Plan,
    chance: Random,
    outcome: Outcome,
    players: Sequence[Player],
) -> None:
    """Kill and freeze the server, each time after some more acts have been sent."""
    strokes = ["kills"] * plan.kills + ["freezes"] * plan.freezes
    chance.shuffle(strokes)
    for stroke in strokes:
        await _after_more_acts(players, chance.randint(1, 120))
        if all(player.is_done for player in players):
            break
        outcome.counts[stroke] += 1
        if stroke == "freezes":
            await server.freeze(chance.uniform(0.1, 1.0))
            continue
        await server.kill()
        await server.start()


async def _after_more_acts(players: Sequence[Player], more: int) -> None:
    due = more + _acts(players)
    while _acts(players) < due and not all(player.is_done for player in players):
        await asyncio.sleep(0.005)


def _acts(players: Sequence[Player]) -> int:
    return sum(len(player.journal.acts) for player in players)


async def _read_logs(folder: Path, database: str | None, plan: Plan) -> dict[str, list[LogRow]]:
    store = choose_store(database, folder / "data" / "burraco.db")
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
    outcome.counts["resumed"] = sum(journal.resumed for journal in journals)
