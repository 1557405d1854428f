"""What a bot is: a class that answers questions, and the table it sits at."""

import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from burraco.engine import Action, Ruleset, SeenEvent, View
from burraco.sdk.outcome import MatchResult

Answer = Action | Sequence[Action]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the last answer to the same question was refused.

    ``reason`` is for programs, ``rule`` the number of the rule (empty where none is concerned),
    ``message`` says what was wrong and what to do next.
    """

    reason: str
    rule: str
    message: str
    facts: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        if self.message.startswith(self.reason):
            return self.message
        rule = f" ({self.rule})" if self.rule else ""
        return f"{self.reason}{rule}: {self.message}"


@dataclass(frozen=True, slots=True)
class Table:
    """What a bot knows beside the view; a new one comes with every question.

    ``players`` are by seat, N E S W. ``events`` are those since the last question, own actions
    included. ``default`` is what is played when the time is over. ``refusal`` is set when the
    question comes again after an illegal answer, and ``attempt`` counts from 1. ``deadline`` is on
    the clock of ``time.monotonic``, None where clocks are off. ``missed`` counts events that will
    never be told, because bot or server had to begin anew; the view shows what came of them.
    """

    match_id: str
    seat: int
    players: tuple[str, ...]
    rules: Ruleset
    events: tuple[SeenEvent, ...] = ()
    missed: int = 0
    default: tuple[Action, ...] = ()
    refusal: Refusal | None = None
    attempt: int = 1
    deadline: float | None = None

    @property
    def remaining_ms(self) -> int | None:
        """Milliseconds left for this answer from now, bank included; None where clocks are off."""
        if self.deadline is None:
            return None
        return max(0, round((self.deadline - time.monotonic()) * 1000))


class Bot(ABC):
    """One seat of one match; subclass it and write ``decide``.

    The SDK makes one object for each seat and match, without arguments, and sets ``table`` before
    every call. What the object remembers is its own affair: a question holds all that is needed.
    """

    # Whether a second illegal answer to the same question is replaced by the default, which hides
    # the fault; if not, the question comes again for as long as the match allows.
    gives_way: ClassVar[bool] = False

    table: Table

    # What the author wants to find again beside the answer; set it while deciding. It is kept with
    # the decision (at most 500 characters, no control characters) and begins empty every time.
    note: str = ""

    def start(self, table: Table) -> None:  # noqa: B027 - a bot may leave it out
        """Called once before the first question."""

    @abstractmethod
    def decide(self, view: View) -> Answer | Awaitable[Answer]:
        """Say what to do now: one action, or several that are played in order, all or none.

        After one action the question comes again until the turn is over. A list may not go on past
        a draw from the stock or a meld that takes the pozzetto. May be a coroutine function.
        """

    def on_event(self, event: SeenEvent) -> None:  # noqa: B027 - a bot may leave it out
        """Called with every event of the table as it happens, each once and in order.

        Only bots that have this method are sent events live; ``table.events`` brings the same ones
        again with the next question. Not called while the bot decides: what happens then is told
        before its next question. ``table`` is still that of the last one. Events that will never
        be told, because bot or server had to begin anew, are counted in ``table.missed``.
        """

    def cut(self) -> int | None:
        """How many cards to lift (22 to 63) where a match asks the cutter; None for the default."""
        return None

    def end(self, result: MatchResult) -> None:  # noqa: B027 - a bot may leave it out
        """Called once when the match is over."""
