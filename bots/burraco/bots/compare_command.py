"""The command `burraco compare`: better, worse, equal or undecided, also as its exit status."""

import argparse
import asyncio
import sys
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from burraco.bots.arena_entries import UnusableBot, enter
from burraco.bots.arena_files import FolderTaken, check_folder, open_folder
from burraco.bots.arena_processes import Children
from burraco.bots.arena_running import FAILURES, INTERRUPTED, terms_of, until_signal
from burraco.bots.compare import ROUND_BOARDS, ComparePlan, Comparison, Finding, Verdict
from burraco.bots.failures import complain, leaves
from burraco.sdk import DuelQuestion

FAILED: Final = 1
WRONG: Final = 2
STATUSES: Final[Mapping[Verdict, int]] = {
    Verdict.BETTER: 0,
    Verdict.UNKNOWN: FAILED,
    Verdict.WORSE: 3,
    Verdict.EQUAL: 4,
    Verdict.UNDECIDED: 5,
}


def run_compare(asked: argparse.Namespace) -> int:
    """Compare two bots and return the exit status."""
    root = asked.out or Path("out") / f"compare-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    try:
        check_folder(root, force=asked.force)
        plan = _plan(asked)
        folder = open_folder(root, plan.summary, force=asked.force)
    except (UnusableBot, FolderTaken) as problem:
        return complain("compare", str(problem), WRONG)
    comparison, children = Comparison(plan, folder, partial(_tell, plan)), Children()
    try:
        asyncio.run(until_signal(comparison.play(children)))
    except (KeyboardInterrupt, asyncio.CancelledError):
        print(f"interrupted: {_sentence(plan, comparison.finding)}")
        return INTERRUPTED
    except (ExceptionGroup, *FAILURES) as problem:
        first = next(leaves(problem))
        if not isinstance(first, FAILURES):
            raise
        return complain("compare", str(first), FAILED)
    finally:
        children.kill()
    print(_sentence(plan, comparison.finding))
    if comparison.failed is not None:
        log = folder.log(plan.entries[comparison.failed].name)
        print(f"{plan.entries[comparison.failed].name} kept failing and is out; see {log}")
    return STATUSES[comparison.finding.verdict]


def _plan(asked: argparse.Namespace) -> ComparePlan:
    one, other = enter([asked.bot, asked.other])
    return ComparePlan(
        entries=(one, other),
        terms=terms_of(asked),
        question=DuelQuestion(asked.gain, asked.false_alarms, asked.misses),
        rounds=asked.boards_at_most // ROUND_BOARDS,
        jobs=asked.jobs,
    )


def _tell(plan: ComparePlan, finding: Finding) -> None:
    """How far it is, apart from what it comes to."""
    print(_sentence(plan, finding), file=sys.stderr, flush=True)


def _sentence(plan: ComparePlan, finding: Finding) -> str:
    one, other = (entry.name for entry in plan.entries)
    words = {
        Verdict.BETTER: f"{one} is better than {other}",
        Verdict.WORSE: f"{one} is worse than {other}",
        Verdict.EQUAL: f"{one} and {other} are equal within {plan.question.gain:g} points a deal",
        Verdict.UNDECIDED: f"{one} beside {other} is undecided",
        Verdict.UNKNOWN: f"{one} beside {other} is not known",
    }
    boards = "1 board" if finding.boards == 1 else f"{finding.boards} boards"
    figures = f"{finding.points_per_deal:+.1f} points a deal" if finding.boards else "nothing"
    if finding.interval is not None:
        low, high = finding.interval
        figures += f" (95 % interval {low:+.1f} to {high:+.1f})"
    return f"{words[finding.verdict]}: {figures} after {boards}"
