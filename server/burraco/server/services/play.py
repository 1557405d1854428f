"""PlayService: streams that carry all matches of a bot, and their twins for one seat."""

import asyncio
from functools import partial
from typing import Any

from burraco.server.clock import Clock
from burraco.server.drain import OpenStreams
from burraco.server.errors import ArenaError, Complaint, draining, unknown_match
from burraco.server.interceptors.auth import CALLER
from burraco.server.outbox import Outbox
from burraco.server.requests import read_act, read_seat
from burraco.server.services.playing import PlayStream
from burraco.server.services.watching import SeatStreams, SeatWatcher, pour
from burraco.server.sessions import Sessions
from burraco.server.table import Table
from burraco.server.tables import Tables
from burraco.server.terms import MatchState
from burraco.v1 import play_pb2, play_service_pb2, play_service_pb2_grpc


class PlayService(play_service_pb2_grpc.PlayServiceServicer):
    """Where bots play."""

    def __init__(
        self,
        tables: Tables,
        sessions: Sessions,
        streams: OpenStreams,
        clock: Clock,
    ) -> None:
        self._tables = tables
        self._sessions = sessions
        self._streams = streams
        self._seats = SeatStreams()
        self._clock = clock

    async def Play(  # type: ignore[override]
        self,
        request_iterator: Any,  # noqa: ANN401 - read through the context
        context: Any,  # noqa: ANN401
    ) -> None:
        """Carry all matches of the caller until either side ends the stream."""
        outbox = Outbox(self._clock)
        stream = PlayStream(CALLER.get().name, self._tables, self._sessions, outbox, self._clock)
        self._streams.enter(outbox, CALLER.get().name, takes_frames=True)
        try:
            await pour(outbox, context.write, stream.read_all(context))
        finally:
            self._streams.leave(outbox)
            stream.close()

    async def WatchSeat(  # type: ignore[override]
        self,
        request: play_service_pb2.WatchSeatRequest,
        context: Any,  # noqa: ANN401
    ) -> None:
        """Send the frames of one seat of the caller."""
        seat = read_seat(request.seat, "seat")
        table = await self._own_table(request.match_id, seat)
        if table.record.state is MatchState.WAITING and table.record.plan.draws_seats:
            raise _seats_not_drawn()
        if table.record.state is MatchState.ENDED:
            secret = await self._tables.shown_secret(table.record)
            await context.write(table.publisher.ended_frame(seat, secret))
            return
        outbox = Outbox(self._clock)
        watcher = SeatWatcher(CALLER.get().name, outbox)
        self._streams.enter(outbox, CALLER.get().name, takes_frames=True)
        table.watch_seat(seat, watcher)
        try:
            with self._seats.enter(request.match_id, seat, outbox):
                await pour(outbox, context.write, None)
        finally:
            self._streams.leave(outbox)
            watcher.is_connected = False
            table.leave(watcher)

    async def SubmitAction(
        self,
        request: play_service_pb2.SubmitActionRequest,
        context: Any,  # noqa: ANN401
    ) -> play_service_pb2.SubmitActionResponse:
        """Answer one decision."""
        self._sessions.quotas.act(CALLER.get().name)
        answered: asyncio.Future[play_pb2.ServerFrame] = asyncio.get_running_loop().create_future()
        act = read_act(request.act, self._clock.now(), None, partial(_settle, answered))
        table = await self._own_table(request.act.seat.match_id, act.seat)
        if self._tables.is_draining:
            raise draining()
        table.act(act)
        frame = await answered
        return play_service_pb2.SubmitActionResponse(verdict=frame.verdict)

    async def _own_table(self, match_id: str, seat: int) -> Table:
        player = CALLER.get().name
        table = await self._tables.look_up(match_id, lambda players: player in players)
        if not table.record.is_held(seat, player):
            raise unknown_match(match_id)
        return table


def _seats_not_drawn() -> ArenaError:
    return ArenaError(
        Complaint.SEATS_NOT_DRAWN,
        "seats are drawn when the match begins: use the Play stream, or come back then",
    )


def _settle(
    answered: asyncio.Future[play_pb2.ServerFrame], outcome: play_pb2.ServerFrame | ArenaError
) -> None:
    if answered.done():
        return
    if isinstance(outcome, ArenaError):
        answered.set_exception(outcome)
    else:
        answered.set_result(outcome)
