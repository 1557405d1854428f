"""Calls a bot: in place, as a coroutine or in a thread, within its time, with its errors caught."""

import asyncio
import inspect
import logging
import reprlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeVar, get_args

from burraco.engine import Action, Cut, View
from burraco.sdk.bot import Answer, Bot, Table
from burraco.sdk.loader import author_traceback

LOG: Final = logging.getLogger("burraco.sdk")
Actions = tuple[Action, ...]
T = TypeVar("T")
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

    ``strict`` raises at the first illegal answer. ``threaded`` runs ``decide`` in a thread, so that
    a slow bot does not hold up its other seats.
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


class Caller:
    """Calls one bot, never twice at once."""

    def __init__(self, bot: type[Bot], table: Table, name: str, options: PlayOptions) -> None:
        self._options = options
        self._busy: asyncio.Task[Answer | Awaitable[Answer]] | None = None
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

    def ask(self, question: Question) -> Actions | Awaitable[Actions | None]:
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

    def _call(self, question: Question) -> Answer | Awaitable[Answer]:
        self._bot.table = question.table
        try:
            if question.view is not None:
                return self._bot.decide(question.view)
            lifted = self._bot.cut()
        except SystemExit as leaving:
            raise BotLeft(leaving) from leaving
        return question.table.default if lifted is None else Cut(lifted)

    async def _ask_thread(self, question: Question) -> Actions | None:
        # A thread cannot be stopped: the next question waits until the last answer is there.
        if self._busy is not None:
            await asyncio.wait((self._busy,))
        if question.seconds_left == 0:
            LOG.warning("%s: the bot was still busy when the time was over", question.name)
            return None
        self._busy = asyncio.create_task(asyncio.to_thread(self._call, question))
        self._busy.add_done_callback(_look_at)
        try:
            answer = await asyncio.shield(self._busy)
        except Exception as problem:
            return self._failed(question, problem)
        assert not isinstance(answer, Awaitable)
        return self._read(question, answer)

    async def _ask_coroutine(self, question: Question, answer: Awaitable[Answer]) -> Actions | None:
        try:
            async with asyncio.timeout(question.seconds_left) as limit:
                found = await answer
        except SystemExit as leaving:
            return self._failed(question, BotLeft(leaving))
        except Exception as problem:
            if limit.expired():
                LOG.warning("%s: no answer in time, the default is played", question.name)
                return None
            return self._failed(question, problem)
        return self._read(question, found)

    def _read(self, question: Question, answer: Answer) -> Actions:
        actions = (answer,) if isinstance(answer, get_args(Action)) else answer
        if (
            isinstance(actions, Sequence)
            and actions
            and all(isinstance(action, get_args(Action)) for action in actions)
        ):
            return tuple(actions)
        problem = TypeError(f"the answer is {shown(answer)}: return an action or a list of actions")
        return self._failed(question, problem)

    def _failed(self, question: Question, problem: Exception) -> Actions:
        told = _told(question.name, problem)
        if self._options.on_error is OnError.EXIT:
            raise BotCrashed(told) from problem
        LOG.error("%s\nthe default is played", told)
        return question.table.default


def shown(answer: object) -> str:
    """An answer in a line of a log, however long it is."""
    return _SHORT.repr(answer)


def _look_at(done: "asyncio.Task[Answer | Awaitable[Answer]]") -> None:
    """An error that nobody waits for any more, since its question is over, is no news."""
    if not done.cancelled():
        done.exception()


def _told(name: str, problem: Exception) -> str:
    return f"{name}: the bot failed\n{author_traceback(problem)}"
