"""Sessions: what a bot is sent, numbered and kept until it has it, over any connections."""

import secrets
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence

from burraco.server.errors import ArenaError, Complaint
from burraco.server.frames import error_frame
from burraco.server.links import SeatLink
from burraco.server.metrics import Metrics
from burraco.server.outbox import Outbox
from burraco.server.quotas import Quotas, limits_to_wire
from burraco.server.resuming import OpenSeat
from burraco.server.roundtrips import RoundTrip
from burraco.server.settings import SESSION_FRAMES
from burraco.v1 import play_pb2


class Session:
    """One bot's line to its seats; it outlives connections, and the newest connection has it.

    Frames are numbered from 1 and kept as bytes until the client has shown that it has them, at
    most ``SESSION_FRAMES`` of them. ``endings`` are the ends of matches that it has not shown to
    know. ``has_left`` says that its bot took leave of its last connection. ``told`` collects the
    seats whose end it has been sent, None unless somebody wants to know.
    """

    __slots__ = (
        "_first",
        "_links",
        "_outbox",
        "endings",
        "fence",
        "has_left",
        "kept",
        "last",
        "player",
        "round_trip",
        "session_id",
        "told",
        "wants_live_events",
    )

    def __init__(self, player: str) -> None:
        self.player = player
        self.session_id = secrets.token_urlsafe(18)
        self.fence = 0
        self.last = 0
        self.wants_live_events = False
        self.has_left = False
        self.round_trip = RoundTrip()
        self.endings: dict[int, play_pb2.MatchEnded] = {}
        self.told: set[tuple[str, int]] | None = None
        self.kept: deque[bytes] = deque()
        self._first = 1
        self._links: dict[tuple[str, int], SeatLink] = {}
        self._outbox: Outbox | None = None

    @property
    def is_idle(self) -> bool:
        """Whether it has no seat, and nothing that its bot does not know."""
        return not self._links and not self.endings

    @property
    def is_connected(self) -> bool:
        """Whether a connection has it now."""
        return self._outbox is not None

    @property
    def round_trip_ms(self) -> int:
        """Milliseconds to the bot and back as they were measured, 0 when they were not."""
        return self.round_trip.milliseconds or 0

    def send(self, frame: play_pb2.ServerFrame) -> int:
        """Number a frame, keep it, and pass it to the connection if there is one."""
        self.last += 1
        frame.seq = self.last
        raw = frame.SerializeToString()
        self.kept.append(raw)
        if len(self.kept) > SESSION_FRAMES:
            self.kept.popleft()
            self._first += 1
        if frame.HasField("match_ended"):
            self.endings[self.last] = frame.match_ended
            if len(self.endings) > SESSION_FRAMES:
                del self.endings[next(iter(self.endings))]
            if self.told is not None:
                self.told.add(_spot(frame.match_ended))
        if self._outbox is not None:
            self._outbox.put(raw)
        return self.last

    def reply(self, action_id: str, outcome: play_pb2.ServerFrame | ArenaError) -> None:
        """Send the verdict of an act, or say why there can be none."""
        if isinstance(outcome, ArenaError):
            self.tell(error_frame(outcome, action_id))
        else:
            self.send(outcome)

    async def room(self) -> None:
        """Wait until little is left to send to the connection, or there is none."""
        if self._outbox is not None:
            await self._outbox.room()

    def tell(self, frame: play_pb2.ServerFrame) -> None:
        """Pass on a frame outside the order; nobody hears it when nobody is connected."""
        if self._outbox is not None:
            self._outbox.put(frame.SerializeToString())

    def acknowledge(self, seq: int) -> None:
        """Forget frames up to a number that the client has shown to have received."""
        while self._first <= seq and self.kept:
            self.kept.popleft()
            self._first += 1
        for number in [number for number in self.endings if number <= seq]:
            del self.endings[number]

    def can_resume(self, last_seq: int) -> bool:
        """Whether every frame after a number is still here."""
        return self._first - 1 <= last_seq <= self.last

    def connect(self, outbox: Outbox, last_seq: int) -> None:
        """Give the session to a connection and send it again what it missed."""
        self._outbox = outbox
        self.has_left = False
        self.round_trip = RoundTrip()
        self.acknowledge(last_seq)
        for raw in self.kept:
            outbox.put(raw)

    def supersede(self, ending: ArenaError) -> None:
        """Tell the connection that has it now that it has it no longer."""
        if self._outbox is not None:
            told = play_pb2.Superseded(fence=self.fence + 1)
            self._outbox.put(play_pb2.ServerFrame(superseded=told).SerializeToString())
            self._outbox.close(ending)
            self._outbox = None

    def is_held_by(self, outbox: Outbox) -> bool:
        """Whether a connection has it, and not a newer one."""
        return self._outbox is outbox

    def knows_end(self, ended: play_pb2.MatchEnded) -> bool:
        """Whether it was sent the end of a seat since somebody wanted to know."""
        return self.told is not None and _spot(ended) in self.told

    def disconnect(self, outbox: Outbox) -> bool:
        """A connection is gone; False when a newer one has the session."""
        if self._outbox is not outbox:
            return False
        self._outbox = None
        return True

    def link(self, link: SeatLink) -> None:
        """The session is told about a seat from now on."""
        self._links[link.match_id, link.seat] = link

    @property
    def links(self) -> Collection[SeatLink]:
        """How it is told about each of its seats."""
        return self._links.values()

    def link_to(self, match_id: str, seat: int) -> SeatLink | None:
        """How the session is told about a seat, None when it is not."""
        return self._links.get((match_id, seat))

    def forget(self, link: SeatLink) -> None:
        """The match of a link is over."""
        self._links.pop((link.match_id, link.seat), None)


class Sessions:
    """The session of every player; a player has one at a time.

    ``renewed`` is told of a session that begins afresh and of the one it replaces, ``named`` of the
    matches that its bot believes to be played, ``moved`` of a player whose session has got or lost
    its connection. ``open_at`` gives the decisions that wait at links.
    """

    def __init__(self, metrics: Metrics, quotas: Quotas) -> None:
        self._metrics = metrics
        self.quotas = quotas
        self._sessions: dict[str, Session] = {}
        self.renewed: Callable[[Session, Session | None], None] = _nobody_sits
        self.named: Callable[[Session, Sequence[str]], None] = _nobody_asks
        self.moved: Callable[[str], None] = _nobody_moves
        self.open_at: Callable[[Iterable[SeatLink]], Sequence[OpenSeat]] = _nobody_is_asked
        metrics.sessions_live.set_function(
            lambda: sum(session.is_connected for session in self._sessions.values())
        )

    def of(self, player: str) -> Session | None:
        """The session of a player."""
        return self._sessions.get(player)

    def open(self, player: str, hello: play_pb2.Hello, outbox: Outbox) -> Session:
        """Give a connection its session: the one it names where it can go on, else a new one."""
        before = self._sessions.get(player)
        waiting: Sequence[OpenSeat] = ()
        resumed = False
        if before is not None and before.session_id == hello.session_id:
            waiting = self.open_at(before.links)
            # More than it keeps could not be told without waiting for its reader.
            resumed = before.can_resume(hello.last_seq) and len(waiting) <= SESSION_FRAMES
        if before is not None:
            before.supersede(superseded())
        session = before if before is not None and resumed else Session(player)
        session.fence = 1 if before is None else before.fence + 1
        session.wants_live_events = hello.live_events
        self._sessions[player] = session
        outbox.put(_welcome(session, resumed, waiting if resumed else (), self.quotas))
        session.connect(outbox, hello.last_seq if resumed else 0)
        self._metrics.resumed("resumed" if resumed else "fresh")
        if resumed:
            for seat in waiting:
                if seat.is_known(hello.last_seq):
                    session.tell(seat.in_full())
            self.moved(player)
        else:
            self._renew(session, before, hello.matches)
        return session

    def refused(self, error: ArenaError) -> None:
        """Count a frame that could not be used."""
        self._metrics.refused(error.complaint.value)

    def close(self, session: Session, outbox: Outbox) -> None:
        """A connection is gone; its session waits for the next, unless it is idle."""
        if not session.disconnect(outbox):
            return
        if session.is_idle:
            del self._sessions[session.player]
        self.moved(session.player)

    def _renew(self, session: Session, before: Session | None, matches: Sequence[str]) -> None:
        if matches:
            session.told = set()
        for ended in [] if before is None else before.endings.values():
            session.send(play_pb2.ServerFrame(match_ended=ended))
        self.renewed(session, before)
        if matches:
            self.named(session, matches)


def _nobody_sits(_session: Session, _before: Session | None) -> None:
    """Before the tables are there nobody sits anywhere."""


def _nobody_asks(_session: Session, _matches: Sequence[str]) -> None:
    """Before the tables are there nobody sits anywhere."""


def _nobody_is_asked(_links: Iterable[SeatLink]) -> Sequence[OpenSeat]:
    """Before the tables are there nobody sits anywhere."""
    return ()


def _nobody_moves(_player: str) -> None:
    """Before the tables are there nobody sits anywhere."""


def _spot(ended: play_pb2.MatchEnded) -> tuple[str, int]:
    return ended.seat.match_id, ended.seat.seat


def superseded() -> ArenaError:
    """The answer to a connection whose session a newer one has."""
    return ArenaError(
        Complaint.SUPERSEDED,
        "a newer connection of this player took over: do not reconnect from here",
    )


def _welcome(session: Session, resumed: bool, waiting: Iterable[OpenSeat], quotas: Quotas) -> bytes:
    welcome = play_pb2.Welcome(
        session_id=session.session_id,
        fence=session.fence,
        resumed=resumed,
        player=session.player,
        limits=limits_to_wire(quotas.limits),
        last_seq=session.last,
        open_decisions=[seat.in_short() for seat in waiting],
        quotas=quotas.told(session.player),
    )
    return play_pb2.ServerFrame(welcome=welcome).SerializeToString()
