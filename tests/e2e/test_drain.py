"""A server that is told to stop in the middle of matches, and started again: they all go on."""

import asyncio
from pathlib import Path

import grpc.aio

from burraco.server.journal import Acted
from burraco.server.recovery import fold, read_row
from burraco.server.store import LogRow
from burraco.server.store.choosing import choose_store
from burraco.server.terms import MatchState, PlayedBy, SeatEnd
from burraco.v1 import (
    bot_service_pb2,
    bot_service_pb2_grpc,
    match_service_pb2,
    match_service_pb2_grpc,
    matches_pb2,
)
from tests.faults.history import violations
from tests.faults.player import APPLIED, Player
from tests.faults.server import ServerProcess, serving_process
from tests.server.harness import bearer

NAMES = ("n", "e", "s", "w")
MATCHES = ("m1", "m2", "m3", "m4", "m5", "m6")
# Longer than any stop and start takes, so that only time that is wrongly charged could run out.
CLOCKS = matches_pb2.ClockTerms(
    turn_ms=5_000, bank_ms=60_000, warmup_ms=60_000, disconnect_ms=60_000
)
_EXIT_SECONDS = 20
_BOUND_SECONDS = 240


async def seated(server: ServerProcess) -> list[Player]:
    async with grpc.aio.insecure_channel(server.address) as channel:
        organiser = bearer(server.organiser)
        bots = bot_service_pb2_grpc.BotServiceStub(channel)
        requests = [bot_service_pb2.RegisterBotRequest(name=name) for name in NAMES]
        made = [await bots.RegisterBot(request, metadata=organiser) for request in requests]
        matches = match_service_pb2_grpc.MatchServiceStub(channel)
        for match_id in MATCHES:
            request = match_service_pb2.CreateMatchRequest(
                match_id=match_id, players=NAMES, deals=2, clocks=CLOCKS
            )
            await matches.CreateMatch(request, metadata=organiser)
    return [Player(name, one.token, len(MATCHES)) for name, one in zip(NAMES, made, strict=True)]


async def logs(folder: Path) -> dict[str, list[LogRow]]:
    store = choose_store(None, folder / "data" / "burraco.db")
    await store.open()
    try:
        return {match_id: await store.log(match_id) for match_id in MATCHES}
    finally:
        await store.close()


def played(log: list[LogRow]) -> list[Acted]:
    return [row for row in map(read_row, log) if isinstance(row, Acted)]


async def test_a_server_that_is_stopped_in_the_middle_goes_on_with_every_match(
    tmp_path: Path,
) -> None:
    async with serving_process(tmp_path, None) as server:
        players = await seated(server)
        playing = [asyncio.create_task(player.play(server.address)) for player in players]
        async with asyncio.timeout(_BOUND_SECONDS):
            while min(len(player.journal.verdicts) for player in players) < 10 * len(MATCHES):
                await asyncio.sleep(0.01)
        async with asyncio.timeout(_EXIT_SECONDS):
            assert await server.stop() == 0
        stopped = await logs(tmp_path)
        acknowledged = {
            action_id
            for player in players
            for action_id, kinds in player.journal.verdicts.items()
            if APPLIED in kinds
        }
        stored = {row.action_id for log in stopped.values() for row in played(log)}
        assert acknowledged <= stored
        assert {fold(log)[0].state for log in stopped.values()} == {MatchState.RUNNING}
        await server.start()
        async with asyncio.timeout(_BOUND_SECONDS):
            await asyncio.gather(*playing)
        async with asyncio.timeout(_EXIT_SECONDS):
            assert await server.stop() == 0
        assert server.faults() == 0
    ended = await logs(tmp_path)
    assert list(violations(ended, [player.journal for player in players])) == []
    for match_id, log in ended.items():
        assert log[: len(stopped[match_id])] == stopped[match_id]
        assert {row.by for row in played(log)} == {PlayedBy.BOT}
        assert {chair.outcome for chair in fold(log)[0].chairs} == {SeatEnd.CLEAN}
    assert all(player.journal.connections > 1 for player in players)
