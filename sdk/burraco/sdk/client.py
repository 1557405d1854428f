"""Plays a bot at a server: one stream for all its matches, kept up over lost connections."""

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Final

import grpc
import grpc.aio

from burraco.engine.state import SEAT_NAMES
from burraco.sdk.asking import LOG, PlayOptions
from burraco.sdk.bot import Bot
from burraco.sdk.calls import CALL_SECONDS, Server, complaint_of
from burraco.sdk.decoding import refusal_from_wire, result_from_wire
from burraco.sdk.outcome import MatchResult
from burraco.sdk.seat import Seat
from burraco.sdk.stream import PlayStream, StreamLost
from burraco.v1 import match_service_pb2, match_service_pb2_grpc, matches_pb2, play_pb2
from burraco.wire import seat_from_wire, seat_to_wire

# Without any contact for so long the client gives up.
PATIENCE_SECONDS: Final = 60.0
_SHORTEST_WAIT: Final = 0.1
_LONGEST_WAIT: Final = 5.0
# An act without a verdict is sent again after twice as long at most.
NUDGE_SECONDS: Final = 5.0
_PERMANENT: Final = frozenset(
    {
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.ABORTED,
    }
)


class ClientFailed(Exception):
    """The client cannot go on; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Place:
    """A free seat to take; ``seat`` None for any of the match."""

    match_id: str
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class PlayPlan:
    """What a client is to do.

    It ends after ``matches`` matches, 0 for never. ``told`` hears of every seat whose match ends.
    Without contact for ``patience`` seconds it gives up, and an act without a verdict is sent again
    after ``nudge`` to twice ``nudge`` seconds.
    """

    options: PlayOptions = field(default_factory=PlayOptions)
    matches: int = 0
    join: Place | None = None
    patience: float = PATIENCE_SECONDS
    nudge: float = NUDGE_SECONDS
    told: Callable[[str, int, MatchResult], None] | None = None


class PlayClient:
    """Holds the session of one bot; ``play`` once."""

    def __init__(self, bot: type[Bot], server: Server, plan: PlayPlan) -> None:
        self._bot = bot
        self._server = server
        self._plan = plan
        self._seats: dict[tuple[str, int], Seat] = {}
        self._results: dict[str, MatchResult] = {}
        self._stream: PlayStream | None = None
        self._session_id = ""
        self._last_seq = 0
        self._to_join = plan.join
        self._contact = time.monotonic()
        self._failures = 0
        self._tasks: asyncio.TaskGroup

    async def play(self) -> dict[str, MatchResult]:
        """Play until it is enough; gives the results by match."""
        try:
            async with asyncio.TaskGroup() as self._tasks:
                nudging = self._tasks.create_task(self._nudge())
                await self._stay_connected()
                nudging.cancel()
                for seat in self._seats.values():
                    seat.leave()
        except BaseExceptionGroup as failed:
            raise _first(failed) from None
        return self._results

    async def _stay_connected(self) -> None:
        while True:
            try:
                await self._connect()
            except StreamLost as lost:
                self._stream = None
                await self._wait(lost)
            else:
                return

    async def _connect(self) -> None:
        """Play over one connection until it is enough, or raise ``StreamLost``."""
        hello = play_pb2.Hello(
            session_id=self._session_id,
            last_seq=self._last_seq,
            client=f"burraco-python {version('burraco')}",
        )
        async with PlayStream(self._server) as stream:
            await self._welcome(await stream.open(hello), stream)
            async with aclosing(stream.frames()) as frames:
                async for frame in frames:
                    self._last_seq = stream.last_seq
                    self._contact, self._failures = time.monotonic(), 0
                    await self._take(frame)
                    if 0 < self._plan.matches <= len(self._results):
                        await stream.acknowledge()
                        return

    async def _wait(self, lost: StreamLost) -> None:
        """Wait a little, longer each time; raise when waiting will not help."""
        if lost.complaint is not None and lost.complaint.code in _PERMANENT:
            raise ClientFailed(f"{self._server.address}: {lost.complaint.message}")
        silent = time.monotonic() - self._contact
        if silent > self._plan.patience:
            raise ClientFailed(
                f"{self._server.address}: no contact for {silent:.0f} s ({lost}): check that the"
                " server runs there, then start again"
            )
        LOG.warning("%s: %s; connecting again", self._server.address, lost)
        longest = min(_LONGEST_WAIT, _SHORTEST_WAIT * 2**self._failures)
        self._failures = min(self._failures + 1, 16)
        await asyncio.sleep(random.uniform(longest / 2, longest))

    async def _welcome(self, welcome: play_pb2.Welcome, stream: PlayStream) -> None:
        self._stream = stream
        self._session_id = welcome.session_id
        if welcome.resumed:
            for seat in list(self._seats.values()):
                await seat.resume()
        else:
            self._last_seq = 0
            for seat in self._seats.values():
                seat.renew()
            if self._seats:
                self._tasks.create_task(self._look_for_ends())
        LOG.info("%s: connected as %s", self._server.address, welcome.player)
        if self._to_join is not None:
            await self._join(self._to_join)
            self._to_join = None

    async def _take(self, frame: play_pb2.ServerFrame) -> None:
        match frame.WhichOneof("body"):
            case "decision":
                seat = self._seat(frame.decision.seat)
                if seat is not None:
                    await seat.decide(frame.decision)
            case "verdict":
                seat = self._seat(frame.verdict.seat)
                if seat is not None:
                    await seat.judge(frame.verdict)
            case "match_started":
                self._start(frame.match_started)
            case "match_ended":
                ended = frame.match_ended
                self._end(ended.seat, ended.result, ended)
            case "live_events":
                seat = self._seat(frame.live_events.seat)
                if seat is not None:
                    seat.learn(frame.live_events.events)
            case "stream_error":
                await self._complain(frame.stream_error)
            case "superseded":
                raise ClientFailed(
                    f"{self._server.address}: another process plays with this token now; give every"
                    " process a bot and a token of its own"
                )
            case "draining":
                LOG.info("%s: the server is about to stop", self._server.address)
            case _:
                pass

    def _seat(self, ref: play_pb2.SeatRef) -> Seat | None:
        return self._seats.get((ref.match_id, seat_from_wire(ref.seat)))

    def _start(self, started: play_pb2.MatchStarted) -> None:
        ref = started.seat
        if self._seat(ref) is None:
            self._seats[ref.match_id, seat_from_wire(ref.seat)] = Seat(
                started, self._bot, self._plan.options, self._send, self._tasks.create_task
            )

    def _end(
        self,
        ref: play_pb2.SeatRef,
        result: matches_pb2.MatchResult,
        ended: play_pb2.MatchEnded | None,
    ) -> None:
        seat = self._seats.pop((ref.match_id, seat_from_wire(ref.seat)), None)
        if seat is None:
            # Of a seat that an earlier process of this bot held.
            return
        outcome = result_from_wire(result)
        seat.end(() if ended is None else ended.events, outcome)
        if self._plan.told is not None:
            self._plan.told(ref.match_id, seat_from_wire(ref.seat), outcome)
        # A client that plays for ever has nobody to give results to, and keeps none.
        if self._plan.matches and not any(name == ref.match_id for name, _ in self._seats):
            self._results[ref.match_id] = outcome

    async def _complain(self, error: play_pb2.StreamError) -> None:
        LOG.warning("%s: %s", self._server.address, refusal_from_wire(error.refusal))
        for seat in list(self._seats.values()):
            await seat.complain(error)

    async def _send(self, act: play_pb2.Act) -> None:
        """Send an act; while there is no stream it stays pending."""
        if self._stream is not None:
            await self._stream.send(play_pb2.ClientFrame(act=act))

    async def _nudge(self) -> None:
        while True:
            await asyncio.sleep(self._plan.nudge)
            if self._stream is not None:
                for seat in list(self._seats.values()):
                    await seat.nudge()

    async def _look_for_ends(self) -> None:
        """Ask how matches ended that a restarted server does not speak of any more."""
        async with self._server.channel() as channel:
            stub = match_service_pb2_grpc.MatchServiceStub(channel)
            for match_id, seat in list(self._seats):
                request = match_service_pb2.GetMatchRequest(match_id=match_id)
                try:
                    answer = await stub.GetMatch(
                        request, metadata=self._server.metadata, timeout=CALL_SECONDS
                    )
                except grpc.aio.AioRpcError as error:
                    LOG.warning("match %s: %s", match_id, complaint_of(error))
                    continue
                if answer.match.state == matches_pb2.MATCH_STATE_ENDED:
                    ref = play_pb2.SeatRef(match_id=match_id, seat=seat_to_wire(seat))
                    self._end(ref, answer.match.result, None)
        if self._stream is not None:
            # The answer is a frame, at which the reading side sees whether it is enough.
            await self._stream.acknowledge()

    async def _join(self, place: Place) -> None:
        request = match_service_pb2.JoinMatchRequest(match_id=place.match_id)
        if place.seat is not None:
            request.seat = seat_to_wire(place.seat)
        async with self._server.channel() as channel:
            stub = match_service_pb2_grpc.MatchServiceStub(channel)
            try:
                answer = await stub.JoinMatch(
                    request, metadata=self._server.metadata, timeout=CALL_SECONDS
                )
            except grpc.aio.AioRpcError as error:
                complaint = complaint_of(error)
                if complaint.reason == "ALREADY_SEATED":
                    return
                raise ClientFailed(f"match {place.match_id}: {complaint.message}") from None
        LOG.info("match %s: seat %s taken", place.match_id, SEAT_NAMES[seat_from_wire(answer.seat)])


def _first(failed: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error of the first task that failed; the others were only cancelled."""
    inner = failed.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner


async def play_bot(
    bot: type[Bot], server: str, token: str, plan: PlayPlan | None = None
) -> dict[str, MatchResult]:
    """Play a bot at ``server`` (HOST:PORT) until the plan is done; gives the results by match.

    Raises ``ClientFailed`` where waiting does not help, ``BotCrashed`` when the bot raises, and
    ``IllegalAnswer`` in strict mode.
    """
    return await PlayClient(bot, Server(server, token), plan or PlayPlan()).play()


def run_bot(
    bot: type[Bot], server: str, token: str, plan: PlayPlan | None = None
) -> dict[str, MatchResult]:
    """``play_bot`` for a program without an event loop of its own."""
    return asyncio.run(play_bot(bot, server, token, plan))
