"""Look for leaks in many pairs of worlds, in several processes."""

import argparse
import sys
import time
from collections.abc import Sequence
from functools import partial
from multiprocessing import Pool
from typing import Final

from tests.leaks.checker import Search, search

# Pairs of one part, and deals that no part needs all of, so that parts never share one.
_PART: Final = 10_000
_DEALS_A_PART: Final = 1_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Search, tell how far it has come, and give 1 when a leak was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.leaks", description=__doc__)
    parser.add_argument("--pairs", type=int, default=1_000_000, help="how many worlds to compare")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--first", type=int, default=0, metavar="DEAL", help="where to begin")
    chosen = parser.parse_args(arguments)
    began, found = time.monotonic(), Search(0, 0, ())
    parts = range(0, chosen.pairs, _PART)
    with Pool(chosen.jobs) as pool:
        part = partial(_search_part, chosen.first, chosen.pairs)
        for more in pool.imap_unordered(part, parts):
            found = Search(
                found.pairs + more.pairs, found.deals + more.deals, found.leaks + more.leaks
            )
            for leak in more.leaks[:1]:
                print(leak, flush=True)
    seconds = time.monotonic() - began
    print(
        f"{found.pairs} pairs of worlds in {found.deals} deals, {len(found.leaks)} leaks,"
        f" {found.pairs / max(seconds, 1e-9):.0f} pairs a second"
    )
    return 1 if found.leaks else 0


def _search_part(first: int, pairs: int, part: int) -> Search:
    return search(first + part // _PART * _DEALS_A_PART, min(_PART, pairs - part))


if __name__ == "__main__":
    sys.exit(main())
