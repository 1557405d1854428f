"""A server on the loopback that does what a test's script says, connection by connection."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc
import grpc.aio
from grpc.aio import EOF  # type: ignore[attr-defined]  # missing from the stubs

from burraco.engine import Action, MatchSetup, Seed, match_view, preset, start_match
from burraco.engine.events import Event
from burraco.engine.match import Match, play
from burraco.engine.standin import default_action
from burraco.v1 import (
    errors_pb2,
    events_pb2,
    match_service_pb2_grpc,
    matches_pb2,
    play_pb2,
    play_service_pb2_grpc,
    views_pb2,
)
from burraco.wire import (
    action_to_wire,
    event_to_wire,
    points_to_wire,
    rules_to_wire,
    seat_to_wire,
    view_to_wire,
)

# Contexts of any call, messages of any method, and whatever a field of a message takes.
Context = Any
Message = Any
Field = Any
TOKEN = "token"
PLAYERS = ("n", "e", "s", "w")


class Connection:
    """One stream as the script of a test sees it; pings and the good-bye are taken note of."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.metadata = dict(context.invocation_metadata())
        self.hello = play_pb2.Hello()
        self.has_left = False
        self.pings: list[play_pb2.Ping] = []

    async def open(self, *, session: str = "session", resumed: bool = False, **more: Field) -> None:
        """Take the Hello and send the Welcome."""
        frame = await self.receive()
        self.hello = frame.hello
        welcome = play_pb2.Welcome(session_id=session, resumed=resumed, player="n", **more)
        await self.send(welcome=welcome)

    async def receive(self) -> play_pb2.ClientFrame:
        """The next frame that is no ping."""
        while True:
            frame: play_pb2.ClientFrame = await self._context.read()
            if frame is EOF:
                raise EOFError
            if frame.HasField("leave"):
                self.has_left = True
            elif frame.HasField("ping"):
                self.pings.append(frame.ping)
                await self.send(pong=play_pb2.Pong(nonce=frame.ping.nonce))
            else:
                return frame

    async def ping(self) -> None:
        """Wait for a ping where nothing else may come."""
        frame: play_pb2.ClientFrame = await self._context.read()
        assert frame.HasField("ping"), frame
        self.pings.append(frame.ping)
        await self.send(pong=play_pb2.Pong(nonce=frame.ping.nonce))

    async def act(self) -> play_pb2.Act:
        """The next frame, which must be an act."""
        frame = await self.receive()
        assert frame.HasField("act"), frame
        return frame.act

    async def send(self, seq: int = 0, **body: Field) -> None:
        """Send a frame."""
        await self._context.write(play_pb2.ServerFrame(seq=seq, **body))

    async def judge(self, act: play_pb2.Act, kind: str, seq: int = 0, **more: Field) -> None:
        """Send the verdict on an act."""
        verdict = play_pb2.Verdict(
            seat=act.seat,
            decision_id=act.decision_id,
            action_id=act.action_id,
            kind=play_pb2.VerdictKind.Value(f"VERDICT_KIND_{kind}"),
            **more,
        )
        await self.send(seq, verdict=verdict)

    async def fail(self, code: grpc.StatusCode, message: str) -> None:
        """End the stream with an error."""
        await self._context.abort(code, message)

    async def until_closed(self) -> None:
        """Wait until the client has gone; nothing but pings may come."""
        try:
            frame = await self.receive()
        except EOFError:
            return
        raise AssertionError(f"not expected: {frame}")


Script = Callable[[Connection], Awaitable[None]]


class _Play(play_service_pb2_grpc.PlayServiceServicer):
    def __init__(self, scripts: Sequence[Script]) -> None:
        self._scripts = iter(scripts)
        self.problems: list[BaseException] = []

    async def Play(self, request_iterator: Message, context: Context) -> None:  # type: ignore[override]
        script = next(self._scripts, None)
        if script is None:
            self.problems.append(AssertionError("more connections than scripts"))
            await context.abort(grpc.StatusCode.PERMISSION_DENIED, "enough")
        try:
            await script(Connection(context))  # type: ignore[misc]
        except grpc.aio.AbortError:
            raise
        except Exception as problem:
            self.problems.append(problem)
            await context.abort(grpc.StatusCode.PERMISSION_DENIED, f"script: {problem!r}")

    def WatchSeat(self, request: Message, context: Context) -> Message:
        raise AssertionError("no test of the client calls this")

    async def SubmitAction(self, request: Message, context: Context) -> Message:
        raise AssertionError("no test of the client calls this")


class Matches(match_service_pb2_grpc.MatchServiceServicer):
    """Answers with what it is given; the requests are kept."""

    def __init__(self, **answers: Field) -> None:
        self.answers = answers
        self.requests: list[Any] = []

    async def _answer(self, name: str, request: Message, context: Context) -> Message:
        self.requests.append(request)
        answer = self.answers[name]
        if isinstance(answer, tuple):
            await context.abort(*answer)
        return answer

    async def JoinMatch(self, request: Message, context: Context) -> Message:
        return await self._answer("JoinMatch", request, context)

    async def GetMatch(self, request: Message, context: Context) -> Message:
        return await self._answer("GetMatch", request, context)

    async def CreateMatch(self, request: Message, context: Context) -> Message:
        return await self._answer("CreateMatch", request, context)

    async def AdjudicateMatch(self, request: Message, context: Context) -> Message:
        return await self._answer("AdjudicateMatch", request, context)

    async def ExportMatch(self, request: Message, context: Context) -> Message:
        return await self._answer("ExportMatch", request, context)

    async def ListMatches(self, request: Message, context: Context) -> Message:
        self.requests.append(type(request).FromString(request.SerializeToString()))
        return self.answers["ListMatches"][request.page_token]

    async def WatchMatch(self, request: Message, context: Context) -> AsyncIterator[Any]:
        for message in self.answers["WatchMatch"]:
            yield message


@asynccontextmanager
async def serving(*scripts: Script, matches: Matches | None = None) -> AsyncIterator[str]:
    """The address of a server that runs one script a connection; raises what went wrong in one."""
    server = grpc.aio.server()
    play = _Play(scripts)
    play_service_pb2_grpc.add_PlayServiceServicer_to_server(play, server)
    match_service_pb2_grpc.add_MatchServiceServicer_to_server(matches or Matches(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)
        await asyncio.sleep(0)
        for problem in play.problems:
            raise problem


def a_match(number: int = 1, *, dealer: int = 3, asks_cut: bool = False) -> Match:
    """A match in which North is to move at once."""
    seed = Seed(bytes([number]) * 80, b"")
    return start_match(MatchSetup(preset("classic"), seed, dealer, 1, asks_cut)).match


def after(match: Match, *actions: Action) -> Match:
    """The match some actions later."""
    for action in actions:
        match = play(match, action).match
    return match


def seat_ref(match_id: str = "m", seat: int = 0) -> play_pb2.SeatRef:
    return play_pb2.SeatRef(match_id=match_id, seat=seat_to_wire(seat))


def started(match_id: str = "m", seat: int = 0) -> play_pb2.MatchStarted:
    terms = matches_pb2.MatchTerms(rules=rules_to_wire(preset("classic")), deals=1)
    return play_pb2.MatchStarted(seat=seat_ref(match_id, seat), terms=terms, players=PLAYERS)


def decision(
    match: Match, number: int, match_id: str = "m", seat: int = 0, **more: Field
) -> play_pb2.Decision:
    """The question a seat is asked; the default is the one of the rules."""
    view = match_view(match, seat)
    assert view is not None
    return play_pb2.Decision(
        seat=seat_ref(match_id, seat),
        decision_id=number,
        view=view_to_wire(view),
        default_actions=[action_to_wire(default_action(view))],
        **{"attempt": 1, **more},
    )


def cut_decision(number: int, default: Action) -> play_pb2.Decision:
    public = views_pb2.PublicView(
        deal=1, dealer=seat_to_wire(3), turn=seat_to_wire(0), phase=views_pb2.PHASE_CUT
    )
    view = views_pb2.SeatView(public=public, own=views_pb2.OwnView(seat=seat_to_wire(0)))
    return play_pb2.Decision(
        seat=seat_ref(),
        decision_id=number,
        view=view,
        default_actions=[action_to_wire(default)],
        attempt=1,
    )


def wire_events(events: Sequence[Event], first: int, seat: int = 0) -> list[events_pb2.Event]:
    return [
        event_to_wire(event.seen_by(seat), number) for number, event in enumerate(events, first)
    ]


def result(ns: int = 100, ew: int = 20) -> matches_pb2.MatchResult:
    seats = [
        matches_pb2.SeatResult(
            seat=seat_to_wire(seat), player=player, end=matches_pb2.SEAT_END_CLEAN
        )
        for seat, player in enumerate(PLAYERS)
    ]
    return matches_pb2.MatchResult(
        end=matches_pb2.MATCH_END_PLAYED, totals=points_to_wire((ns, ew)), seats=seats, deals=1
    )


def ended(match_id: str = "m", seat: int = 0, **more: Field) -> play_pb2.MatchEnded:
    return play_pb2.MatchEnded(seat=seat_ref(match_id, seat), result=result(), **more)


def refusal(reason: str = "NO_SUCH_MELD") -> errors_pb2.Refusal:
    return errors_pb2.Refusal(reason=reason, rule="R27", message="name a meld of your own side")
