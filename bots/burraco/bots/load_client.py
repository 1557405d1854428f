"""A light client for many seats of one stream, so that the server is measured and not itself."""

import asyncio
import time
from array import array
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from burraco.bots.greedy import GreedyBot
from burraco.bots.random_bot import RandomBot
from burraco.engine import Ruleset
from burraco.sdk import Table
from burraco.sdk.stream import PlayStream
from burraco.v1 import actions_pb2, matches_pb2, play_pb2
from burraco.wire import (
    action_to_wire,
    rules_from_wire,
    seat_from_wire,
    view_from_wire,
)

DEFAULT: Final = "default"
# Bots that decide by the view alone, so that events need no decoding.
_Player = RandomBot | GreedyBot
_PLAYERS: Final[dict[str, type[_Player]]] = {"random": RandomBot, "greedy": GreedyBot}
LOAD_BOTS: Final = (DEFAULT, *_PLAYERS)
_CLIENT: Final = "burraco load"
Arrival = tuple[play_pb2.ServerFrame, float]


@dataclass(slots=True)
class Tally:
    """What the streams of a load have seen so far; times are seconds from an act to its verdict."""

    decisions: int = 0
    started: int = 0
    ended: int = 0
    most_at_once: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    round_trips: "array[float]" = field(default_factory=lambda: array("d"))


class Minds:
    """One bot object for every seat of a stream, made from the match's own terms."""

    def __init__(self, bot: type[_Player]) -> None:
        self._bot = bot
        self._bots: dict[tuple[str, int], _Player] = {}
        self._rules: dict[bytes, Ruleset] = {}

    def sit(self, started: play_pb2.MatchStarted) -> None:
        """Make the bot of a seat."""
        message = started.terms.rules
        rules = self._rules.get(message.content_hash)
        if rules is None:
            rules = self._rules[message.content_hash] = rules_from_wire(message)
        seat = seat_from_wire(started.seat.seat)
        bot = self._bot()
        bot.table = Table(started.seat.match_id, seat, tuple(started.players), rules)
        bot.start(bot.table)
        self._bots[started.seat.match_id, started.seat.seat] = bot

    def choose(self, decision: play_pb2.Decision) -> list[actions_pb2.Action]:
        """What the bot of the seat plays."""
        bot = self._bots[decision.seat.match_id, decision.seat.seat]
        return [action_to_wire(bot.decide(view_from_wire(decision.view, bot.table.rules)))]

    def leave(self, seat: play_pb2.SeatRef) -> None:
        """Forget the bot of a seat whose match is over."""
        self._bots.pop((seat.match_id, seat.seat), None)


class LoadStream:
    """One connection that answers for every seat of one player."""

    def __init__(self, stream: PlayStream, bot: str, tally: Tally) -> None:
        self._stream = stream
        self._minds = None if bot == DEFAULT else Minds(_PLAYERS[bot])
        self._tally = tally
        self._sent: dict[str, float] = {}
        self._numbers = count(1)

    async def open(self) -> None:
        """Connect and say hello; returns when the server has welcomed us."""
        await self._stream.open(play_pb2.Hello(client=_CLIENT))

    async def play(self, seats: int) -> None:
        """Answer until the matches of so many seats are over."""
        frames: asyncio.Queue[Arrival] = asyncio.Queue()
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(self._read(frames))
            while seats:
                seats -= await self._hear(*await frames.get())
            reading.cancel()

    async def _read(self, frames: "asyncio.Queue[Arrival]") -> None:
        """Take frames off the line as they come: no server has to wait while we think."""
        async for frame in self._stream.frames():
            frames.put_nowait((frame, time.perf_counter()))

    async def _hear(self, frame: play_pb2.ServerFrame, arrived: float) -> bool:
        """Deal with one frame; whether a match is over for one of our seats."""
        match frame.WhichOneof("body"):
            case "decision":
                await self._answer(frame.decision)
            case "verdict":
                await self._judge(frame.verdict, arrived)
            case "match_started":
                self._begin(frame.match_started)
            case "match_ended":
                self._end(frame.match_ended)
                return True
            case "stream_error":
                self._tally.errors[f"stream error {frame.stream_error.refusal.reason}"] += 1
            case kind if kind not in {"live_events", "pong"}:
                self._tally.errors[f"unexpected {kind}"] += 1
        return False

    async def _answer(self, decision: play_pb2.Decision) -> None:
        chosen = self._minds.choose(decision) if self._minds else decision.default_actions
        act = play_pb2.Act(
            seat=decision.seat,
            decision_id=decision.decision_id,
            action_id=str(next(self._numbers)),
            actions=chosen,
        )
        self._sent[act.action_id] = time.perf_counter()
        await self._stream.send(play_pb2.ClientFrame(act=act))

    async def _judge(self, verdict: play_pb2.Verdict, arrived: float) -> None:
        self._tally.round_trips.append(arrived - self._sent.pop(verdict.action_id))
        self._tally.decisions += 1
        if verdict.kind != play_pb2.VERDICT_KIND_APPLIED:
            name = play_pb2.VerdictKind.Name(verdict.kind).removeprefix("VERDICT_KIND_")
            self._tally.errors[f"{name} {verdict.refusal.reason}".strip()] += 1
        if verdict.HasField("next"):
            await self._answer(verdict.next)

    def _begin(self, started: play_pb2.MatchStarted) -> None:
        if self._minds:
            self._minds.sit(started)
        self._tally.started += 1
        self._tally.most_at_once = max(
            self._tally.most_at_once, self._tally.started - self._tally.ended
        )

    def _end(self, ended: play_pb2.MatchEnded) -> None:
        if self._minds:
            self._minds.leave(ended.seat)
        self._tally.ended += 1
        if ended.result.end != matches_pb2.MATCH_END_PLAYED:
            self._tally.errors["match not played to its end"] += 1
        own = next(seat for seat in ended.result.seats if seat.seat == ended.seat.seat)
        if own.end != matches_pb2.SEAT_END_CLEAN:
            name = matches_pb2.SeatEnd.Name(own.end).removeprefix("SEAT_END_")
            self._tally.errors[f"seat ended {name}"] += 1
