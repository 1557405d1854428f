"""A bot that speaks the protocol by itself and writes down all it sends and is told."""

import asyncio
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

import grpc
import grpc.aio

from burraco.engine import Discard, Ruleset, View
from burraco.engine.standin import greedy_action
from burraco.v1 import events_pb2, match_service_pb2, match_service_pb2_grpc, matches_pb2, play_pb2
from burraco.v1 import play_service_pb2_grpc as service
from burraco.wire import action_to_wire, rules_from_wire, seat_from_wire, view_from_wire
from tests.faults.moments import Moment
from tests.server.harness import bearer

Spot = tuple[str, int]
Stream = grpc.aio.StreamStreamCall[play_pb2.ClientFrame, play_pb2.ServerFrame]
_NUMBERS: Final = itertools.count(1)
_PASSING: Final = ("UNAVAILABLE", "INTERNAL")
PATIENCE_SECONDS: Final = 2.0
_RETRY_SECONDS: Final = 0.05
APPLIED: Final = play_pb2.VERDICT_KIND_APPLIED


@dataclass(slots=True)
class Journal:
    """What one bot sent and was told, in order.

    ``acts`` are the acts by id, ``verdicts`` the kinds of their verdicts. ``events`` are the events
    of a seat by number, ``faults`` what was wrong while it was being told. ``snapshots`` counts the
    times that a new session began with a later view in place of events (design §5.4), ``put_off``
    those that an act was refused for a reason that passes.
    """

    name: str
    acts: dict[str, play_pb2.Act] = field(default_factory=dict)
    verdicts: dict[str, list[play_pb2.VerdictKind.ValueType]] = field(default_factory=dict)
    events: dict[Spot, dict[int, bytes]] = field(default_factory=dict)
    frames: dict[tuple[str, int], bytes] = field(default_factory=dict)
    ended: dict[Spot, matches_pb2.MatchEnd.ValueType] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    connections: int = 0
    resumed: int = 0
    snapshots: int = 0
    put_off: int = 0


def _nothing(_moment: Moment) -> None:
    """No moment matters."""


class Player:
    """Plays all its matches over one stream, greedily, and comes back whatever happens.

    ``matches`` is the number of seats whose end it waits for; ``at`` is called at each moment. A
    connection that says nothing for ``patience`` seconds is given up: it may be a black hole.
    """

    def __init__(
        self, name: str, token: str, matches: int, at: Callable[[Moment], None] = _nothing
    ) -> None:
        self.journal = Journal(name)
        self.at = at
        self.patience = PATIENCE_SECONDS
        self._metadata = bearer(token)
        self._due = matches
        self._session, self._last_seq = "", 0
        self._rules: dict[str, Ruleset] = {}
        self._pending: dict[Spot, play_pb2.Act] = {}
        self._seats: set[Spot] = set()
        self._last_event: dict[Spot, int] = {}
        self._closing: set[str] = set()

    @property
    def is_done(self) -> bool:
        """Whether the end of every match has been told."""
        return len(self.journal.ended) >= self._due

    async def play(self, address: str) -> None:
        """Stay connected until every match has ended; the caller bounds the time."""
        while not self.is_done:
            try:
                async with grpc.aio.insecure_channel(address, options=_FRESH) as channel:
                    await self._ask_for_ends(channel)
                    await self._one_stream(channel)
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError, TimeoutError):
                await asyncio.sleep(_RETRY_SECONDS)

    async def _ask_for_ends(self, channel: grpc.aio.Channel) -> None:
        """Learn of matches that ended while nobody could be told."""
        stub = match_service_pb2_grpc.MatchServiceStub(channel)
        for spot in self._seats - self.journal.ended.keys():
            request = match_service_pb2.GetMatchRequest(match_id=spot[0])
            shown = await stub.GetMatch(request, metadata=self._metadata, timeout=10)
            if shown.match.state == matches_pb2.MATCH_STATE_ENDED:
                self.journal.ended[spot] = shown.match.result.end

    async def _one_stream(self, channel: grpc.aio.Channel) -> None:
        async with asyncio.timeout(self.patience):
            await channel.channel_ready()
        stub = service.PlayServiceStub(channel)
        stream = stub.Play(metadata=self._metadata)  # type: ignore[call-arg]  # written by hand
        self.journal.connections += 1
        self.at(Moment.BEFORE_HELLO)
        hello = play_pb2.Hello(session_id=self._session, last_seq=self._last_seq, client="journal")
        try:
            async with asyncio.timeout(self.patience):
                await stream.write(play_pb2.ClientFrame(hello=hello))
            while not self.is_done:
                async with asyncio.timeout(self.patience):
                    frame = await stream.read()
                    if not isinstance(frame, play_pb2.ServerFrame):
                        return
                    await self._react(stream, frame)
        finally:
            stream.cancel()

    async def _react(self, stream: Stream, frame: play_pb2.ServerFrame) -> None:
        acts = self.take(frame)
        self._notice(frame, acts)
        if frame.HasField("stream_error"):
            await asyncio.sleep(_RETRY_SECONDS)
        for act in acts:
            await stream.write(play_pb2.ClientFrame(act=act))

    def _notice(self, frame: play_pb2.ServerFrame, acts: Iterable[play_pb2.Act]) -> None:
        acts = tuple(acts)
        if frame.HasField("match_ended") or any(act.action_id in self._closing for act in acts):
            self.at(Moment.MATCH_END)
        elif acts:
            for moment in (
                Moment.DECISION_OPEN,
                Moment.ACT_IN_FLIGHT,
                Moment.VERDICT_IN_FLIGHT,
            ):
                self.at(moment)
        else:
            self.at(Moment.WAITING)

    def take(self, frame: play_pb2.ServerFrame) -> list[play_pb2.Act]:
        """Write a frame down; gives the acts that are due on it."""
        if frame.seq:
            self._count(frame)
        match frame.WhichOneof("body"):
            case "welcome":
                return self._greeted(frame.welcome)
            case "match_started":
                started = frame.match_started
                self._rules[started.seat.match_id] = rules_from_wire(started.terms.rules)
                self._seats.add(_spot(started.seat))
            case "decision":
                return self._answer(frame.decision)
            case "verdict":
                return self._judged(frame.verdict)
            case "live_events":
                self._learn(frame.live_events.seat, frame.live_events.events)
            case "match_ended":
                self._learn(frame.match_ended.seat, frame.match_ended.events)
                self.journal.ended[_spot(frame.match_ended.seat)] = frame.match_ended.result.end
            case "stream_error":
                return self._refused(frame.stream_error)
            case _:
                pass
        return []

    def _count(self, frame: play_pb2.ServerFrame) -> None:
        raw = frame.SerializeToString(deterministic=True)
        key = (self._session, frame.seq)
        if self.journal.frames.setdefault(key, raw) != raw:
            self.journal.faults.append(f"frame {frame.seq} was told in two ways")
        if frame.seq > self._last_seq + 1:
            self.journal.faults.append(f"frame {frame.seq} after {self._last_seq}: a gap")
        self._last_seq = max(self._last_seq, frame.seq)

    def _greeted(self, welcome: play_pb2.Welcome) -> list[play_pb2.Act]:
        self.journal.resumed += welcome.resumed
        if not welcome.resumed:
            self._session, self._last_seq = welcome.session_id, 0
            self._last_event.clear()
        return list(self._pending.values())

    def _answer(self, decision: play_pb2.Decision) -> list[play_pb2.Act]:
        spot = _spot(decision.seat)
        self._learn(decision.seat, decision.events)
        pending = self._pending.get(spot)
        if pending is not None and pending.decision_id == decision.decision_id:
            return [pending]
        act = self._choose(decision, view_from_wire(decision.view, self._rules[spot[0]]))
        self.journal.acts[act.action_id] = act
        self._pending[spot] = act
        return [act]

    def _choose(self, decision: play_pb2.Decision, view: View) -> play_pb2.Act:
        action = greedy_action(view)
        act = play_pb2.Act(
            seat=decision.seat,
            decision_id=decision.decision_id,
            action_id=f"{self.journal.name}-{next(_NUMBERS)}",
            actions=[action_to_wire(action)],
        )
        if isinstance(action, Discard) and len(view.hand) == 1:
            self._closing.add(act.action_id)
        return act

    def _judged(self, verdict: play_pb2.Verdict) -> list[play_pb2.Act]:
        spot = _spot(verdict.seat)
        self.journal.verdicts.setdefault(verdict.action_id, []).append(verdict.kind)
        self._learn(verdict.seat, verdict.events)
        pending = self._pending.get(spot)
        if pending is not None and pending.action_id == verdict.action_id:
            del self._pending[spot]
        return self._answer(verdict.next) if verdict.HasField("next") else []

    def _refused(self, error: play_pb2.StreamError) -> list[play_pb2.Act]:
        if error.code not in _PASSING and not error.HasField("retry_ms"):
            self.journal.faults.append(f"{error.code} {error.refusal.reason}")
            return []
        self.journal.put_off += bool(error.action_id)
        return [act for act in self._pending.values() if act.action_id == error.action_id]

    def _learn(self, seat: play_pb2.SeatRef, events: Iterable[events_pb2.Event]) -> None:
        spot = _spot(seat)
        told = self.journal.events.setdefault(spot, {})
        for event in events:
            self._follow(spot, event.number)
            raw = event.SerializeToString(deterministic=True)
            if told.setdefault(event.number, raw) != raw:
                self.journal.faults.append(f"{seat.match_id}: event {event.number} was undone")

    def _follow(self, spot: Spot, number: int) -> None:
        """Within a session event follows event; a new one may begin later than the last ended."""
        before = self._last_event.get(spot)
        if before is None:
            self.journal.snapshots += number > 1 and number - 1 not in self.journal.events[spot]
        elif number > before + 1:
            self.journal.faults.append(f"{spot[0]}: event {number} after {before}: a gap")
        self._last_event[spot] = max(number, before or 0)


# A channel of its own for each connection, so that a cut one is not remembered by another.
_FRESH: Final = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0))


def _spot(seat: play_pb2.SeatRef) -> Spot:
    return seat.match_id, seat_from_wire(seat.seat)
