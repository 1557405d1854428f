"""Runs `burraco load`: many matches at once on one server, and how it took them."""

import argparse
import asyncio
import secrets
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from burraco.bots.arena_processes import Children, ServerFailed, local_server
from burraco.bots.failures import complain, leaves
from burraco.bots.load_client import LoadStream, Tally
from burraco.bots.load_machine import Usage, usage
from burraco.bots.load_report import load_lines, server_line
from burraco.engine.rules import CLASSIC, Ruleset
from burraco.sdk import Clocks, Faults, Organiser, OrganiserFailed, WrongUsage
from burraco.sdk.calls import Server
from burraco.sdk.rules_options import rules_of
from burraco.sdk.stream import PlayStream, StreamLost

ALL_WELL: Final = 0
ERRORS: Final = 1
WRONG: Final = 2
INTERRUPTED: Final = 130

# Long clocks: a server that is slow under load is to be measured, not to be punished.
_CLOCKS: Final = Clocks(turn_ms=60_000, bank_ms=600_000, warmup_ms=60_000, disconnect_ms=60_000)
_FAULTS: Final = Faults(illegal_retries=0, strikes=0)
_CREATED_AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """How much is played; every number is bounded, so a load always ends."""

    matches: int
    streams: int
    bots: str
    deals: int
    seconds: int
    rules: Ruleset = CLASSIC

    def streams_of(self, match: int) -> tuple[int, ...]:
        """The streams that hold the seats of a match in order, so that all streams carry alike."""
        return tuple((match + seat) % self.streams for seat in range(self.rules.players))

    def seats(self) -> Counter[int]:
        """Seats that each stream holds in all."""
        return Counter(stream for match in range(self.matches) for stream in self.streams_of(match))


@dataclass(frozen=True, slots=True)
class Target:
    """The server under load; ``pid`` is None where it is not our own."""

    address: str
    token: str
    pid: int | None


@dataclass(frozen=True, slots=True)
class LoadRun:
    """How a load went; ``before`` and ``after`` are None for a server that is not our own."""

    tally: Tally
    seconds: float
    before: Usage | None
    after: Usage | None


def run_load(asked: argparse.Namespace) -> int:
    """Put a server under load, print how it went and return the exit status."""
    problem = _objection(asked.server, asked.token)
    if problem:
        return complain("load", problem, WRONG)
    plan = LoadPlan(
        asked.matches, asked.streams, asked.bots, asked.deals, asked.seconds, rules_of(asked)
    )
    try:
        run = measure_load(plan, asked.server, asked.token)
    except KeyboardInterrupt:
        return INTERRUPTED
    except ServerFailed as failure:
        return complain("load", str(failure), ERRORS)
    print(f"{plan.matches} matches over {plan.streams} streams, bots {plan.bots}")
    print(*load_lines(run.tally, run.seconds), sep="\n")
    if run.before and run.after:
        print(server_line(run.before, run.after))
    return ERRORS if run.tally.errors else ALL_WELL


def measure_load(plan: LoadPlan, address: str | None, token: str | None) -> LoadRun:
    """Put the server at an address, or one of its own, under load; prints nothing but failures."""
    children = Children()
    try:
        return asyncio.run(_run(plan, address, token, children))
    finally:
        children.kill()


async def _run(
    plan: LoadPlan, address: str | None, token: str | None, children: Children
) -> LoadRun:
    if address and token:
        return await _measure(plan, Target(address, token, None))
    with _server_folder() as folder:
        async with local_server(children, folder, folder / "server.log") as server:
            run = await _measure(plan, Target(server.address, server.token, server.pid))
    if run.tally.errors:
        print(f"the server's log is kept: {folder / 'server.log'}", file=sys.stderr)
    else:
        shutil.rmtree(folder)
    return run


@contextmanager
def _server_folder() -> Iterator[Path]:
    """A new folder for a server, removed when it was interrupted, and kept when it failed."""
    folder = Path(tempfile.mkdtemp(prefix="burraco-load-"))
    try:
        yield folder
    except (KeyboardInterrupt, asyncio.CancelledError):
        shutil.rmtree(folder)
        raise


async def _measure(plan: LoadPlan, target: Target) -> LoadRun:
    tally = Tally()
    before = usage(target.pid) if target.pid else None
    began = time.perf_counter()
    try:
        async with asyncio.timeout(plan.seconds):
            await _play(plan, target, tally)
    except* TimeoutError:
        tally.errors[f"not over after {plan.seconds} s"] += 1
    except* (StreamLost, OrganiserFailed) as broken:
        tally.errors.update(map(str, leaves(broken)))
    seconds = time.perf_counter() - began
    return LoadRun(tally, seconds, before, usage(target.pid) if target.pid else None)


async def _play(plan: LoadPlan, target: Target, tally: Tally) -> None:
    """Connect every stream, then make the matches, each of which begins at once."""
    # Names of their own, since the server may remember those of an earlier load.
    series = secrets.token_hex(4)
    names = [f"load-{series}-{number}" for number in range(plan.streams)]
    seats = plan.seats()
    async with AsyncExitStack() as stack:
        organiser = await stack.enter_async_context(Organiser(target.address, target.token))
        streams: list[LoadStream] = []
        for name in names:
            server = Server(target.address, await organiser.register_bot(name))
            line = await stack.enter_async_context(PlayStream(server))
            streams.append(LoadStream(line, plan.bots, tally))
        async with asyncio.TaskGroup() as group:
            for number, stream in enumerate(streams):
                await stream.open()
                group.create_task(stream.play(seats[number]))
            await _create_matches(plan, organiser, names)


async def _create_matches(plan: LoadPlan, organiser: Organiser, names: Sequence[str]) -> None:
    slots = asyncio.Semaphore(_CREATED_AT_ONCE)

    async def create(match: int) -> None:
        async with slots:
            players = tuple(names[stream] for stream in plan.streams_of(match))
            await organiser.create_match(
                players, rules=plan.rules, deals=plan.deals, clocks=_CLOCKS, faults=_FAULTS
            )

    async with asyncio.TaskGroup() as group:
        for match in range(plan.matches):
            group.create_task(create(match))


def _objection(address: str | None, token: str | None) -> str:
    """What is wrong with the server that was named, empty when nothing is."""
    if address is None and token is None:
        return ""
    if address is None or token is None:
        return "--server and --token go together: the token is an organiser's"
    try:
        is_local = Server(address, token).is_local
    except WrongUsage as problem:
        return str(problem)
    return "" if is_local else f"{address} is not on the loopback: a load is for this machine only"
