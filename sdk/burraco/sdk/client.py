"""Plays a bot at a server: one stream for all its matches, kept up over lost connections."""

import asyncio
import signal
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Final

import grpc

from burraco.sdk.asking import LOG, PlayOptions, hears_events
from burraco.sdk.backoff import BackOff
from burraco.sdk.bot import Bot
from burraco.sdk.calls import Server
from burraco.sdk.decoding import refusal_from_wire, result_from_wire
from burraco.sdk.ordering import ActLedger, FrameOrder, StreamLost
from burraco.sdk.outcome import MatchResult
from burraco.sdk.seat import Line, Seat, Sleep
from burraco.sdk.seating import Place, ended_among, join
from burraco.sdk.stopping import Stopped, run_until_stopped
from burraco.sdk.stream import LEAVE_SECONDS, PlayStream
from burraco.v1 import matches_pb2, play_pb2
from burraco.wire import seat_from_wire, seat_to_wire

# Without any contact for so long the client gives up.
PATIENCE_SECONDS: Final = 60.0
# An act without a verdict is sent again after twice as long at most.
NUDGE_SECONDS: Final = 5.0
# Refusals of a call that are over after a while.
_PASSING: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
    }
)
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
    """Holds the session of one bot; ``play`` once. ``sleep`` is how it waits."""

    def __init__(
        self, bot: type[Bot], server: Server, plan: PlayPlan, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._bot = bot
        self._server = server
        self._plan = plan
        self._sleep = sleep
        self._seats: dict[tuple[str, int], Seat] = {}
        self._results: dict[str, MatchResult] = {}
        # The connection there is, and the same once its Welcome has come.
        self._connection: PlayStream | None = None
        self._stream: PlayStream | None = None
        self._order = FrameOrder(strict=plan.options.strict)
        self._ledger = ActLedger() if plan.options.strict else None
        self._line = Line(self._send, self._spawn, sleep)
        self._back_off = BackOff()
        self._to_join = plan.join
        self._contact = time.monotonic()
        # While the session goes on after a break: its last frame before that, and what is open.
        self._behind: play_pb2.Welcome | None = None
        self._is_leaving = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._failure: asyncio.Future[None]

    @property
    def gaps(self) -> int:
        """How often a frame was missing, and was asked for again over a new connection."""
        return self._order.gaps

    async def play(self) -> dict[str, MatchResult]:
        """Play until it is enough; gives the results by match.

        However it ends, also when it is cancelled, the server is told good-bye.
        """
        self._failure = asyncio.get_running_loop().create_future()
        staying = asyncio.create_task(self._stay_connected())
        self._spawn(self._nudge())
        try:
            await asyncio.wait((staying, self._failure), return_when=asyncio.FIRST_COMPLETED)
        finally:
            try:
                await self._leave(staying)
            finally:
                await self._end_tasks(staying)
        if self._failure.done():
            self._failure.result()
        staying.result()
        return self._results

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Do something beside; when it fails, the client does."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        problem = None if task.cancelled() else task.exception()
        if problem is not None and not self._failure.done():
            self._failure.set_exception(problem)

    async def _leave(self, staying: asyncio.Task[None]) -> None:
        """Say good-bye over the connection there is, and wait a little until it was heard."""
        self._is_leaving = True
        for seat in self._seats.values():
            seat.leave()
        line = self._connection
        if staying.done() or line is None or not line.is_heard:
            return
        try:
            async with asyncio.timeout(LEAVE_SECONDS):
                await line.leave()
                await asyncio.wait((staying,))
        except TimeoutError:
            return

    async def _end_tasks(self, staying: asyncio.Task[None]) -> None:
        tasks = {staying, *self._tasks}
        for task in tasks:
            task.cancel()
        # A bot's coroutine may refuse to be cancelled; it is not waited for.
        await asyncio.wait(tasks, timeout=LEAVE_SECONDS)
        # Only one error is raised in the end; asyncio is told that the other has been seen, too.
        for done in (self._failure, staying):
            if done.done() and not done.cancelled():
                done.exception()

    async def _stay_connected(self) -> None:
        while not self._is_leaving:
            try:
                await self._connect()
            except StreamLost as lost:
                if not self._is_leaving:
                    await self._wait(lost)
            else:
                return

    async def _connect(self) -> None:
        """Play over one connection until it is enough, or raise ``StreamLost``."""
        hello, unnamed = self._hello()
        async with PlayStream(self._server, self._order) as stream:
            self._connection = stream
            try:
                welcome = await stream.open(hello)
                self._stream = stream
                await self._welcome(welcome, unnamed)
                await self._follow(stream)
            finally:
                self._connection = self._stream = None

    def _hello(self) -> tuple[play_pb2.Hello, Sequence[str]]:
        """How to begin, and the matches that there is no room for in it."""
        matches = list(dict.fromkeys(match_id for match_id, _ in self._seats))
        room = self._line.limits.hello_matches
        hello = play_pb2.Hello(
            session_id=self._order.session_id,
            last_seq=self._order.last_seq,
            client=f"burraco-python {version('burraco')}",
            live_events=hears_events(self._bot),
            matches=matches[:room],
        )
        return hello, matches[room:]

    async def _follow(self, stream: PlayStream) -> None:
        """Take frames until it is enough."""
        async with aclosing(stream.frames()) as frames:
            async for frame in frames:
                self._contact = time.monotonic()
                self._back_off.succeed()
                if self._is_leaving:
                    continue
                await self._take(frame)
                await self._catch_up()
                if 0 < self._plan.matches <= len(self._results):
                    return

    async def _wait(self, lost: StreamLost) -> None:
        """Wait a little, longer each time; raise when waiting will not help."""
        complaint = lost.complaint
        if complaint is not None and complaint.code in _PERMANENT:
            raise ClientFailed(f"{self._server.address}: {complaint.message}")
        silent = time.monotonic() - self._contact
        if silent > self._plan.patience:
            raise ClientFailed(
                f"{self._server.address}: no contact for {silent:.0f} s ({lost}): check that the"
                " server runs there, then start again"
            )
        # As text: whoever keeps log records would keep the connection with the error.
        LOG.warning("%s: %s; connecting again", self._server.address, str(lost))
        asked_for = 0.0 if complaint is None else complaint.retry_seconds
        await self._sleep(self._back_off.next_seconds(asked_for))

    async def _welcome(self, welcome: play_pb2.Welcome, unnamed: Sequence[str]) -> None:
        self._line.limits = welcome.limits
        if welcome.resumed:
            self._behind = welcome
            for seat in self._seats.values():
                seat.hold()
            await self._catch_up()
        else:
            self._behind = None
            for seat in self._seats.values():
                seat.renew()
            if unnamed:
                self._spawn(self._look_for_ends(unnamed))
        LOG.info("%s: connected as %s", self._server.address, welcome.player)
        if self._to_join is not None and not self._is_leaving:
            await self._join(self._to_join)
            self._to_join = None

    async def _catch_up(self) -> None:
        """Once the frames that were missed are here, go on with what is still open."""
        welcome = self._behind
        if welcome is None or self._order.last_seq < welcome.last_seq:
            return
        self._behind = None
        now = {(told.seat.match_id, told.seat.seat): told for told in welcome.open_decisions}
        for (match_id, seat), sitting in list(self._seats.items()):
            await sitting.resume(now.get((match_id, seat_to_wire(seat))))

    async def _take(self, frame: play_pb2.ServerFrame) -> None:
        match frame.WhichOneof("body"):
            case "decision":
                seat = self._seat(frame.decision.seat)
                if seat is not None:
                    await seat.decide(frame.decision, is_state=not frame.seq)
            case "verdict":
                if self._ledger is not None:
                    self._ledger.judge(frame.verdict)
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
                    seat.hear(frame.live_events)
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
                started, self._bot, self._plan.options, self._line
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
        if self._ledger is not None:
            self._ledger.complain(error)
        for seat in list(self._seats.values()):
            await seat.complain(error)

    async def _send(self, act: play_pb2.Act) -> None:
        """Send an act; while there is no stream it stays pending."""
        if self._stream is None:
            return
        if self._ledger is not None:
            self._ledger.send(act)
        await self._stream.send(play_pb2.ClientFrame(act=act))

    async def _nudge(self) -> None:
        while True:
            await self._sleep(self._plan.nudge)
            if self._stream is not None:
                for seat in list(self._seats.values()):
                    await seat.nudge()

    async def _look_for_ends(self, matches: Sequence[str]) -> None:
        """Ask how matches ended that were too many to name in a Hello."""
        async with aclosing(ended_among(self._server, matches)) as found:
            async for match_id, result in found:
                self._end_all(match_id, result)
        if self._stream is not None:
            # The answer is a frame, at which the reading side sees whether it is enough.
            await self._stream.acknowledge()

    def _end_all(self, match_id: str, result: matches_pb2.MatchResult) -> None:
        for name, seat in list(self._seats):
            if name == match_id:
                ref = play_pb2.SeatRef(match_id=match_id, seat=seat_to_wire(seat))
                self._end(ref, result, None)

    async def _join(self, place: Place) -> None:
        complaint = await join(self._server, place)
        if complaint is None:
            return
        if complaint.code in _PASSING or complaint.retry_seconds:
            raise StreamLost(str(complaint), complaint)
        raise ClientFailed(f"match {place.match_id}: {complaint.message}")


async def play_bot(
    bot: type[Bot], server: str, token: str, plan: PlayPlan | None = None
) -> dict[str, MatchResult]:
    """Play a bot at ``server`` (HOST:PORT) until the plan is done; gives the results by match.

    Lost connections are made again, and what was missed is fetched. When it is cancelled the server
    is told good-bye, so that the seats are left and not lost.

    Raises ``ClientFailed`` where waiting does not help, ``BotCrashed`` when the bot raises,
    ``WrongUsage`` for an address, token or plan that cannot be used, and in strict mode
    ``IllegalAnswer`` and ``ContractBroken``.
    """
    return await PlayClient(bot, Server(server, token), plan or PlayPlan()).play()


def run_bot(
    bot: type[Bot], server: str, token: str, plan: PlayPlan | None = None
) -> dict[str, MatchResult]:
    """``play_bot`` for a program without an event loop of its own.

    SIGTERM and Ctrl-C end it with a good-bye, and then the program as they would: with
    ``SystemExit`` and ``KeyboardInterrupt``. Beside the main thread no signal is heard.
    """
    try:
        return run_until_stopped(play_bot(bot, server, token, plan))
    except Stopped as stopped:
        if stopped.by is signal.SIGINT:
            raise KeyboardInterrupt from None
        raise SystemExit(stopped.status) from None
