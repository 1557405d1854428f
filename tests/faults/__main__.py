"""Long runs of faults: ``python -m tests.faults --help``."""

import argparse
import asyncio
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from burraco.bots.registry import HOUSE_BOTS
from burraco.sdk.asking import LOG
from burraco.server.failpoints import POINTS
from tests.faults.chaos import Outcome, Place, Plan, chaos
from tests.faults.crowd import crowd
from tests.faults.event import ROSTER, EventPlan, differences, hold
from tests.faults.fuzz import fuzz
from tests.faults.positions import strike_positions
from tests.faults.soak import soak
from tests.faults.torment import Strokes
from tests.server.harness import serving
from tests.server.postgres import serving_postgres

STORES: Final = ("sqlite", "postgres")


@contextmanager
def place_of(store: str) -> Iterator[Place]:
    """An empty store of a kind, gone afterwards."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="burraco-")))
        if store == "sqlite":
            yield Place(folder)
            return
        postgres = stack.enter_context(serving_postgres(is_durable=True))
        database = postgres.make_database().render_as_string(hide_password=False)
        yield Place(folder, postgres, database)


def run_chaos(arguments: argparse.Namespace) -> int:
    """Matches through kills, freezes, fail points, full disks and disconnects."""
    wrong = 0
    plan = _plan_of(arguments)
    for store in arguments.store or STORES:
        outcome = Outcome()
        for number in range(arguments.rounds):
            with place_of(store) as place:
                done = asyncio.run(chaos(place, replace(plan, seed=plan.seed + number)))
            outcome.counts += done.counts
            outcome.seconds += done.seconds
            outcome.wrong += done.wrong
            if arguments.rounds > 1:
                print(f"{store}, round {number + 1}:", *done.lines(), file=sys.stderr, flush=True)
        missed = list(shortfall(plan.strokes, store, outcome.counts, arguments.rounds))
        print(f"{store}:", *outcome.lines(), *missed, sep="\n  ", flush=True)
        wrong += len(outcome.wrong) + len(missed)
    return 1 if wrong else 0


def _plan_of(arguments: argparse.Namespace) -> Plan:
    """What was asked for, for one round."""
    return Plan(
        matches=arguments.matches,
        deals=arguments.deals,
        cuts=arguments.cuts,
        disconnects=arguments.disconnects,
        strokes=Strokes(
            kills=arguments.kills,
            freezes=arguments.freezes,
            points=arguments.points,
            full_disks=arguments.full_disks,
            database_kills=arguments.database_kills,
            database_freezes=arguments.database_freezes,
        ),
        seed=arguments.seed,
        seconds=arguments.seconds,
    )


def shortfall(strokes: Strokes, store: str, done: Counter[str], rounds: int) -> Iterator[str]:
    """What was asked for and has not happened, because the matches were over before it could."""
    asked = {"kills": strokes.kills, "freezes": strokes.freezes}
    for point, effects in POINTS.items():
        asked |= {f"{point}:{effect}": strokes.points for effect in effects}
    if store == "sqlite":
        asked["full disks"] = strokes.full_disks
    else:
        asked["database kills"] = strokes.database_kills
        asked["database freezes"] = strokes.database_freezes
    for what, times in asked.items():
        if done[what] < times * rounds:
            yield f"{what}: {done[what]} of {times * rounds}; give it more --matches or --deals"


def run_positions(arguments: argparse.Namespace) -> int:
    """A connection killed after each frame of a match, both ways."""

    async def positions(folder: Path) -> int:
        async with serving(folder) as running:
            done = await strike_positions(running, arguments.step)
        struck = f"{done.positions} positions, {done.struck} struck"
        print(f"{struck}; violations {len(done.wrong)}; {done.seconds:.0f} s", *done.wrong[:20])
        return len(done.wrong)

    with tempfile.TemporaryDirectory(prefix="burraco-") as folder:
        return 1 if asyncio.run(positions(Path(folder))) else 0


def run_fuzz(arguments: argparse.Namespace) -> int:
    """Malformed and mutated messages, over the wire and in process."""
    with tempfile.TemporaryDirectory(prefix="burraco-") as folder:
        done = asyncio.run(
            fuzz(Path(folder), arguments.messages, arguments.in_process, arguments.seed)
        )
    print(*done.lines(), sep="\n")
    return 1 if done.wrong else 0


def run_crowd(arguments: argparse.Namespace) -> int:
    """Readers that never read; bots that are dropped and return at once."""
    with tempfile.TemporaryDirectory(prefix="burraco-") as folder:
        done = asyncio.run(crowd(Path(folder), arguments.readers, arguments.bots))
    print(*done.lines(), sep="\n")
    return 1 if done.wrong else 0


def run_soak(arguments: argparse.Namespace) -> int:
    """Very many decisions: the memory of server and SDK stays flat."""
    with tempfile.TemporaryDirectory(prefix="burraco-") as folder:
        done = asyncio.run(soak(Path(folder), arguments.decisions))
    print(*done.lines(), sep="\n")
    return 1 if done.wrong else 0


def run_tournament(arguments: argparse.Namespace) -> int:
    """A tournament, and again on a server that is killed: the standings are the same bytes."""
    # What misbehaving bots are refused is no news.
    LOG.setLevel(logging.ERROR)
    plan = EventPlan(
        bots=arguments.bots, boards=arguments.boards, kills=arguments.kills, seed=arguments.seed
    )
    with place_of("sqlite") as place:
        undisturbed = asyncio.run(hold(place.folder / "event", None, plan, kills=0))
    print(*undisturbed.lines("undisturbed, sqlite"), sep="\n", flush=True)
    wrong = 0
    for store in (arguments.store or STORES) if plan.kills else ():
        with place_of(store) as place:
            killed = asyncio.run(hold(place.folder / "event", place.database, plan, plan.kills))
        found = list(differences(undisturbed, killed))
        if killed.kills < plan.kills:
            found.append(f"{killed.kills} of {plan.kills} kills: give it more --boards")
        print(*killed.lines(f"killed, {store}"), f"  differences: {len(found)}", *found, sep="\n  ")
        wrong += len(found)
    return 1 if wrong else 0


def main() -> int:
    """Exit status 1 when a promise was broken, or less was done than was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    count = _at_least(0)
    runs = parser.add_subparsers(required=True)
    _add_chaos(runs.add_parser("chaos", help=run_chaos.__doc__))
    positions = runs.add_parser("positions", help=run_positions.__doc__)
    positions.add_argument("--step", type=_at_least(1), default=1, help="try each STEP-th position")
    positions.set_defaults(run=run_positions)
    fuzzing = runs.add_parser("fuzz", help=run_fuzz.__doc__)
    fuzzing.add_argument("--messages", type=count, default=100_000, help="over the wire")
    fuzzing.add_argument("--in-process", type=count, default=1_000_000)
    fuzzing.add_argument("--seed", type=int, default=1)
    fuzzing.set_defaults(run=run_fuzz)
    crowding = runs.add_parser("crowd", help=run_crowd.__doc__)
    crowding.add_argument("--readers", type=count, default=500)
    crowding.add_argument("--bots", type=count, default=2_000)
    crowding.set_defaults(run=run_crowd)
    soaking = runs.add_parser("soak", help=run_soak.__doc__)
    soaking.add_argument("--decisions", type=_at_least(1_000), default=1_000_000)
    soaking.set_defaults(run=run_soak)
    _add_tournament(runs.add_parser("tournament", help=run_tournament.__doc__))
    arguments = parser.parse_args(_with_run(sys.argv[1:]))
    return int(arguments.run(arguments))


def _with_run(arguments: list[str]) -> list[str]:
    """Without the name of a run it is chaos."""
    is_named = not arguments or not arguments[0].startswith("-") or arguments[0] in ("-h", "--help")
    return arguments if is_named else ["chaos", *arguments]


def _at_least(least: int) -> Callable[[str], int]:
    """A type of options that are numbers from ``least`` on."""

    def number(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"{text}: give {least:,} or more")
        return int(text)

    return number


def _add_chaos(parser: argparse.ArgumentParser) -> None:
    count = _at_least(0)
    parser.add_argument("--store", action="append", choices=STORES, help="or both")
    parser.add_argument("--matches", type=_at_least(1), default=50)
    parser.add_argument("--deals", type=_at_least(1), default=2, help="deals of a match")
    parser.add_argument("--kills", type=count, default=0, help="SIGKILLs of the server")
    parser.add_argument("--freezes", type=count, default=0, help="SIGSTOPs of the server")
    parser.add_argument("--points", type=count, default=0, help="for each fail point and effect")
    parser.add_argument("--full-disks", type=count, default=0, help="with SQLite")
    parser.add_argument("--database-kills", type=count, default=0, help="SIGKILLs of PostgreSQL")
    parser.add_argument("--database-freezes", type=count, default=0, help="SIGSTOPs of PostgreSQL")
    parser.add_argument("--cuts", type=count, default=0, help="connections broken after some bytes")
    parser.add_argument("--disconnects", type=count, default=0, help="for each moment and manner")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--rounds", type=_at_least(1), default=1, help="all of it again on a new store and seed"
    )
    parser.add_argument("--seconds", type=float, default=1800, help="the most a round may take")
    parser.set_defaults(run=run_chaos)


def _add_tournament(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--store", action="append", choices=STORES, help="or both")
    parser.add_argument("--kills", type=_at_least(0), default=20, help="0 to measure it only")
    parser.add_argument("--boards", type=_at_least(1), default=1, help="boards of a pairing")
    parser.add_argument(
        "--bots", nargs="+", choices=HOUSE_BOTS, default=ROSTER, help="house bots that enter"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.set_defaults(run=run_tournament)


if __name__ == "__main__":
    sys.exit(main())
