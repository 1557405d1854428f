"""Runs `burraco arena`: checks what was asked for, plays, and reports whatever happened."""

import argparse
import asyncio
import signal
import sys
from datetime import datetime
from pathlib import Path
from typing import Final

from burraco.bots.arena import Arena, ArenaPlan, TableVoid
from burraco.bots.arena_entries import UnusableBot, enter
from burraco.bots.arena_files import FolderTaken, check_folder, open_folder
from burraco.bots.arena_processes import Children, ServerFailed
from burraco.bots.arena_report import open_console
from burraco.bots.arena_schedule import require_two_sides
from burraco.bots.failures import leaves
from burraco.sdk import Clocks, Faults, OrganiserFailed
from burraco.sdk.rules_options import rules_of

ALL_PLAYED: Final = 0
FAILED: Final = 1
WRONG: Final = 2
INTERRUPTED: Final = 130
_FEWEST_BOTS: Final = 2
# What can go wrong outside of ourselves; anything else is our own fault and is not hidden.
_FAILURES: Final = (ServerFailed, TableVoid, OrganiserFailed, OSError)


def run_arena(asked: argparse.Namespace) -> int:
    """Play an arena and return the exit status."""
    root = asked.out or Path("out") / f"arena-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    try:
        check_folder(root, force=asked.force)
        plan = _plan(asked)
    except (UnusableBot, FolderTaken) as problem:
        return _complain(str(problem), WRONG)
    return _play(plan, root, force=asked.force)


def _plan(asked: argparse.Namespace) -> ArenaPlan:
    if len(asked.bots) < _FEWEST_BOTS:
        raise UnusableBot(f"only {asked.bots[0]!r}: an arena needs two bots at least")
    return ArenaPlan(
        entries=enter(asked.bots),
        rules=require_two_sides(rules_of(asked)),
        boards=asked.boards,
        seed=asked.seed,
        jobs=asked.jobs,
        clocks=Clocks(asked.turn_ms, asked.bank_ms, asked.warmup_ms, asked.disconnect_ms),
        faults=Faults(asked.retries, asked.strikes),
    )


def _play(plan: ArenaPlan, root: Path, *, force: bool) -> int:
    try:
        folder = open_folder(root, plan.summary, force=force)
    except FolderTaken as problem:
        return _complain(str(problem), WRONG)
    arena = Arena(plan, folder, open_console())
    children = Children()
    try:
        asyncio.run(_until_signal(arena, children))
    except (KeyboardInterrupt, asyncio.CancelledError):
        arena.report("interrupted")
        return INTERRUPTED
    except (ExceptionGroup, *_FAILURES) as problem:
        first = next(leaves(problem))
        if not isinstance(first, _FAILURES):
            raise
        arena.report("failed")
        return _complain(str(first), FAILED)
    finally:
        children.kill()
    arena.write()
    arena.report()
    return ALL_PLAYED


async def _until_signal(arena: Arena, children: Children) -> None:
    """Play; a request to terminate cancels, as Ctrl-C does."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    await arena.play(children)


def _complain(problem: str, status: int) -> int:
    print(f"burraco arena: {problem}", file=sys.stderr)
    return status
