"""One seat of one match: what its bot has been told, and the answer that is under way."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final

from burraco.engine import SeenEvent
from burraco.engine.state import SEAT_NAMES
from burraco.sdk.asking import LOG, Caller, PlayOptions, Question, Reply, shown
from burraco.sdk.backoff import later
from burraco.sdk.bot import Bot, Refusal, Table
from burraco.sdk.decoding import refusal_from_wire
from burraco.sdk.outcome import MatchResult
from burraco.v1 import events_pb2, play_pb2, views_pb2
from burraco.wire import (
    action_from_wire,
    action_to_wire,
    event_from_wire,
    rules_from_wire,
    seat_from_wire,
    view_from_wire,
)

# Illegal answers to one question after which the default is sent for a bot that gives way.
_TRIES: Final = 2
# Refusals of the server that are over after a while: the same act is sent again.
_PASSING: Final = ("UNAVAILABLE", "INTERNAL")
# Refusals of what an act holds, a limit among them where no wait is told: the bot is asked again.
_UNUSABLE: Final = ("INVALID_ARGUMENT", "RESOURCE_EXHAUSTED")
# Servers read frames of up to 64 KiB and end the stream of a longer one.
_MOST_BYTES: Final = 60_000
_action_ids: Final = count(1)
_PROCESS: Final = secrets.token_hex(8)

Send = Callable[[play_pb2.Act], Awaitable[None]]
Spawn = Callable[[Coroutine[None, None, None]], asyncio.Task[None]]
Sleep = Callable[[float], Awaitable[None]]


class IllegalAnswer(Exception):
    """A bot answered illegally while ``strict`` was asked for."""


@dataclass(slots=True)
class Line:
    """How seats reach the server, and what it allows them; the same over all connections."""

    send: Send
    spawn: Spawn
    sleep: Sleep
    limits: play_pb2.Limits = field(default_factory=play_pb2.Limits)


class Seat:
    """Takes the frames of a seat; the same object for as long as the match lasts.

    An act stays *pending* until its verdict is there, and may be sent again: it is played once.
    While the seat *holds*, missed frames come in and nothing is asked or sent again.
    """

    def __init__(
        self, started: play_pb2.MatchStarted, bot: type[Bot], options: PlayOptions, line: Line
    ) -> None:
        self._ref = started.seat
        self._strict = options.strict
        self._line = line
        self._table = Table(
            match_id=started.seat.match_id,
            seat=seat_from_wire(started.seat.seat),
            players=tuple(started.players),
            rules=rules_from_wire(started.terms.rules),
        )
        self._events: list[SeenEvent] = []
        self._last_event = 0
        self._missed = 0
        self._decision = play_pb2.Decision()
        self._asked = (0, 0)
        self._refusals: list[Refusal] = []
        self._pending: play_pb2.Act | None = None
        self._was_nudged = False
        self._holds = False
        self._thinking: asyncio.Task[None] | None = None
        self._resending: asyncio.Task[None] | None = None
        self._caller = Caller(bot, self._table, str(self), options, line.limits.note_chars)

    def __str__(self) -> str:
        return f"match {self._table.match_id}, seat {SEAT_NAMES[self._table.seat]}"

    @property
    def match_id(self) -> str:
        """Its match."""
        return self._table.match_id

    async def decide(self, decision: play_pb2.Decision, *, is_state: bool = False) -> None:
        """Put a question to the bot; one that has been put already is passed over.

        ``is_state`` says that it tells what is open now, outside the order of the frames: it is put
        again when nothing is under way for it.
        """
        asked, known = _key(decision), _key(self._decision)
        self._learn(decision.events)
        if asked < known or (asked <= self._asked and not is_state):
            return
        if decision.decision_id != self._decision.decision_id:
            self._refusals.clear()
        self._asked, self._decision = asked, decision
        if asked != known:
            self._forget_act()
            self._stop_thinking()
        if self._holds:
            return
        if self._pending is not None:
            if not is_state:
                await self._line.send(self._pending)
        elif not self._is_thinking:
            await self._ask()

    async def judge(self, verdict: play_pb2.Verdict) -> None:
        """Take a verdict and the question that may come with it."""
        self._learn(verdict.events)
        if self._pending is not None and self._pending.action_id == verdict.action_id:
            self._forget_act()
        match verdict.kind:
            case play_pb2.VERDICT_KIND_APPLIED | play_pb2.VERDICT_KIND_DUPLICATE:
                pass
            case play_pb2.VERDICT_KIND_ILLEGAL:
                if verdict.decision_id == self._decision.decision_id:
                    self._refuse(refusal_from_wire(verdict.refusal))
            case _:
                kind = play_pb2.VerdictKind.Name(verdict.kind).removeprefix("VERDICT_KIND_")
                told = refusal_from_wire(verdict.refusal)
                LOG.warning("%s, decision %d: %s, %s", self, verdict.decision_id, kind, told)
        if verdict.HasField("next"):
            await self.decide(verdict.next)

    async def complain(self, error: play_pb2.StreamError) -> None:
        """An act got no verdict: send it again later, ask again, or let it be."""
        act = self._pending
        if act is None or error.action_id != act.action_id:
            return
        if error.HasField("retry_ms"):
            self._send_later(act, error.retry_ms / 1000)
            return
        if error.code in _PASSING:
            return
        self._forget_act()
        refusal = refusal_from_wire(error.refusal)
        # After the default, without a note, there is nothing left to send.
        is_last = not act.note and act.actions == self._decision.default_actions
        if error.code in _UNUSABLE and not is_last:
            await self._ask_again(refusal)
        else:
            LOG.warning("%s: %s", self, refusal)

    def hold(self) -> None:
        """The session goes on, and the frames that were missed come first."""
        self._holds = True

    async def resume(self, now: play_pb2.OpenDecision | None) -> None:
        """They are there: an act without a verdict is sent again, or the bot is asked what is open.

        ``now`` is the decision that waits for the seat, with the time it has left.
        """
        self._holds = False
        if self._pending is not None:
            await self._line.send(self._pending)
            return
        is_open = now is not None and (now.decision_id, now.attempt) == _key(self._decision)
        if now is None or not is_open or self._is_thinking:
            return
        _set_time(self._decision, now)
        await self._ask()

    def renew(self) -> None:
        """The session begins afresh: the open question will come again."""
        self._asked = (0, 0)
        self._holds = False

    async def nudge(self) -> None:
        """Called now and then: an act that has waited all the time in between is sent again."""
        waits = self._pending is not None and not self._holds and self._resending is None
        if self._pending is not None and waits and self._was_nudged:
            await self._line.send(self._pending)
        self._was_nudged = waits

    def leave(self) -> None:
        """No more answers are wanted."""
        self._forget_act()
        self._stop_thinking()

    def end(self, events: Iterable[events_pb2.Event], result: MatchResult) -> None:
        """The match is over."""
        self._learn(events)
        self.leave()
        table = replace(self._table, events=tuple(self._events), missed=self._missed)

        def tell(bot: Bot) -> None:
            bot.table = table
            bot.end(result)

        self._caller.finish(str(self), tell)

    def hear(self, live: play_pb2.LiveEvents) -> None:
        """Take events that came by themselves."""
        self._learn(live.events)

    def _learn(self, messages: Iterable[events_pb2.Event]) -> None:
        """Keep events for the next question, and tell them if they are wanted live, each once."""
        events = []
        for message in messages:
            if message.number <= self._last_event:
                continue
            self._missed += message.number - self._last_event - 1
            self._last_event = message.number
            events.append(event_from_wire(message)[1])
        self._events += events
        self._caller.tell(events)

    @property
    def _is_thinking(self) -> bool:
        return self._thinking is not None and not self._thinking.done()

    def _refuse(self, refusal: Refusal) -> None:
        told = f"{self}, decision {self._decision.decision_id}: {refusal}"
        if self._strict:
            raise IllegalAnswer(told)
        LOG.warning(told)
        self._refusals.append(refusal)

    async def _ask_again(self, refusal: Refusal) -> None:
        """Ask once more where the server could not even read the answer; then play the default."""
        self._refuse(refusal)
        await self._ask(gives_way=True)

    async def _ask(self, *, gives_way: bool = False) -> None:
        self._stop_thinking()
        decision = self._decision
        question = self._question(decision)
        if len(self._refusals) >= _TRIES and (gives_way or self._caller.gives_way):
            await self._answer(Reply(question.table.default))
            return
        answer = self._caller.ask(question)
        if isinstance(answer, Reply):
            await self._answer(answer)
        else:
            self._thinking = self._line.spawn(self._answer_later(_key(decision), answer))

    def _question(self, decision: play_pb2.Decision) -> Question:
        name = f"{self}, decision {decision.decision_id}"
        due = None
        if decision.HasField("remaining_ms"):
            due = time.monotonic() + decision.remaining_ms / 1000
        table = replace(
            self._table,
            events=tuple(self._events),
            missed=self._missed,
            default=tuple(map(action_from_wire, decision.default_actions)),
            refusal=self._refusals[-1] if self._refusals else None,
            attempt=decision.attempt,
            deadline=due,
        )
        self._events.clear()
        self._missed = 0
        if decision.view.public.phase == views_pb2.PHASE_CUT:
            return Question(name, table, None)
        return Question(name, table, view_from_wire(decision.view, table.rules))

    async def _answer_later(self, key: tuple[int, int], answer: Awaitable[Reply | None]) -> None:
        reply = await answer
        if reply is not None and key == _key(self._decision):
            await self._answer(reply)

    async def _answer(self, reply: Reply) -> None:
        actions = reply.actions
        try:
            wire = [action_to_wire(action) for action in actions]
        except (ValueError, TypeError, IndexError) as problem:
            message = f"{shown(actions)} cannot be sent: {problem}"
            await self._ask_again(Refusal("INVALID_FIELD", "", message))
            return
        act = play_pb2.Act(
            seat=self._ref,
            decision_id=self._decision.decision_id,
            action_id=f"{_PROCESS}-{next(_action_ids)}",
            actions=wire,
            note=reply.note,
        )
        if act.ByteSize() > _MOST_BYTES:
            message = f"{len(actions)} actions cannot be sent: answer those of one turn at most"
            await self._ask_again(Refusal("INVALID_FIELD", "", message))
            return
        self._pending = act
        self._was_nudged = False
        await self._line.send(act)

    def _send_later(self, act: play_pb2.Act, seconds: float) -> None:
        """Send an act again when the server wants it."""

        async def send() -> None:
            await self._line.sleep(later(seconds))
            self._resending = None
            if self._pending is act and not self._holds:
                await self._line.send(act)

        self._stop_resending()
        self._resending = self._line.spawn(send())

    def _forget_act(self) -> None:
        """Nothing waits for a verdict any more."""
        self._pending = None
        self._stop_resending()

    def _stop_resending(self) -> None:
        if self._resending is not None:
            self._resending.cancel()
            self._resending = None

    def _stop_thinking(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()
            self._thinking = None


def _key(decision: play_pb2.Decision) -> tuple[int, int]:
    """What tells two questions to a seat apart; later ones are larger."""
    return decision.decision_id, decision.attempt


def _set_time(decision: play_pb2.Decision, now: play_pb2.OpenDecision) -> None:
    """What a decision has left now, in place of what it had when it was first sent."""
    decision.ClearField("remaining_ms")
    if now.HasField("remaining_ms"):
        decision.remaining_ms = now.remaining_ms
    decision.bank_ms = now.bank_ms
