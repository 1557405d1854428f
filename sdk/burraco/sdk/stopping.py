"""Ending on request: SIGTERM and Ctrl-C cancel what runs, which then may say good-bye."""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

# What shells and supervisors add to the number of a signal that ended a program.
_BY_SIGNAL: Final = 128
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
T = TypeVar("T")


class Stopped(Exception):
    """The process was asked to end; ``status`` is the exit status that says so."""

    def __init__(self, by: signal.Signals) -> None:
        super().__init__(f"ended by {by.name}")
        self.by = by
        self.status = _BY_SIGNAL + by


def run_until_stopped(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end; raises ``Stopped`` when a signal ended it before.

    Beside the main thread, where signals cannot be heard, it is just run.
    """
    return asyncio.run(_until_stopped(work))


def is_cancelled() -> bool:
    """Whether it is the running task that is to end, and not something that it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _until_stopped(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(work)
    heard: list[signal.Signals] = []

    def stop(by: signal.Signals) -> None:
        heard.append(by)
        task.cancel()

    with _listening(asyncio.get_running_loop(), stop):
        try:
            return await task
        except asyncio.CancelledError:
            if heard:
                raise Stopped(heard[0]) from None
            raise


@contextmanager
def _listening(
    loop: asyncio.AbstractEventLoop, stop: Callable[[signal.Signals], None]
) -> Iterator[None]:
    """Call ``stop`` at a signal; one that a shell ignores for us stays ignored."""
    added: list[signal.Signals] = []
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            if signal.getsignal(number) is signal.SIG_IGN:
                continue
            try:
                loop.add_signal_handler(number, stop, number)
            except NotImplementedError:
                # An event loop without them, as on Windows: Ctrl-C is asyncio's own affair there.
                break
            added.append(number)
    try:
        yield
    finally:
        for number in added:
            loop.remove_signal_handler(number)
