"""A server on the loopback that answers what is asked of tournaments as a test says."""

import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc
import grpc.aio
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from burraco.engine import preset
from burraco.v1 import (
    match_service_pb2_grpc,
    matches_pb2,
    tournament_service_pb2_grpc,
    tournaments_pb2,
)
from burraco.v1 import tournament_service_pb2 as pb
from burraco.wire import rules_to_wire
from tests.sdk.fake_server import Context, Field, Matches, Message


class Refused(Exception):
    """What a test wants a call to be refused with."""

    def __init__(self, code: grpc.StatusCode, reason: str = "", **facts: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.facts = facts


async def refuse(refused: Refused, context: Context) -> None:
    """End a call as our servers do."""
    detail = any_pb2.Any()
    detail.Pack(
        error_details_pb2.ErrorInfo(reason=refused.reason, domain="burraco", metadata=refused.facts)
    )
    status = status_pb2.Status(
        code=refused.code.value[0], message=f"said {refused.reason}", details=[detail]
    )
    await context.abort_with_status(rpc_status.to_status(status))


def _answering(name: str) -> Callable[..., Any]:
    async def answer(self: "Events", request: Message, context: Context) -> Message:
        given = self.next_answer(name, request)
        if isinstance(given, Refused):
            await refuse(given, context)
        return given

    return answer


def _streaming(name: str) -> Callable[..., Any]:
    async def answer(self: "Events", request: Message, context: Context) -> AsyncIterator[Any]:
        for given in self.next_answer(name, request):
            if isinstance(given, Refused):
                await refuse(given, context)
            yield given

    return answer


class Events(tournament_service_pb2_grpc.TournamentServiceServicer):
    """Answers with what it is given; the requests are kept.

    An answer is a message, a refusal, or a list of them, each for one call; that of a stream is a
    list of lists.
    """

    def __init__(self, **answers: Field) -> None:
        self.answers = answers
        self.requests: list[Any] = []

    def next_answer(self, name: str, request: Message) -> Any:  # noqa: ANN401
        """What the next call of a method is answered with."""
        self.requests.append(type(request).FromString(request.SerializeToString()))
        answer = self.answers[name]
        return answer.pop(0) if isinstance(answer, list) else answer

    CreateTournament = _answering("CreateTournament")
    EnterTournament = _answering("EnterTournament")
    WithdrawEntry = _answering("WithdrawEntry")
    StartTournament = _answering("StartTournament")
    PauseTournament = _answering("PauseTournament")
    ResumeTournament = _answering("ResumeTournament")
    CancelTournament = _answering("CancelTournament")
    GetTournament = _answering("GetTournament")
    ListTournaments = _answering("ListTournaments")
    GetStandings = _answering("GetStandings")
    GetPairings = _answering("GetPairings")
    RequeueTable = _answering("RequeueTable")
    AdjudicateTable = _answering("AdjudicateTable")
    WatchTournament = _streaming("WatchTournament")
    ExportTournament = _streaming("ExportTournament")


@asynccontextmanager
async def serving(events: Events, matches: Matches | None = None) -> AsyncIterator[str]:
    """The address of a server with those answers."""
    server = grpc.aio.server()
    tournament_service_pb2_grpc.add_TournamentServiceServicer_to_server(events, server)
    match_service_pb2_grpc.add_MatchServiceServicer_to_server(matches or Matches(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


def summary(**more: Field) -> tournaments_pb2.TournamentSummary:
    """A tournament of two that runs."""
    stages = [
        tournaments_pb2.TournamentStage(format=tournaments_pb2.TOURNAMENT_FORMAT_SWISS, rounds=5)
    ]
    usual = {
        "tournament_id": "t",
        "plan": tournaments_pb2.TournamentPlan(
            name="Friday", stages=stages, boards=2, halves=2, victory_points=True
        ),
        "rules": rules_to_wire(preset("fibur")),
        "clocks": matches_pb2.ClockTerms(turn_ms=1, bank_ms=2, warmup_ms=3, disconnect_ms=4),
        "faults": matches_pb2.FaultTerms(illegal_retries=5, strikes=6),
        "status": tournaments_pb2.TOURNAMENT_STATUS_RUNNING,
        "version": 7,
        "entries": [
            tournaments_pb2.TournamentEntry(number=0, name="ann", owner="ann", bots=["ann"]),
            tournaments_pb2.TournamentEntry(number=1, name="duo", owner="bob", bots=["bob", "cat"]),
        ],
        "rounds_played": 1,
        "commitment": bytes(32),
        "created_ms": 1_800_000_000_000,
    }
    return tournaments_pb2.TournamentSummary(**{**usual, **more})


def over(**more: Field) -> tournaments_pb2.TournamentSummary:
    """The same once it is over."""
    ended = {"status": tournaments_pb2.TOURNAMENT_STATUS_FINISHED, "reason": "all were played"}
    return summary(**{**ended, "secret": bytes([7]) * 32, **more})


def log(rows: Sequence[tuple[str, str]]) -> list[pb.ExportTournamentResponse]:
    """A log as a server gives it, chained."""
    chain, given = b"", []
    for version, (kind, payload) in enumerate(rows, start=1):
        chain = hashlib.sha256(chain + f"{kind} {payload}".encode()).digest()
        given.append(
            pb.ExportTournamentResponse(version=version, kind=kind, payload=payload, chain=chain)
        )
    return given
