"""Threads for bots: unlike an executor's, one that never ends holds nobody up at the exit."""

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def in_thread(call: Callable[[], T]) -> "asyncio.Future[T]":
    """Call a function in a thread of its own; the future has what came of it."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            result = context.run(call)
        except BaseException as problem:  # whatever it is, it is the caller's
            _post(loop, _fail, future, problem)
        else:
            _post(loop, _finish, future, result)

    threading.Thread(target=work, name="burraco-bot", daemon=True).start()
    return future


def _post(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *arguments: object) -> None:
    # A loop that is closed waits for nothing any more.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call, *arguments)


def _finish(future: "asyncio.Future[T]", result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: "asyncio.Future[T]", problem: BaseException) -> None:
    if not future.done():
        if isinstance(problem, StopIteration | asyncio.CancelledError):
            # By these coroutines end, and are cancelled: a future takes them for something else.
            told = RuntimeError(f"{type(problem).__name__} was raised")
            problem = told.with_traceback(problem.__traceback__)
        future.set_exception(problem)
        # An error that nobody waits for any more, since its question is over, is no news.
        future.exception()
