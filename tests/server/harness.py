"""A real server in this process, and a bare client that speaks the protocol by hand."""

import asyncio
import io
import itertools
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2

from burraco.engine import Action, Ruleset, View
from burraco.engine.standin import greedy_action
from burraco.server.app import Arena
from burraco.server.clock import Clock
from burraco.server.folder import DataFolder
from burraco.server.logs import make_logger
from burraco.server.record import MatchRecord
from burraco.server.settings import PlayerLimits, ServeSettings
from burraco.server.tls import TlsFiles
from burraco.v1 import (
    bot_service_pb2,
    bot_service_pb2_grpc,
    cards_pb2,
    match_service_pb2,
    match_service_pb2_grpc,
    matches_pb2,
    play_pb2,
    play_service_pb2_grpc,
    rules_pb2,
)
from burraco.wire import action_from_wire, action_to_wire, rules_from_wire, view_from_wire

ORGANISER = "organiser-token"
SEED = bytes(range(80))
CLOCKS_OFF = matches_pb2.ClockTerms()
Metadata = tuple[tuple[str, str], ...]
_NUMBERS = itertools.count(1)


class FakeTimer:
    def __init__(self) -> None:
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True


class FakeClock:
    """Time that stands still until a test moves it."""

    def __init__(self) -> None:
        self._now = 1000.0
        self._due: list[tuple[float, int, FakeTimer, Callable[[], None]]] = []
        self._made = 0

    def now(self) -> float:
        return self._now

    def date_ms(self) -> int:
        return 1_800_000_000_000 + round((self._now - 1000.0) * 1000)

    def call_at(self, when: float, action: Callable[[], None]) -> FakeTimer:
        timer = FakeTimer()
        self._made += 1
        heappush(self._due, (when, self._made, timer, action))
        return timer

    def move(self, seconds: float) -> None:
        """Let time pass, and everything happen that becomes due on the way."""
        end = self._now + seconds
        while self._due and self._due[0][0] <= end:
            when, _, timer, action = heappop(self._due)
            self._now = max(self._now, when)
            if not timer.is_cancelled:
                action()
        self._now = end


def bearer(token: str) -> Metadata:
    return (("authorization", f"Bearer {token}"),)


class Running:
    """A server that runs, and how to reach it."""

    def __init__(self, arena: Arena, channel: grpc.aio.Channel, log: io.StringIO) -> None:
        self.arena = arena
        self.channel = channel
        self.log = log
        self.tokens: dict[str, str] = {}
        self.matches = match_service_pb2_grpc.MatchServiceStub(channel)
        self.bots = bot_service_pb2_grpc.BotServiceStub(channel)
        self.play = play_service_pb2_grpc.PlayServiceStub(channel)
        self.organiser = bearer(ORGANISER)

    async def register(self, *names: str) -> None:
        for name in names:
            request = bot_service_pb2.RegisterBotRequest(name=name)
            made = await self.bots.RegisterBot(request, metadata=self.organiser)
            self.tokens[name] = made.token

    def as_bot(self, name: str) -> Metadata:
        return bearer(self.tokens[name])

    async def create(
        self,
        players: Sequence[str],
        *,
        match_id: str = "m",
        deals: int = 1,
        preset: str = "classic",
        clocks: matches_pb2.ClockTerms | None = CLOCKS_OFF,
        faults: matches_pb2.FaultTerms | None = None,
        seed: bytes = SEED,
        dealer: cards_pb2.Seat.ValueType | None = cards_pb2.SEAT_W,
        board: tuple[str, int] = ("", 0),
        asks_cut: bool = False,
        draw_seats: bool = False,
        knobs: Mapping[str, str] | None = None,
    ) -> matches_pb2.MatchSummary:
        """Make a match; West deals, so North begins, unless said otherwise."""
        request = match_service_pb2.CreateMatchRequest(
            match_id=match_id,
            rules=rules_pb2.RulesChoice(preset=preset, overrides=knobs),
            players=players,
            deals=deals,
            clocks=clocks,
            faults=faults,
            seed=seed,
            dealer=dealer,
            board_id=board[0],
            board_tables=board[1],
            asks_cut=asks_cut,
            draw_seats=draw_seats,
        )
        made = await self.matches.CreateMatch(request, metadata=self.organiser)
        return made.match

    async def summary(self, match_id: str = "m") -> matches_pb2.MatchSummary:
        request = match_service_pb2.GetMatchRequest(match_id=match_id)
        shown = await self.matches.GetMatch(request, metadata=self.organiser)
        return shown.match

    def record(self, match_id: str = "m") -> MatchRecord:
        """What the server's log says of a match that is played."""
        table = self.arena.tables.find(match_id)
        assert table is not None
        return table.record

    async def connect(
        self,
        name: str,
        *,
        session_id: str = "",
        last_seq: int = 0,
        wants_live_events: bool = False,
        matches: Sequence[str] = (),
    ) -> "Client":
        client = Client(self, name)
        await client.hello(
            session_id, last_seq, wants_live_events=wants_live_events, matches=matches
        )
        return client


@asynccontextmanager
async def serving(
    folder: Path,
    clock: Clock | None = None,
    *,
    metrics: str | None = None,
    database: str | None = None,
    admin: str | None = None,
    tls: TlsFiles | None = None,
    limits: PlayerLimits | None = None,
    is_faultless: bool = True,
) -> AsyncIterator[Running]:
    """A server on a free port, stopped in order at the end; its log must show no fault of ours."""
    data = DataFolder(folder)
    log = io.StringIO()
    settings = ServeSettings(
        "127.0.0.1:0",
        folder,
        metrics,
        ORGANISER,
        database,
        admin,
        tls,
        limits=limits or PlayerLimits(),
    )
    arena = Arena(settings, data, make_logger(log), clock)
    try:
        try:
            await arena.start()
        except BaseException:
            await arena.close()
            raise
        try:
            async with grpc.aio.insecure_channel(str(arena.listen)) as channel:
                yield Running(arena, channel, log)
        finally:
            await arena.stop()
    finally:
        data.close()
    assert ("internal_error" in log.getvalue()) is not is_faultless, log.getvalue()


SOLO = "solo"


async def solo(running: Running, **terms: Any) -> "Client":  # noqa: ANN401 - as Running.create
    """One bot on all four seats of a match that begins."""
    if SOLO not in running.tokens:
        await running.register(SOLO)
    await running.create([SOLO] * 4, **terms)
    return await running.connect(SOLO)


async def gone(running: Running, name: str) -> None:
    """Wait until the server has seen that a bot's connection is closed."""
    session = running.arena.sessions.of(name)
    while session is not None and session.is_connected:
        await asyncio.sleep(0)


def reason_of(error: grpc.aio.AioRpcError) -> str:
    """The ErrorInfo reason that a failed call carries."""
    trailing: Any = error.trailing_metadata() or ()
    for key, value in trailing:
        if key == "grpc-status-details-bin":
            status = status_pb2.Status.FromString(value)
            facts = error_details_pb2.ErrorInfo()
            assert status.details[0].Unpack(facts)
            assert facts.domain == "burraco"
            assert status.message == error.details()
            return facts.reason
    raise AssertionError(f"{error.code()} without details: {error.details()}")


class Client:
    """One Play stream, spoken frame by frame."""

    def __init__(self, running: Running, name: str) -> None:
        self.name = name
        self.stream = running.play.Play(metadata=running.as_bot(name))  # type: ignore[call-arg]  # written by hand
        self.frames: list[play_pb2.ServerFrame] = []
        self.welcome = play_pb2.Welcome()
        self.rules: dict[str, Ruleset] = {}

    async def hello(
        self,
        session_id: str,
        last_seq: int,
        *,
        wants_live_events: bool = False,
        matches: Sequence[str] = (),
    ) -> None:
        hello = play_pb2.Hello(
            session_id=session_id,
            last_seq=last_seq,
            client="test",
            live_events=wants_live_events,
            matches=matches,
        )
        await self.send(play_pb2.ClientFrame(hello=hello))
        self.welcome = (await self.read()).welcome

    def close(self) -> None:
        """Go away without a word."""
        self.stream.cancel()

    async def send(self, frame: play_pb2.ClientFrame) -> None:
        await self.stream.write(frame)

    async def read(self) -> play_pb2.ServerFrame:
        frame = await self.stream.read()
        assert isinstance(frame, play_pb2.ServerFrame), f"{self.name}: the stream has ended"
        self.frames.append(frame)
        if frame.HasField("match_started"):
            started = frame.match_started
            self.rules[started.seat.match_id] = rules_from_wire(started.terms.rules)
        return frame

    async def read_until(self, body: str) -> play_pb2.ServerFrame:
        while True:
            frame = await self.read()
            if frame.WhichOneof("body") == body:
                return frame

    async def decision(self) -> play_pb2.Decision:
        return (await self.read_until("decision")).decision

    async def act(self, decision: play_pb2.Decision, *actions: Action, action_id: str = "") -> None:
        act = play_pb2.Act(
            seat=decision.seat,
            decision_id=decision.decision_id,
            action_id=action_id or f"act-{next(_NUMBERS)}",
            actions=[action_to_wire(action) for action in actions],
        )
        await self.send(play_pb2.ClientFrame(act=act))

    async def verdict(self) -> play_pb2.Verdict:
        return (await self.read_until("verdict")).verdict

    def view(self, decision: play_pb2.Decision) -> View:
        return view_from_wire(decision.view, self.rules[decision.seat.match_id])

    def default(self, decision: play_pb2.Decision) -> tuple[Action, ...]:
        """The actions that are played at zero."""
        return tuple(action_from_wire(action) for action in decision.default_actions)

    async def greedy(self, decision: play_pb2.Decision) -> None:
        await self.act(decision, greedy_action(self.view(decision)))

    async def play_to_the_end(self, matches: int = 1) -> list[play_pb2.MatchEnded]:
        """Play all seats greedily until so many ends have come."""
        ended: list[play_pb2.MatchEnded] = []
        while len(ended) < matches:
            frame = await self.read()
            if frame.HasField("decision"):
                await self.greedy(frame.decision)
            elif frame.HasField("verdict"):
                kind = frame.verdict.kind
                assert kind == play_pb2.VERDICT_KIND_APPLIED, frame.verdict
                if frame.verdict.HasField("next"):
                    await self.greedy(frame.verdict.next)
            elif frame.HasField("match_ended"):
                ended.append(frame.match_ended)
            else:
                assert frame.HasField("match_started"), frame
        return ended
