"""Calls a bot: in place, as a coroutine or in a thread, within its time, with its errors caught."""

import asyncio
import inspect
import logging
import reprlib
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, get_args

from burraco.engine import Action, Cut, SeenEvent, View
from burraco.sdk.bot import Answer, Bot, Table
from burraco.sdk.loader import author_traceback
from burraco.sdk.stopping import is_cancelled
from burraco.sdk.threads import in_thread

LOG: Final = logging.getLogger("burraco.sdk")
Actions = tuple[Action, ...]
# Characters of a note, where a server does not say how many.
_NOTE_CHARS: Final = 500
# Answers as logs show them: whole where they are of a usual size.
_SHORT: Final = reprlib.Repr()
_SHORT.maxother = _SHORT.maxstring = 200


class OnError(StrEnum):
    """What happens when a bot raises: the process ends, or the default action is played."""

    EXIT = "exit"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """How bots are treated.

    ``strict`` raises ``IllegalAnswer`` at the first illegal answer, and ``ContractBroken`` when the
    server leaves out a frame, changes one, or gives a verdict that it must not. ``threaded`` runs
    ``decide`` in a thread, so that a slow bot does not hold up its other seats.
    """

    strict: bool = False
    threaded: bool = False
    on_error: OnError = OnError.EXIT


class BotCrashed(Exception):
    """A bot raised; the text says where in the match and shows the author's own traceback."""


class BotLeft(Exception):
    """A bot wanted to end the process in the middle of a match."""

    def __init__(self, leaving: SystemExit) -> None:
        super().__init__(f"sys.exit({leaving.code!r}) was called: a bot stays until its match ends")


@dataclass(frozen=True, slots=True)
class Question:
    """What a bot is asked; ``view`` None asks the cutter. ``name`` is how logs call it."""

    name: str
    table: Table
    view: View | None

    @property
    def seconds_left(self) -> float | None:
        """Until the deadline; None where clocks are off."""
        remaining = self.table.remaining_ms
        return None if remaining is None else remaining / 1000


class Reply(NamedTuple):
    """What a bot answers, and its note on it."""

    actions: Actions
    note: str = ""


def hears_events(bot: type[Bot]) -> bool:
    """Whether a bot wants events as they happen."""
    return bot.on_event is not Bot.on_event


class Caller:
    """Calls one bot, never twice at once.

    ``note_chars`` is how long a note may be, 0 where the server does not say.
    """

    def __init__(
        self,
        bot: type[Bot],
        table: Table,
        name: str,
        options: PlayOptions,
        note_chars: int = 0,
    ) -> None:
        self._name = name
        self._options = options
        self._note_chars = note_chars or _NOTE_CHARS
        self._busy: asyncio.Future[Answer | Awaitable[Answer]] | None = None
        self._is_waiting = False
        self._hears = hears_events(bot)
        self._untold: deque[SeenEvent] = deque()
        self._bot = self._make(bot, table, name)
        self._in_thread = options.threaded and not inspect.iscoroutinefunction(self._bot.decide)

    def _make(self, make: type[Bot], table: Table, name: str) -> Bot:
        try:
            bot = make()
            bot.table = table
            bot.start(table)
        except Exception as problem:
            raise BotCrashed(_told(f"{name}, start", problem)) from problem
        return bot

    @property
    def gives_way(self) -> bool:
        """Whether the default may be sent for it after illegal answers."""
        return self._bot.gives_way

    def tell(self, events: Iterable[SeenEvent]) -> None:
        """Let the bot hear of events: at once, or before its next question when it is at work."""
        if self._hears:
            self._untold.extend(events)
            self._tell_all()

    def ask(self, question: Question) -> Reply | Awaitable[Reply | None]:
        """The answer, or a coroutine that gives it, None when the time was over before."""
        if self._in_thread:
            return self._ask_thread(question)
        try:
            answer = self._call(question)
        except Exception as problem:
            return self._failed(question, problem)
        if isinstance(answer, Awaitable):
            return self._ask_coroutine(question, answer)
        return self._read(question, answer)

    def finish(self, name: str, end: Callable[[Bot], None]) -> None:
        """Let the bot know that its match is over."""
        try:
            end(self._bot)
        except Exception as problem:
            told = _told(f"{name}, end", problem)
            if self._options.on_error is OnError.EXIT:
                raise BotCrashed(told) from problem
            LOG.error(told)

    def _tell_all(self) -> None:
        if self._is_waiting or (self._busy is not None and not self._busy.done()):
            return
        while self._untold:
            event = self._untold.popleft()
            try:
                self._bot.on_event(event)
            except Exception as problem:
                told = _told(f"{self._name}, on_event", problem)
                if self._options.on_error is OnError.EXIT:
                    raise BotCrashed(told) from problem
                LOG.error(told)

    def _call(self, question: Question) -> Answer | Awaitable[Answer]:
        self._bot.table = question.table
        self._bot.note = ""
        try:
            if question.view is not None:
                return self._bot.decide(question.view)
            lifted = self._bot.cut()
        except SystemExit as leaving:
            raise BotLeft(leaving) from leaving
        return question.table.default if lifted is None else Cut(lifted)

    async def _ask_thread(self, question: Question) -> Reply | None:
        # A thread cannot be stopped: the next question waits until the last answer is there.
        if self._busy is not None and not await _is_done(self._busy, question):
            LOG.warning("%s: the bot was still busy when the time was over", question.name)
            return None
        self._tell_all()
        self._busy = in_thread(lambda: self._call(question))
        if not await _is_done(self._busy, question):
            LOG.warning("%s: no answer in time, the default is played", question.name)
            return None
        problem = self._busy.exception()
        if isinstance(problem, Exception):
            return self._failed(question, problem)
        answer = self._busy.result()
        assert not isinstance(answer, Awaitable)
        return self._read(question, answer)

    async def _ask_coroutine(self, question: Question, answer: Awaitable[Answer]) -> Reply | None:
        self._is_waiting = True
        try:
            async with asyncio.timeout(question.seconds_left) as limit:
                found = await answer
        except SystemExit as leaving:
            return self._failed(question, BotLeft(leaving))
        except asyncio.CancelledError as problem:
            if is_cancelled():
                raise
            told = RuntimeError("what the bot waited for was cancelled")
            return self._failed(question, told.with_traceback(problem.__traceback__))
        except Exception as problem:
            if limit.expired():
                LOG.warning("%s: no answer in time, the default is played", question.name)
                return None
            return self._failed(question, problem)
        finally:
            self._is_waiting = False
        return self._read(question, found)

    def _read(self, question: Question, answer: Answer) -> Reply:
        actions = (answer,) if isinstance(answer, get_args(Action)) else answer
        if not (
            isinstance(actions, Sequence)
            and actions
            and all(isinstance(action, get_args(Action)) for action in actions)
        ):
            said = f"the answer is {shown(answer)}: return an action or a list of actions"
            return self._failed(question, TypeError(said))
        note = self._bot.note
        if not self._can_keep(note):
            said = (
                f"the note is {shown(note)}: a note is text of at most {self._note_chars}"
                " characters, none of them a control one such as a line break"
            )
            return self._failed(question, ValueError(said))
        return Reply(tuple(actions), note)

    def _can_keep(self, note: object) -> bool:
        return isinstance(note, str) and len(note) <= self._note_chars and note.isprintable()

    def _failed(self, question: Question, problem: Exception) -> Reply:
        told = _told(question.name, problem)
        if self._options.on_error is OnError.EXIT:
            raise BotCrashed(told) from problem
        LOG.error("%s\nthe default is played", told)
        return Reply(question.table.default)


def shown(answer: object) -> str:
    """An answer in a line of a log, however long it is."""
    return _SHORT.repr(answer)


async def _is_done(busy: asyncio.Future[Answer | Awaitable[Answer]], question: Question) -> bool:
    """Wait for a thread for as long as a question has time."""
    done, _ = await asyncio.wait((busy,), timeout=question.seconds_left)
    return bool(done)


def _told(name: str, problem: Exception) -> str:
    return f"{name}: the bot failed\n{author_traceback(problem)}"
