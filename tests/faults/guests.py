"""A server process that is only used: its organiser makes bots for it."""

from collections.abc import Sequence

import grpc.aio

from burraco.v1 import bot_service_pb2, bot_service_pb2_grpc, match_service_pb2, matches_pb2
from burraco.v1 import match_service_pb2_grpc as match_service
from tests.faults.server import ServerProcess
from tests.server.harness import bearer


async def register(server: ServerProcess, names: Sequence[str]) -> list[str]:
    """Tokens of new bots."""
    async with grpc.aio.insecure_channel(server.address) as channel:
        bots = bot_service_pb2_grpc.BotServiceStub(channel)
        organiser = bearer(server.organiser)
        return [
            (
                await bots.RegisterBot(
                    bot_service_pb2.RegisterBotRequest(name=name), metadata=organiser
                )
            ).token
            for name in names
        ]


async def make_matches(
    server: ServerProcess, seats: Sequence[Sequence[str]], *, deals: int = 1
) -> list[str]:
    """A match without clocks for each four of bots; gives their ids."""
    async with grpc.aio.insecure_channel(server.address) as channel:
        matches = match_service.MatchServiceStub(channel)
        made = [
            await matches.CreateMatch(
                match_service_pb2.CreateMatchRequest(
                    players=players, deals=deals, clocks=matches_pb2.ClockTerms()
                ),
                metadata=bearer(server.organiser),
            )
            for players in seats
        ]
    return [one.match.match_id for one in made]
