"""What commands have in common that play a local tournament: its terms, and how it is ended."""

import argparse
import asyncio
import signal
from collections.abc import Coroutine
from typing import Final

from burraco.bots.arena_event import EventStuck, LocalTerms
from burraco.bots.arena_processes import ServerFailed
from burraco.bots.arena_schedule import require_two_sides
from burraco.sdk import Clocks, Faults, OrganiserFailed
from burraco.sdk.rules_options import rules_of

INTERRUPTED: Final = 130
# What can go wrong outside of ourselves; anything else is our own fault and is not hidden.
FAILURES: Final = (ServerFailed, EventStuck, OrganiserFailed, OSError)


def terms_of(asked: argparse.Namespace) -> LocalTerms:
    """The rules, clocks and faults that were asked for."""
    return LocalTerms(
        rules=require_two_sides(rules_of(asked)),
        clocks=Clocks(asked.turn_ms, asked.bank_ms, asked.warmup_ms, asked.disconnect_ms),
        faults=Faults(asked.retries, asked.strikes),
        seed=asked.seed,
    )


async def until_signal(play: Coroutine[None, None, None]) -> None:
    """Play; a request to terminate cancels, as Ctrl-C does."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    await play
