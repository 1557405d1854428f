"""MatchService: makes, shows and ends matches."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from burraco.server.audit import Audit
from burraco.server.clock import Clock
from burraco.server.credentials import Caller
from burraco.server.drain import OpenStreams
from burraco.server.errors import ArenaError, Complaint, invalid, unknown_match
from burraco.server.export import match_to_bgn
from burraco.server.frames import STATES, summary_to_wire
from burraco.server.interceptors.auth import CALLER
from burraco.server.journal import Adjudicated, Joined
from burraco.server.outbox import Outbox
from burraco.server.quarantine import stored_summary, void_summary
from burraco.server.quotas import Quotas
from burraco.server.requests import read_board_id, read_plan, read_seat, require_seat
from burraco.server.services.listing import Listing, hide_board
from burraco.server.services.paging import page_size, read_match_place, write_match_place
from burraco.server.services.watching import PublicViewer, pour
from burraco.server.sidework import SideWork
from burraco.server.store import MatchFilter, MatchRow, Store
from burraco.server.table import Table
from burraco.server.tables import Tables
from burraco.server.terms import MatchState
from burraco.server.tokens import Tokens
from burraco.v1 import match_service_pb2 as pb
from burraco.v1 import match_service_pb2_grpc, matches_pb2
from burraco.wire import seat_to_wire

_STATES_BACK: Final = {value: state for state, value in STATES.items()}


class MatchService(match_service_pb2_grpc.MatchServiceServicer):
    """Makes and shows matches."""

    def __init__(
        self,
        store: Store,
        tables: Tables,
        tokens: Tokens,
        audit: Audit,
        streams: OpenStreams,
        clock: Clock,
        side_work: SideWork,
        quotas: Quotas,
    ) -> None:
        self._quotas = quotas
        self._store = store
        self._tables = tables
        self._tokens = tokens
        self._audit = audit
        self._streams = streams
        self._clock = clock
        self._side_work = side_work

    async def CreateMatch(
        self,
        request: pb.CreateMatchRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.CreateMatchResponse:
        """Make a match."""
        board_id = read_board_id(request)
        board_secret = await self._tables.board_secret(board_id) if board_id else None
        plan = read_plan(request, board_secret, self._clock.date_ms())
        for place, name in enumerate(plan.players):
            if name and not self._tokens.is_player(name):
                raise ArenaError(
                    Complaint.PLAYER_UNKNOWN,
                    f"players[{place}]: no bot {name} is registered: register it first",
                    field=f"players[{place}]",
                    player=name,
                )
        with self._quotas.making(plan.players):
            table = await self._tables.create(plan)
        return pb.CreateMatchResponse(match=await self._summary(table))

    async def JoinMatch(
        self,
        request: pb.JoinMatchRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.JoinMatchResponse:
        """Take a free place of a waiting match."""
        nonce, caller = request.nonce, CALLER.get()
        wished = read_seat(request.seat, "seat") if request.HasField("seat") else None
        table = await self._visible(request.match_id)
        players = table.record.players
        if wished is None:
            wished = players.index("") if "" in players else 0
        require_seat(wished, len(players), "seat")
        if nonce and table.record.plan.board_id:
            raise invalid("nonce", "the tables of a board are dealt alike, so it takes no nonce")
        if caller.name not in players:
            self._quotas.require_place(caller.name)
        await self._tables.join(table, Joined(wished, caller.name, nonce))
        return pb.JoinMatchResponse(seat=seat_to_wire(wished), match=await self._summary(table))

    async def GetMatch(
        self,
        request: pb.GetMatchRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.GetMatchResponse:
        """Show a match."""
        try:
            table = await self._visible(request.match_id)
        except ArenaError as error:
            if error.complaint is not Complaint.MATCH_QUARANTINED:
                raise
            return pb.GetMatchResponse(match=await self._void_summary(request.match_id))
        return pb.GetMatchResponse(match=await self._summary(table))

    async def ListMatches(
        self,
        request: pb.ListMatchesRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.ListMatchesResponse:
        """List the matches the caller may see."""
        caller, size = CALLER.get(), page_size(request.page_size)
        wanted = MatchFilter(
            after=read_match_place(request.page_token),
            state=_STATES_BACK.get(request.state),
            player=None if caller.sees_all else caller.name,
            limit=size + 1,
        )
        rows = await self._store.matches(wanted)
        listing = Listing(self._store, caller)
        shown = [shown for row in rows[:size] if (shown := await self._row_summary(row, listing))]
        following = write_match_place(rows[size - 1]) if len(rows) > size else ""
        return pb.ListMatchesResponse(matches=shown, next_page_token=following)

    async def WatchMatch(  # type: ignore[override]  # writes through its context
        self,
        request: pb.WatchMatchRequest,
        context: Any,  # noqa: ANN401
    ) -> None:
        """Stream the public view of a match."""
        table = await self._own(request.match_id)
        if table.record.state is MatchState.ENDED:
            secret = await self._tables.shown_secret(table.record)
            await context.write(table.publisher.final(secret))
            return
        outbox = Outbox(self._clock)
        viewer = PublicViewer(outbox)
        self._streams.enter(outbox, CALLER.get().name, takes_frames=False)
        table.watch(viewer)
        try:
            await pour(outbox, context.write, None)
        finally:
            self._streams.leave(outbox)
            table.unwatch(viewer)

    async def ExportMatch(
        self,
        request: pb.ExportMatchRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.ExportMatchResponse:
        """Give a finished match in Burraco Game Notation."""
        table = await self._own(request.match_id)
        if not await self._tables.shown_secret(table.record):
            raise ArenaError(
                Complaint.MATCH_RUNNING,
                "the match, or another table of its board, is still played: export it afterwards",
            )
        rows = await self._store.log(table.match_id)
        bgn = await self._side_work.run(lambda: match_to_bgn(rows))
        return pb.ExportMatchResponse(bgn=bgn)

    async def AdjudicateMatch(
        self,
        request: pb.AdjudicateMatchRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.AdjudicateMatchResponse:
        """End a match where it stands."""
        reason, table = request.reason, await self._visible(request.match_id)
        if table.record.state is not MatchState.ENDED:
            # Before it is done: afterwards nobody could be told that nothing has changed.
            await self._audit.note(CALLER.get(), "MATCH_ADJUDICATED", table.match_id, reason)
        await self._tables.adjudicate(table, Adjudicated(CALLER.get().name, reason))
        return pb.AdjudicateMatchResponse(match=await self._summary(table))

    async def _visible(self, match_id: str) -> Table:
        """A match that the caller may know of."""
        return await self._tables.look_up(match_id, partial(_may_see, CALLER.get()))

    async def _own(self, match_id: str) -> Table:
        """A match that the caller may follow: a free seat lets nobody look on at others."""
        caller = CALLER.get()
        return await self._tables.look_up(
            match_id, lambda players: caller.sees_all or caller.name in players
        )

    async def _summary(self, table: Table) -> matches_pb2.MatchSummary:
        secret = await self._tables.shown_secret(table.record)
        summary = summary_to_wire(table.record, table.commitment, secret)
        if not (secret or CALLER.get().sees_all):
            # A bot that knew its tables of one board would know all hands of the second.
            hide_board(summary)
        return summary

    async def _row_summary(
        self, row: MatchRow, listing: Listing
    ) -> matches_pb2.MatchSummary | None:
        """What a list shows of a match, None for one that is just being made.

        Only what has ended a moment ago, or was damaged, is made anew from its log.
        """
        table = self._tables.find(row.match_id)
        stored = None if table is not None else await listing.stored(row)
        if stored is not None:
            return stored
        try:
            return await self._summary(table or await self._visible(row.match_id))
        except ArenaError as error:
            if error.complaint is Complaint.MATCH_UNKNOWN:
                return None
            if error.complaint is not Complaint.MATCH_QUARANTINED:
                raise
            return await self._void_summary(row.match_id)

    async def _void_summary(self, match_id: str) -> matches_pb2.MatchSummary:
        """What can still be said of a match whose log is damaged."""
        row = await self._store.match(match_id)
        if row is None or not _may_see(CALLER.get(), row.players):
            raise unknown_match(match_id)
        summary = stored_summary(row)
        if summary is None:
            summary = void_summary(row, await self._store.log(match_id))
        if not CALLER.get().sees_all:
            # As for every match of a board that may be played still.
            hide_board(summary)
        return summary


def _may_see(caller: Caller, players: Sequence[str]) -> bool:
    """A player sees its own matches and those with a free seat; organisers and watchers, all."""
    return caller.sees_all or caller.name in players or "" in players
