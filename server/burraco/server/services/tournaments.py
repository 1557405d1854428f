"""TournamentService: makes, runs and shows tournaments."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from burraco.server.audit import Audit
from burraco.server.clock import Clock
from burraco.server.credentials import Caller, Scope
from burraco.server.drain import OpenStreams
from burraco.server.errors import ArenaError, Complaint, log_unavailable
from burraco.server.interceptors.auth import CALLER
from burraco.server.outbox import Outbox
from burraco.server.services.paging import page_size, read_match_place, write_place
from burraco.server.services.watching import pour
from burraco.server.sidework import SideWork
from burraco.server.store import Store, StoreFailed, TournamentRow
from burraco.server.tokens import Tokens
from burraco.server.tournaments.directory import Directory
from burraco.server.tournaments.entering import entry_of, known_entry, why_no_entry
from burraco.server.tournaments.logbook import DAMAGED, Logbook
from burraco.server.tournaments.ranked import standings_of
from burraco.server.tournaments.refusals import (
    no_such_table,
    not_running,
    over,
    unknown_entry,
)
from burraco.server.tournaments.requests import read_tournament
from burraco.server.tournaments.shown import (
    damaged_summary,
    entry_to_wire,
    places_to_wire,
    round_to_wire,
    summary_to_wire,
)
from burraco.tournament.field import Entry
from burraco.tournament.progress import Progress, Status
from burraco.tournament.rows import (
    Cancelled,
    Entered,
    Paused,
    Resumed,
    Row,
    Started,
    TableAdjudicated,
    TableRequeued,
    Withdrawn,
)
from burraco.v1 import tournament_service_pb2 as pb
from burraco.v1 import tournament_service_pb2_grpc, tournaments_pb2


class TournamentService(tournament_service_pb2_grpc.TournamentServiceServicer):
    """Makes, runs and shows tournaments."""

    def __init__(
        self,
        store: Store,
        directory: Directory,
        tokens: Tokens,
        audit: Audit,
        streams: OpenStreams,
        clock: Clock,
        side_work: SideWork,
    ) -> None:
        self._store = store
        self._directory = directory
        self._tokens = tokens
        self._audit = audit
        self._streams = streams
        self._clock = clock
        self._side_work = side_work

    async def CreateTournament(
        self,
        request: pb.CreateTournamentRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.CreateTournamentResponse:
        """Make a tournament."""
        plan, terms = read_tournament(request)
        by = CALLER.get().name
        book = await self._directory.create(request.tournament_id, plan, terms, by, request.secret)
        return pb.CreateTournamentResponse(tournament=summary_to_wire(book))

    async def EnterTournament(
        self,
        request: pb.EnterTournamentRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.EnterTournamentResponse:
        """Enter bots."""
        wished = entry_of(request, CALLER.get(), self._tokens)
        director = await self._directory.director(request.tournament_id)

        async def decide(progress: Progress) -> Sequence[Row]:
            if director.book.is_over:
                raise over(director.book.tournament_id)
            if known_entry(progress, wished) is not None:
                return ()
            refusal = why_no_entry(progress, wished)
            if refusal is not None:
                raise refusal
            return (Entered(_numbered(wished, len(progress.entries))),)

        await director.take(decide)
        entered = known_entry(director.book.progress, wished)
        assert entered is not None, "it has just been entered"
        return pb.EnterTournamentResponse(
            entry=entry_to_wire(director.book, entered),
            tournament=summary_to_wire(director.book),
        )

    async def WithdrawEntry(
        self,
        request: pb.WithdrawEntryRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.WithdrawEntryResponse:
        """Take an entry out."""
        caller = CALLER.get()
        director = await self._directory.director(request.tournament_id)

        async def decide(progress: Progress) -> Sequence[Row]:
            if not _may_withdraw(caller, progress, request.entry):
                raise unknown_entry(request.entry)
            if request.entry in progress.left:
                return ()
            if director.book.is_over:
                raise over(director.book.tournament_id)
            return (Withdrawn(request.entry, request.reason, caller.name),)

        await director.take(decide)
        return pb.WithdrawEntryResponse(tournament=summary_to_wire(director.book))

    async def StartTournament(
        self,
        request: pb.StartTournamentRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.StartTournamentResponse:
        """Begin the first round."""
        begun = Started(CALLER.get().name)
        book = await self._taken(request, begun)
        if book is None:
            director = await self._directory.director(request.tournament_id)
            await director.start(request.expected_version, begun)
            book = director.book
        return pb.StartTournamentResponse(tournament=summary_to_wire(book))

    async def PauseTournament(
        self,
        request: pb.PauseTournamentRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.PauseTournamentResponse:
        """Let no further table begin."""
        paused = Paused(request.reason, CALLER.get().name)
        book = await self._step(request, paused, _why_not_turned, Status.PAUSED)
        return pb.PauseTournamentResponse(tournament=summary_to_wire(book))

    async def ResumeTournament(
        self,
        request: pb.ResumeTournamentRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.ResumeTournamentResponse:
        """Let tables begin again."""
        resumed = Resumed(CALLER.get().name)
        book = await self._step(request, resumed, _why_not_turned, Status.RUNNING)
        return pb.ResumeTournamentResponse(tournament=summary_to_wire(book))

    async def CancelTournament(
        self,
        request: pb.CancelTournamentRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.CancelTournamentResponse:
        """End a tournament before its time."""
        shown = (await self._directory.look_up(request.tournament_id)).secret.hex()
        cancelled = Cancelled(request.reason, CALLER.get().name, shown)
        book = await self._step(request, cancelled, _nothing_against, noted="TOURNAMENT_CANCELLED")
        return pb.CancelTournamentResponse(tournament=summary_to_wire(book))

    async def GetTournament(
        self,
        request: pb.GetTournamentRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.GetTournamentResponse:
        """Show a tournament."""
        try:
            book = await self._directory.look_up(request.tournament_id)
        except ArenaError as error:
            if error.complaint is not Complaint.TOURNAMENT_DAMAGED:
                raise
            row = await self._directory.row(request.tournament_id)
            shown = damaged_summary(row.summary, row.tournament_id)
            return pb.GetTournamentResponse(tournament=shown)
        return pb.GetTournamentResponse(tournament=summary_to_wire(book))

    async def ListTournaments(
        self,
        request: pb.ListTournamentsRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.ListTournamentsResponse:
        """List tournaments."""
        size, after = page_size(request.page_size), read_match_place(request.page_token)
        try:
            rows = await self._store.tournaments(after, (), size + 1)
        except StoreFailed as failure:
            raise log_unavailable() from failure
        following = ""
        if len(rows) > size:
            following = write_place(rows[size - 1].created_ms, rows[size - 1].tournament_id)
        shown = [self._listed(row) for row in rows[:size]]
        return pb.ListTournamentsResponse(tournaments=shown, next_page_token=following)

    async def GetStandings(
        self,
        request: pb.GetStandingsRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.GetStandingsResponse:
        """Show the standings."""
        book = await self._directory.look_up(request.tournament_id)
        version = book.progress.version
        standings = await standings_of(book, self._side_work)
        decision = "" if standings.decision is None else standings.decision.value
        return pb.GetStandingsResponse(
            places=places_to_wire(standings), version=version, decision=decision
        )

    async def GetPairings(
        self,
        request: pb.GetPairingsRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.GetPairingsResponse:
        """Show a round."""
        book = await self._directory.look_up(request.tournament_id)
        return pb.GetPairingsResponse(round=round_to_wire(book, request.round))

    async def WatchTournament(  # type: ignore[override]  # writes through its context
        self,
        request: pb.WatchTournamentRequest,
        context: Any,  # noqa: ANN401
    ) -> None:
        """Stream what a tournament is, whenever that has changed."""
        book = await self._directory.look_up(request.tournament_id)
        director = self._directory.directing(request.tournament_id)
        if director is None:
            standings = await standings_of(book, self._side_work)
            last = pb.WatchTournamentResponse(
                tournament=summary_to_wire(book), places=places_to_wire(standings)
            )
            await context.write(last.SerializeToString())
            return
        outbox = Outbox(self._clock)
        self._streams.enter(outbox, CALLER.get().name, takes_frames=False)
        director.audience.admit(outbox)
        try:
            await pour(outbox, context.write, None)
        finally:
            self._streams.leave(outbox)
            director.audience.leave(outbox)

    async def RequeueTable(
        self,
        request: pb.RequeueTableRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.RequeueTableResponse:
        """Have a table played again with other cards."""
        requeued = TableRequeued(request.table - 1, request.reason, CALLER.get().name)
        refuse = _why_no_table(request.table)
        book = await self._step(request, requeued, refuse, noted="TABLE_REQUEUED")
        return pb.RequeueTableResponse(tournament=summary_to_wire(book))

    async def AdjudicateTable(
        self,
        request: pb.AdjudicateTableRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.AdjudicateTableResponse:
        """Decide a table."""
        gains = request.first_gain, request.second_gain
        decided = TableAdjudicated(request.table - 1, gains, request.reason, CALLER.get().name)
        refuse = _why_no_table(request.table)
        book = await self._step(request, decided, refuse, noted="TABLE_ADJUDICATED")
        return pb.AdjudicateTableResponse(tournament=summary_to_wire(book))

    async def ExportTournament(  # type: ignore[override]  # writes through its context
        self,
        request: pb.ExportTournamentRequest,
        context: Any,  # noqa: ANN401
    ) -> None:
        """Give the log, row by row."""
        book = await self._directory.look_up(request.tournament_id)
        try:
            rows = await self._store.tournament_log(book.tournament_id)
        except StoreFailed as failure:
            raise log_unavailable() from failure
        for row in rows:
            shown = pb.ExportTournamentResponse(
                version=row.version, kind=row.kind, payload=row.payload, chain=row.chain
            )
            await context.write(shown.SerializeToString())

    async def _step(
        self,
        request: Any,  # noqa: ANN401 - any request of a step
        row: Row,
        refuse: Callable[[Progress], ArenaError | None],
        reached: Status | None = None,
        noted: str = "",
    ) -> Logbook:
        """Take a step; where there is nothing left to do it is answered with what is."""
        taken = await self._taken(request, row)
        if taken is not None:
            return taken
        director = await self._directory.director(request.tournament_id)
        note = None
        if noted:
            note = partial(
                self._audit.note, CALLER.get(), noted, request.tournament_id, request.reason
            )
        await director.step(request.expected_version, row, refuse, reached, note)
        return director.book

    async def _taken(
        self,
        request: Any,  # noqa: ANN401 - any request of a step
        row: Row,
    ) -> Logbook | None:
        """The tournament where that step was taken before, though it may be over by now."""
        book = await self._directory.look_up(request.tournament_id)
        return book if book.was_taken(request.expected_version, row) else None

    def _listed(self, row: TournamentRow) -> tournaments_pb2.TournamentSummary:
        director = self._directory.directing(row.tournament_id)
        if director is not None:
            return summary_to_wire(director.book, with_entries=False)
        if row.state == DAMAGED:
            return damaged_summary(row.summary, row.tournament_id)
        return tournaments_pb2.TournamentSummary.FromString(row.summary)


def _numbered(entry: Entry, number: int) -> Entry:
    return Entry(number, entry.name, entry.owner, entry.bots, entry.is_anchor)


def _may_withdraw(caller: Caller, progress: Progress, number: int) -> bool:
    if number >= len(progress.entries):
        return False
    entry = progress.entries[number]
    return Scope.ORGANISE in caller.scopes or caller.name in (*entry.bots, entry.owner)


def _why_not_turned(progress: Progress) -> ArenaError | None:
    return not_running() if progress.status is Status.OPEN else None


def _nothing_against(_progress: Progress) -> None:
    """It can be done at any time."""


def _why_no_table(table: int) -> Callable[[Progress], ArenaError | None]:
    def refuse(progress: Progress) -> ArenaError | None:
        current = progress.current
        tables = 0 if current is None else len(current.tables)
        return None if table <= tables else no_such_table(table)

    return refuse
