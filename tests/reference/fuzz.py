"""Compare engine and reference for as long as one likes: ``python -m tests.reference.fuzz``."""

import argparse
import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

from burraco.engine import PRESETS
from tests.reference.adapter import knobs_of
from tests.reference.deals import compare_number
from tests.reference.differential import Disagreement
from tests.reference.shrink import shrunk

_AT_ONCE = 10
# What a shell says of a command ended by an interrupt, and by a pipe that is closed.
_STOPPED = 130
_UNREAD = 141
_SECONDS_BETWEEN_LINES = 10
# Numbers of one seed; the next seed begins behind them.
_NUMBERS = 10**9


@dataclass(frozen=True)
class Report:
    """What became of some numbers; ``fault`` is the disagreement that stopped them."""

    met: Counter[str]
    fault: str


def compare_numbers(numbers: range, preset: str | None, players: int | None = None) -> Report:
    """Compare the deals of these numbers, up to the first disagreement."""
    met: Counter[str] = Counter()
    for number in numbers:
        try:
            met += compare_number(number, preset, players)
        except Disagreement as found:
            return Report(met, _told(number, found))
        except Exception:
            return Report(met, f"deal {number}, which stopped\n{traceback.format_exc()}")
    return Report(met, "")


def _told(number: int, found: Disagreement) -> str:
    small = shrunk(found, knobs_of(found.state.rules))
    if small is None:
        return f"deal {number}; the scene alone does not show it\n{found}"
    return f"deal {number}, as a small scene\n{small}"


def reports(
    deals: int, seed: int, preset: str | None, players: int | None, jobs: int
) -> Iterator[Report]:
    """The reports of so many deals, a few deals each, over so many processes."""
    first = seed * _NUMBERS
    numbers = range(first, first + deals)
    parts = [numbers[at : at + _AT_ONCE] for at in range(0, deals, _AT_ONCE)]
    # An interrupt is for this process alone; it stops the others.
    with ProcessPoolExecutor(jobs, initializer=_ignore_interrupts) as pool:
        try:
            yield from pool.map(partial(compare_numbers, preset=preset, players=players), parts)
        finally:
            pool.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def run(deals: int, seed: int, preset: str | None, players: int | None, jobs: int) -> int:
    """Compare and print; the exit status."""
    began = told = time.monotonic()
    met: Counter[str] = Counter()
    for report in reports(deals, seed, preset, players, jobs):
        met += report.met
        now = time.monotonic()
        if report.fault or now - told > _SECONDS_BETWEEN_LINES or met["deals"] == deals:
            told = now
            rate = met["deals"] / (now - began)
            print(f"{met['deals']} of {deals} deals, {rate:.1f} a second", file=sys.stderr)
        if report.fault:
            print(f"DISAGREEMENT in {report.fault}", flush=True)
            return 1
    print("no disagreement; met on the way:")
    for what, number in met.most_common():
        print(f"{number:>12} {what}")
    sys.stdout.flush()
    return 0


def main() -> int:
    """Read the command line; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.reference.fuzz", description=__doc__)
    parser.add_argument("--deals", type=int, required=True, help="how many deals to compare")
    parser.add_argument("--seed", type=int, default=1, help="which deals; the same seed, the same")
    parser.add_argument("--preset", choices=PRESETS, help="only this preset; else all by turns")
    parser.add_argument(
        "--players", type=int, choices=(2, 3, 4), help="only with so many; else 4, 4, 2, 3 by turns"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    asked = parser.parse_args()
    try:
        return run(asked.deals, asked.seed, asked.preset, asked.players, asked.jobs)
    except KeyboardInterrupt:
        print("stopped; no disagreement so far", file=sys.stderr)
        return _STOPPED
    except BrokenPipeError:
        # Nobody reads any more; what is left in the buffer has no place to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _UNREAD


if __name__ == "__main__":
    sys.exit(main())
