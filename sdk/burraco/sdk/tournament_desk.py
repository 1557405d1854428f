"""What an organiser does with tournaments: makes, steers, watches and exports them."""

import asyncio
import hashlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Final, TypeVar

import grpc
import grpc.aio

from burraco.engine import Ruleset
from burraco.sdk.calls import CALL_SECONDS, Complaint, Server, Tls, complaint_of
from burraco.sdk.matches import Clocks, Faults
from burraco.sdk.organiser import OrganiserFailed
from burraco.sdk.requests import clock_terms, fault_terms, rules_choice
from burraco.sdk.tournament_messages import (
    entry_from_wire,
    plan_to_wire,
    round_from_wire,
    row_from_wire,
    standings_from_wire,
    tournament_from_wire,
    watched_from_wire,
)
from burraco.sdk.tournaments import (
    Standings,
    Tournament,
    TournamentEntry,
    TournamentLogRow,
    TournamentPlan,
    TournamentRound,
    WatchedTournament,
)
from burraco.v1 import tournament_service_pb2 as pb
from burraco.v1 import tournament_service_pb2_grpc

_PAGE: Final = 200
# A log is long, and its rows come as fast as they are taken.
_EXPORT_SECONDS: Final = 300.0
# A server that is away for longer than this is not waited for.
_PATIENCE_SECONDS: Final = 60.0
_SOONEST: Final = 0.1
_LATEST: Final = 2.0
# What a watcher comes back after: a server that starts again, or that had told us too slowly.
_PASSING: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    }
)
T = TypeVar("T")


class TournamentUnknown(OrganiserFailed):
    """There is no tournament of that id."""


class TournamentOver(OrganiserFailed):
    """The tournament has ended: nothing of it can be changed."""


class TournamentMovedOn(OrganiserFailed):
    """A step was decided on a version that is not the last any more."""

    @property
    def version(self) -> int:
        """The version that it is at by now."""
        return int(self.complaint.facts.get("version", "0"))


class LogDamaged(OrganiserFailed):
    """An exported log is not what the server wrote; the text says where."""

    def __init__(self, tournament_id: str, version: int) -> None:
        problem = f"row {version} of its log does not follow from those before it: export it again"
        complaint = Complaint(grpc.StatusCode.DATA_LOSS, "", problem)
        super().__init__(f"tournament {tournament_id}", complaint)


_FAILURES: Final[Mapping[str, type[OrganiserFailed]]] = {
    "TOURNAMENT_UNKNOWN": TournamentUnknown,
    "TOURNAMENT_OVER": TournamentOver,
    "TOURNAMENT_MOVED_ON": TournamentMovedOn,
}


class Tournaments:
    """A connection for the care of tournaments.

    For ``async with Tournaments(address, token) as tournaments``. Steps name the version that they
    were decided on, so that none is taken twice: ``TournamentMovedOn`` where it is another one by
    now. What else fails is an ``OrganiserFailed`` with the server's reason.
    """

    def __init__(self, address: str, token: str, tls: Tls | None = None) -> None:
        self._server = Server(address, token, tls)

    async def __aenter__(self) -> "Tournaments":
        self._channel = self._server.channel()
        self._stub = tournament_service_pb2_grpc.TournamentServiceStub(self._channel)
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._channel.close(None)

    async def create(
        self,
        plan: TournamentPlan,
        *,
        tournament_id: str = "",
        rules: str | Ruleset = "classic",
        secret: bytes = b"",
        policy: str = "",
        clocks: Clocks | str | None = None,
        faults: Faults | None = None,
        overrides: Mapping[str, int] | None = None,
    ) -> Tournament:
        """Make a tournament that takes entries; what is left out is chosen by the server.

        Whoever knows a ``secret`` that is given knows all cards. The other terms are those of
        ``Organiser.create_match``.
        """
        request = pb.CreateTournamentRequest(
            tournament_id=tournament_id,
            plan=plan_to_wire(plan),
            rules=rules_choice(rules),
            secret=secret,
            clocks=clock_terms(clocks) if isinstance(clocks, Clocks) else None,
            clock_preset=clocks if isinstance(clocks, str) else "",
            faults=None if faults is None else fault_terms(faults),
            policy=policy,
            overrides=overrides,
        )
        answer = await self._call(tournament_id, self._stub.CreateTournament, request)
        return tournament_from_wire(answer.tournament)

    async def enter(
        self,
        tournament_id: str,
        bots: Sequence[str] = (),
        *,
        name: str = "",
        owner: str = "",
        is_anchor: bool = False,
    ) -> TournamentEntry:
        """Enter one bot, or a pair; without any the caller itself. Again it gives the same entry.

        Entries of one ``owner`` are kept apart, and never meet the same cards.
        """
        request = pb.EnterTournamentRequest(
            tournament_id=tournament_id, name=name, bots=bots, owner=owner, is_anchor=is_anchor
        )
        answer = await self._call(tournament_id, self._stub.EnterTournament, request)
        return entry_from_wire(answer.entry)

    async def withdraw(self, tournament_id: str, entry: int, reason: str) -> Tournament:
        """Take an entry out; what it played stays."""
        request = pb.WithdrawEntryRequest(tournament_id=tournament_id, entry=entry, reason=reason)
        answer = await self._call(tournament_id, self._stub.WithdrawEntry, request)
        return tournament_from_wire(answer.tournament)

    async def start(self, tournament_id: str, version: int) -> Tournament:
        """Begin the first round, by the entries there are at that version."""
        request = pb.StartTournamentRequest(tournament_id=tournament_id, expected_version=version)
        answer = await self._call(tournament_id, self._stub.StartTournament, request)
        return tournament_from_wire(answer.tournament)

    async def pause(self, tournament_id: str, reason: str, version: int = 0) -> Tournament:
        """Let no further table begin; a version of 0 stands for whatever it is."""
        request = pb.PauseTournamentRequest(
            tournament_id=tournament_id, expected_version=version, reason=reason
        )
        answer = await self._call(tournament_id, self._stub.PauseTournament, request)
        return tournament_from_wire(answer.tournament)

    async def resume(self, tournament_id: str, version: int = 0) -> Tournament:
        """Let tables begin again; a version of 0 stands for whatever it is."""
        request = pb.ResumeTournamentRequest(tournament_id=tournament_id, expected_version=version)
        answer = await self._call(tournament_id, self._stub.ResumeTournament, request)
        return tournament_from_wire(answer.tournament)

    async def cancel(self, tournament_id: str, reason: str, version: int = 0) -> Tournament:
        """End it for good before its time; a version of 0 stands for whatever it is."""
        request = pb.CancelTournamentRequest(
            tournament_id=tournament_id, expected_version=version, reason=reason
        )
        answer = await self._call(tournament_id, self._stub.CancelTournament, request)
        return tournament_from_wire(answer.tournament)

    async def show(self, tournament_id: str) -> Tournament:
        """What a tournament is now."""
        request = pb.GetTournamentRequest(tournament_id=tournament_id)
        answer = await self._call(tournament_id, self._stub.GetTournament, request)
        return tournament_from_wire(answer.tournament)

    async def tournaments(self) -> AsyncIterator[Tournament]:
        """Every tournament, oldest first, without entries."""
        request = pb.ListTournamentsRequest(page_size=_PAGE)
        while True:
            page = await self._call("", self._stub.ListTournaments, request)
            for tournament in page.tournaments:
                yield tournament_from_wire(tournament)
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def standings(self, tournament_id: str) -> Standings:
        """The standings by the rounds that are over."""
        request = pb.GetStandingsRequest(tournament_id=tournament_id)
        return standings_from_wire(
            await self._call(tournament_id, self._stub.GetStandings, request)
        )

    async def pairings(self, tournament_id: str, number: int = 0) -> TournamentRound | None:
        """A round from 1, or with 0 the last there is; None where there is no such round."""
        request = pb.GetPairingsRequest(tournament_id=tournament_id, round=number)
        answer = await self._call(tournament_id, self._stub.GetPairings, request)
        return round_from_wire(answer.round) if answer.HasField("round") else None

    async def watch(self, tournament_id: str) -> AsyncGenerator[WatchedTournament, None]:
        """What it is, now and whenever that changes, until it is over.

        It goes on over restarts of the server, which may tell the same twice.
        """
        pause, contact = _SOONEST, time.monotonic()
        while True:
            try:
                async with aclosing(self._watched(tournament_id)) as changes:
                    async for shown in changes:
                        pause, contact = _SOONEST, time.monotonic()
                        yield shown
                        if shown.tournament.status.is_over:
                            return
            except OrganiserFailed as failed:
                is_passing = failed.complaint.code in _PASSING
                if not is_passing or time.monotonic() - contact > _PATIENCE_SECONDS:
                    raise
            await asyncio.sleep(pause)
            pause = min(_LATEST, pause * 2)

    async def requeue(
        self, tournament_id: str, table: int, reason: str, version: int
    ) -> Tournament:
        """Have a table of the round that is played, from 1, played again with other cards."""
        request = pb.RequeueTableRequest(
            tournament_id=tournament_id, expected_version=version, table=table, reason=reason
        )
        answer = await self._call(tournament_id, self._stub.RequeueTable, request)
        return tournament_from_wire(answer.tournament)

    async def adjudicate(
        self, tournament_id: str, table: int, gains: tuple[int, int], reason: str, version: int
    ) -> Tournament:
        """Decide a table of the round that is played, from 1: match points its sides gain."""
        first, second = gains
        request = pb.AdjudicateTableRequest(
            tournament_id=tournament_id,
            expected_version=version,
            table=table,
            first_gain=first,
            second_gain=second,
            reason=reason,
        )
        answer = await self._call(tournament_id, self._stub.AdjudicateTable, request)
        return tournament_from_wire(answer.tournament)

    async def export(self, tournament_id: str) -> AsyncGenerator[TournamentLogRow, None]:
        """The log, row by row; ``LogDamaged`` where a row does not follow from those before."""
        request = pb.ExportTournamentRequest(tournament_id=tournament_id)
        call: Any = self._stub.ExportTournament(
            request, metadata=self._server.metadata, timeout=_EXPORT_SECONDS
        )
        version, chain = 0, b""
        async with aclosing(self._stream(tournament_id, call)) as messages:
            async for message in messages:
                row = row_from_wire(message)
                version, chain = version + 1, _chained(chain, row)
                if (row.version, row.chain) != (version, chain):
                    raise LogDamaged(tournament_id, version)
                yield row

    async def _watched(self, tournament_id: str) -> AsyncGenerator[WatchedTournament, None]:
        request = pb.WatchTournamentRequest(tournament_id=tournament_id)
        call: Any = self._stub.WatchTournament(request, metadata=self._server.metadata)
        async with aclosing(self._stream(tournament_id, call)) as messages:
            async for message in messages:
                yield watched_from_wire(message)

    async def _stream(self, tournament_id: str, call: Any) -> AsyncGenerator[Any, None]:  # noqa: ANN401
        """The messages of a call, which ends with whoever reads them."""
        try:
            async for message in call:
                yield message
        except grpc.aio.AioRpcError as error:
            raise _failed(tournament_id, complaint_of(error)) from None
        finally:
            call.cancel()

    async def _call(
        self, tournament_id: str, method: Callable[..., Awaitable[T]], request: object
    ) -> T:
        try:
            return await method(request, metadata=self._server.metadata, timeout=CALL_SECONDS)
        except grpc.aio.AioRpcError as error:
            raise _failed(tournament_id, complaint_of(error)) from None


def _failed(tournament_id: str, complaint: Complaint) -> OrganiserFailed:
    kind = _FAILURES.get(complaint.reason, OrganiserFailed)
    return kind(f"tournament {tournament_id}".rstrip(), complaint)


def _chained(previous: bytes, row: TournamentLogRow) -> bytes:
    return hashlib.sha256(previous + f"{row.kind} {row.payload}".encode()).digest()
