"""One Play stream: its frames in the order they come."""

from functools import partial
from typing import Any

from grpc.aio import EOF  # type: ignore[attr-defined]  # missing from the stubs

from burraco.server.clock import Clock
from burraco.server.errors import ArenaError, Complaint, draining, invalid, unknown_match
from burraco.server.frames import error_frame
from burraco.server.interceptors.guard import Malformed
from burraco.server.outbox import Outbox
from burraco.server.requests import read_act, read_hello
from burraco.server.sessions import Session, Sessions, superseded
from burraco.server.settings import ACTION_ID_CHARS
from burraco.server.tables import Tables
from burraco.v1 import play_pb2


class PlayStream:
    """What one connection of a player sends; it has a session once it has said Hello."""

    def __init__(
        self, player: str, tables: Tables, sessions: Sessions, outbox: Outbox, clock: Clock
    ) -> None:
        self._player = player
        self._tables = tables
        self._sessions = sessions
        self._outbox = outbox
        self._clock = clock
        self._session: Session | None = None

    async def read_all(self, context: Any) -> None:  # noqa: ANN401 - a context of any call
        """Take frames until the client sends no more."""
        while True:
            frame = await context.read()
            if frame is EOF:
                return
            try:
                await self._take(frame)
            except ArenaError as error:
                self._complain(error, _action_id_of(frame))

    def close(self) -> None:
        """The connection is gone."""
        if self._session is not None:
            self._sessions.close(self._session, self._outbox)

    async def _take(self, frame: play_pb2.ClientFrame | Malformed) -> None:
        if isinstance(frame, Malformed):
            raise frame.refusal()
        body = frame.WhichOneof("body")
        if body is None:
            raise invalid("body", "a frame holds one of hello, act, ping, leave")
        if body == "hello":
            self._hello(frame.hello)
            return
        if self._session is None:
            raise ArenaError(Complaint.HELLO_FIRST, "the first frame of a stream is a Hello")
        self._require_held(self._session)
        if body == "act":
            await self._act(self._session, frame.act)
        elif body == "leave":
            self._session.has_left = True
        else:
            self._ping(self._session, frame.ping)

    def _require_held(self, session: Session) -> None:
        """A connection whose session a newer one has changes nothing any more."""
        if not session.is_held_by(self._outbox):
            raise superseded()

    def _hello(self, hello: play_pb2.Hello) -> None:
        if self._session is not None:
            raise ArenaError(
                Complaint.HELLO_AGAIN, "a stream has one Hello: open another stream for another"
            )
        self._session = self._sessions.open(self._player, read_hello(hello), self._outbox)

    async def _act(self, session: Session, message: play_pb2.Act) -> None:
        if self._tables.is_draining:
            raise draining()
        self._sessions.quotas.act(self._player)
        arrived = self._clock.now()
        match_id = message.seat.match_id
        link = session.link_to(match_id, message.seat.seat - 1)
        act = read_act(message, arrived, link, partial(self._reply, session, message.action_id))
        table = self._tables.find(match_id) or await self._tables.look_up(
            match_id, lambda players: self._player in players
        )
        if link is None and not table.record.is_held(act.seat, self._player):
            raise unknown_match(match_id)
        self._require_held(session)
        if link is not None and link.asked == act.decision:
            session.acknowledge(link.asked_frame)
        table.act(act)

    def _ping(self, session: Session, ping: play_pb2.Ping) -> None:
        if ping.last_seq > session.last:
            raise invalid("ping.last_seq", f"the last frame of this session is {session.last}")
        session.acknowledge(ping.last_seq)
        now, round_trip = self._clock.now(), session.round_trip
        if ping.stamp:
            round_trip.echo(ping.stamp, now)
        pong = play_pb2.Pong(
            nonce=ping.nonce,
            last_seq=session.last,
            stamp=0 if ping.stamp else round_trip.stamp(now),
            round_trip_ms=round_trip.milliseconds,
            quotas=self._sessions.quotas.told(self._player) if ping.wants_quotas else (),
        )
        self._outbox.put(play_pb2.ServerFrame(pong=pong).SerializeToString())

    def _reply(
        self, session: Session, action_id: str, outcome: play_pb2.ServerFrame | ArenaError
    ) -> None:
        if isinstance(outcome, ArenaError):
            self._sessions.refused(outcome)
        session.reply(action_id, outcome)

    def _complain(self, error: ArenaError, action_id: str) -> None:
        self._sessions.refused(error)
        self._outbox.add(error_frame(error, action_id).SerializeToString())


def _action_id_of(frame: play_pb2.ClientFrame | Malformed) -> str:
    return "" if isinstance(frame, Malformed) else frame.act.action_id[:ACTION_ID_CHARS]
