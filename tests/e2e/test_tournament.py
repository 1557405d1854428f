"""A tournament of bots on a server that is killed again and again: the standings are the same."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import grpc.aio
import pytest

from burraco.bots.greedy import GreedyBot
from burraco.engine import DRAW_STOCK, Action, Discard, Phase, View
from burraco.sdk import Bot
from burraco.sdk.client import PlayPlan, play_bot
from burraco.sdk.organiser import Organiser
from burraco.v1 import tournament_service_pb2, tournament_service_pb2_grpc
from burraco.v1 import tournaments_pb2 as pb
from tests.faults.server import ServerProcess, serving_process
from tests.server.harness import bearer
from tests.server.postgres import Postgres

SECRET: Final = bytes(range(32))
# Where the server dies, one after the other, by the commits of its log since it was started.
MOMENTS: Final = ("worker.committed:kill:60", "worker.commit:kill:200")
_ROUNDS = 2
_BOUND_SECONDS = 300


class Thrower(Bot):
    """Draws, and throws its highest card away."""

    def decide(self, view: View) -> Action:
        """Meld nothing."""
        if view.phase is Phase.DRAW:
            return DRAW_STOCK
        return Discard(max(view.hand))


BOTS: Final[dict[str, type[Bot]]] = {
    "greedy": GreedyBot,
    "thrower": Thrower,
    "greedy-2": GreedyBot,
    "thrower-2": Thrower,
}


async def entered(server: ServerProcess) -> dict[str, str]:
    """Make a round robin, with an entry for every bot; gives their tokens."""
    organiser = bearer(server.organiser)
    async with Organiser(server.address, server.organiser) as by_sdk:
        tokens = {name: await by_sdk.register_bot(name) for name in BOTS}
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
        plan = pb.TournamentPlan(
            name="killed",
            stages=[pb.TournamentStage(format=pb.TOURNAMENT_FORMAT_ROUND_ROBIN, rounds=_ROUNDS)],
            boards=1,
            tables_at_once=4,
        )
        request = tournament_service_pb2.CreateTournamentRequest(
            tournament_id="t", plan=plan, secret=SECRET, clock_preset="club"
        )
        await stub.CreateTournament(request, metadata=organiser)
        for token in tokens.values():
            mine = tournament_service_pb2.EnterTournamentRequest(tournament_id="t")
            await stub.EnterTournament(mine, metadata=bearer(token))
        start = tournament_service_pb2.StartTournamentRequest(
            tournament_id="t", expected_version=1 + len(BOTS)
        )
        await stub.StartTournament(start, metadata=organiser)
    return tokens


async def finished(server: ServerProcess) -> None:
    """Wait until the tournament is over, whatever becomes of the connection."""
    request = tournament_service_pb2.WatchTournamentRequest(tournament_id="t")
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
        status = pb.TOURNAMENT_STATUS_UNSPECIFIED
        while status != pb.TOURNAMENT_STATUS_FINISHED:
            with suppress(grpc.aio.AioRpcError):
                call = stub.WatchTournament(
                    request, metadata=bearer(server.organiser), wait_for_ready=True
                )
                async for state in call:
                    status = state.tournament.status


async def died(server: ServerProcess) -> None:
    while server.is_running:
        await asyncio.sleep(0.02)


async def outcome(
    folder: Path, moments: Sequence[str], database: str | None = None
) -> tuple[bytes, list[str]]:
    """Standings and log of a tournament whose server dies at those moments, and at its start."""
    folder.mkdir()
    async with serving_process(folder, database) as server:
        tokens = await entered(server)
        if moments:
            await server.kill()
            await server.start(moments[0])
        playing = [
            asyncio.create_task(play_bot(bot, server.address, tokens[name], PlayPlan()))
            for name, bot in BOTS.items()
        ]
        try:
            async with asyncio.timeout(_BOUND_SECONDS):
                for moment in [*moments[1:], ""] if moments else []:
                    await died(server)
                    await server.start(moment)
                await finished(server)
                return await shown(server)
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)


async def shown(server: ServerProcess) -> tuple[bytes, list[str]]:
    organiser = bearer(server.organiser)
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
        wanted = tournament_service_pb2.GetStandingsRequest(tournament_id="t")
        standings = await stub.GetStandings(wanted, metadata=organiser)
        export = tournament_service_pb2.ExportTournamentRequest(tournament_id="t")
        call = stub.ExportTournament(export, metadata=organiser)
        rows = sorted([row.payload async for row in call])
    assert server.faults() == 0
    return standings.SerializeToString(deterministic=True), rows


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_a_server_that_is_killed_three_times_comes_to_the_same_standings(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    database = None
    if kind == "postgresql":
        server: Postgres = request.getfixturevalue("postgres")
        database = server.make_database().render_as_string(hide_password=False)
    undisturbed = await outcome(tmp_path / "undisturbed", ())
    killed = await outcome(tmp_path / "killed", MOMENTS, database)
    assert killed == undisturbed
    places = tournament_service_pb2.GetStandingsResponse.FromString(undisturbed[0]).places
    assert [place.deals for place in places] == [2 * _ROUNDS] * len(BOTS)
    assert {place.faults for place in places} == {0}
