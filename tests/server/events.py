"""Tournaments on a server in this process: who makes them, who plays, and how long to wait."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import grpc
import pytest

from burraco.tournament.rows import Row, row_from_json
from burraco.v1 import (
    match_service_pb2,
    play_pb2,
    tournament_service_pb2,
    tournament_service_pb2_grpc,
)
from burraco.v1 import tournaments_pb2 as pb
from tests.server.harness import Client, Metadata, Running, reason_of

SECRET = bytes(range(32))
FINISHED = pb.TOURNAMENT_STATUS_FINISHED
RUNNING = pb.TOURNAMENT_STATUS_RUNNING
ROUND_ROBIN = pb.TOURNAMENT_FORMAT_ROUND_ROBIN
_BOUND_SECONDS = 120


class Event:
    """One tournament, as its organiser sees it."""

    def __init__(self, running: Running, tournament_id: str = "t") -> None:
        self.running = running
        self.tournament_id = tournament_id
        self.stub = tournament_service_pb2_grpc.TournamentServiceStub(running.channel)
        self.organiser = running.organiser

    async def create(
        self,
        format: pb.TournamentFormat.ValueType = ROUND_ROBIN,
        *,
        rounds: int = 0,
        boards: int = 1,
        halves: int = 2,
        victory_points: bool = False,
        adjusted_allowed: int = 1,
        tables_at_once: int = 0,
        clock_preset: str = "club",
        question: pb.DuelQuestion | None = None,
        secret: bytes = SECRET,
        stages: Sequence[pb.TournamentStage] = (),
    ) -> pb.TournamentSummary:
        plan = pb.TournamentPlan(
            name="A test",
            stages=stages or [pb.TournamentStage(format=format, rounds=rounds)],
            boards=boards,
            halves=halves,
            victory_points=victory_points,
            adjusted_allowed=adjusted_allowed,
            question=question,
            tables_at_once=tables_at_once,
        )
        request = tournament_service_pb2.CreateTournamentRequest(
            tournament_id=self.tournament_id, plan=plan, secret=secret, clock_preset=clock_preset
        )
        made = await self.stub.CreateTournament(request, metadata=self.organiser)
        return made.tournament

    async def enter(
        self,
        *bots: str,
        name: str = "",
        owner: str = "",
        is_anchor: bool = False,
        who: Metadata | None = None,
    ) -> pb.TournamentEntry:
        request = tournament_service_pb2.EnterTournamentRequest(
            tournament_id=self.tournament_id,
            name=name,
            bots=bots,
            owner=owner,
            is_anchor=is_anchor,
        )
        made = await self.stub.EnterTournament(request, metadata=who or self.organiser)
        return made.entry

    async def start(self, version: int = 0) -> pb.TournamentSummary:
        request = tournament_service_pb2.StartTournamentRequest(
            tournament_id=self.tournament_id,
            expected_version=version or (await self.shown()).version,
        )
        made = await self.stub.StartTournament(request, metadata=self.organiser)
        return made.tournament

    async def withdraw(self, entry: int, who: Metadata | None = None) -> pb.TournamentSummary:
        request = tournament_service_pb2.WithdrawEntryRequest(
            tournament_id=self.tournament_id, entry=entry, reason="gone"
        )
        made = await self.stub.WithdrawEntry(request, metadata=who or self.organiser)
        return made.tournament

    async def pause(self, version: int = 0) -> pb.TournamentSummary:
        request = tournament_service_pb2.PauseTournamentRequest(
            tournament_id=self.tournament_id, expected_version=version, reason="lunch"
        )
        made = await self.stub.PauseTournament(request, metadata=self.organiser)
        return made.tournament

    async def resume(self, version: int = 0) -> pb.TournamentSummary:
        request = tournament_service_pb2.ResumeTournamentRequest(
            tournament_id=self.tournament_id, expected_version=version
        )
        made = await self.stub.ResumeTournament(request, metadata=self.organiser)
        return made.tournament

    async def cancel(self, version: int = 0) -> pb.TournamentSummary:
        request = tournament_service_pb2.CancelTournamentRequest(
            tournament_id=self.tournament_id, expected_version=version, reason="fire"
        )
        made = await self.stub.CancelTournament(request, metadata=self.organiser)
        return made.tournament

    async def requeue(self, table: int) -> pb.TournamentSummary:
        request = tournament_service_pb2.RequeueTableRequest(
            tournament_id=self.tournament_id,
            expected_version=(await self.shown()).version,
            table=table,
            reason="cards were seen",
        )
        made = await self.stub.RequeueTable(request, metadata=self.organiser)
        return made.tournament

    async def adjudicate(self, table: int, gains: tuple[int, int]) -> pb.TournamentSummary:
        request = tournament_service_pb2.AdjudicateTableRequest(
            tournament_id=self.tournament_id,
            expected_version=(await self.shown()).version,
            table=table,
            first_gain=gains[0],
            second_gain=gains[1],
            reason="agreed",
        )
        made = await self.stub.AdjudicateTable(request, metadata=self.organiser)
        return made.tournament

    async def shown(self) -> pb.TournamentSummary:
        request = tournament_service_pb2.GetTournamentRequest(tournament_id=self.tournament_id)
        shown = await self.stub.GetTournament(request, metadata=self.organiser)
        return shown.tournament

    async def standings(self) -> tournament_service_pb2.GetStandingsResponse:
        request = tournament_service_pb2.GetStandingsRequest(tournament_id=self.tournament_id)
        return await self.stub.GetStandings(request, metadata=self.organiser)

    async def pairings(self, number: int = 0) -> pb.TournamentRound:
        request = tournament_service_pb2.GetPairingsRequest(
            tournament_id=self.tournament_id, round=number
        )
        shown = await self.stub.GetPairings(request, metadata=self.organiser)
        return shown.round

    async def rows(self) -> list[Row]:
        """The log, as anybody may read it."""
        request = tournament_service_pb2.ExportTournamentRequest(tournament_id=self.tournament_id)
        call = self.stub.ExportTournament(request, metadata=self.organiser)
        return [row_from_json(row.kind, row.payload) async for row in call]

    async def until(self, *statuses: pb.TournamentStatus.ValueType) -> pb.TournamentSummary:
        """Watch until it is over, or as it was to be; gives what it was shown to be then."""
        request = tournament_service_pb2.WatchTournamentRequest(tournament_id=self.tournament_id)
        async with asyncio.timeout(_BOUND_SECONDS):
            call = self.stub.WatchTournament(request, metadata=self.organiser)
            shown = pb.TournamentSummary()
            async for state in call:
                shown = state.tournament
                if shown.status in statuses:
                    call.cancel()
                    break
        return shown


async def _play(client: Client) -> None:
    """Answer everything at once: greedily, or with the default where the name says so."""

    async def answer(decision: play_pb2.Decision) -> None:
        if client.name.startswith("plain"):
            await client.act(decision, *client.default(decision))
        else:
            await client.greedy(decision)

    while True:
        frame = await client.read()
        if frame.HasField("decision"):
            await answer(frame.decision)
        elif frame.HasField("verdict") and frame.verdict.HasField("next"):
            await answer(frame.verdict.next)


@asynccontextmanager
async def playing(running: Running, *names: str) -> AsyncIterator[Sequence[Client]]:
    """Bots that play whatever they are called to, while the block lasts."""
    await running.register(*(name for name in names if name not in running.tokens))
    clients = [await running.connect(name) for name in names]
    tasks = [asyncio.create_task(_play(client)) for client in clients]
    try:
        yield clients
    finally:
        for task, client in zip(tasks, clients, strict=True):
            task.cancel()
            client.close()
        await asyncio.gather(*tasks, return_exceptions=True)


async def entered(running: Running, *names: str, **plan: object) -> Event:
    """A tournament with an entry for every bot; none of them plays unless a test says so."""
    event = Event(running)
    await running.register(*(name for name in names if name not in running.tokens))
    await event.create(**plan)  # type: ignore[arg-type]  # as the test says
    for name in names:
        await event.enter(name)
    return event


async def settled(running: Running) -> None:
    """Wait until no match is left."""
    while len(running.arena.tables):
        await asyncio.sleep(0)


async def live(running: Running, matches: int) -> None:
    while len(running.arena.tables) < matches:
        await asyncio.sleep(0)


async def export(running: Running, match_id: str) -> str:
    request = match_service_pb2.ExportMatchRequest(match_id=match_id)
    shown = await running.matches.ExportMatch(request, metadata=running.organiser)
    return shown.bgn


async def decide_round(event: Event) -> None:
    """Let the first side of every table win, without playing."""
    for table in range(1, len((await event.pairings()).tables) + 1):
        await event.adjudicate(table, (100, -100))


async def refused(call: object) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call  # type: ignore[misc]  # any call
    return reason_of(error.value)
