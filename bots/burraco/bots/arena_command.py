"""Runs `burraco arena`: checks what was asked for, plays, and reports whatever happened."""

import argparse
import asyncio
from datetime import datetime
from pathlib import Path
from typing import Final

from burraco.bots.arena import Arena, ArenaPlan
from burraco.bots.arena_entries import UnusableBot, enter
from burraco.bots.arena_files import FolderTaken, check_folder, open_folder
from burraco.bots.arena_processes import Children
from burraco.bots.arena_report import open_console
from burraco.bots.arena_running import FAILURES, INTERRUPTED, terms_of, until_signal
from burraco.bots.failures import complain, leaves

ALL_PLAYED: Final = 0
FAILED: Final = 1
WRONG: Final = 2
_FEWEST_BOTS: Final = 2


def run_arena(asked: argparse.Namespace) -> int:
    """Play an arena and return the exit status."""
    root = asked.out or Path("out") / f"arena-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    try:
        check_folder(root, force=asked.force)
        plan = _plan(asked)
    except (UnusableBot, FolderTaken) as problem:
        return complain("arena", str(problem), WRONG)
    return _play(plan, root, force=asked.force)


def _plan(asked: argparse.Namespace) -> ArenaPlan:
    if len(asked.bots) < _FEWEST_BOTS:
        raise UnusableBot(f"only {asked.bots[0]!r}: an arena needs two bots at least")
    return ArenaPlan(
        entries=enter(asked.bots),
        terms=terms_of(asked),
        boards=asked.boards,
        jobs=asked.jobs,
    )


def _play(plan: ArenaPlan, root: Path, *, force: bool) -> int:
    try:
        folder = open_folder(root, plan.summary, force=force)
    except FolderTaken as problem:
        return complain("arena", str(problem), WRONG)
    arena = Arena(plan, folder, open_console())
    children = Children()
    try:
        asyncio.run(until_signal(arena.play(children)))
    except (KeyboardInterrupt, asyncio.CancelledError):
        arena.report("interrupted")
        return INTERRUPTED
    except (ExceptionGroup, *FAILURES) as problem:
        first = next(leaves(problem))
        if not isinstance(first, FAILURES):
            raise
        arena.report("failed")
        return complain("arena", str(first), FAILED)
    finally:
        children.kill()
    arena.write()
    arena.report()
    return ALL_PLAYED
