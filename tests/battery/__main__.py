"""Print what the battery finds: ``python -m tests.battery --deals 200000``."""

import argparse
import hashlib
import random
import sys
from collections.abc import Iterator

from tests.battery import FAMILY
from tests.battery.shuffles import WRONG, ours
from tests.battery.trials import TRIALS, run

# With fewer, cells are too empty for a chi-square.
_FEWEST = 2_000


def report(deals: int, seed: int) -> Iterator[tuple[str, bool]]:
    """Lines of the report, and whether each is as it has to be."""
    secret = hashlib.shake_256(f"battery {seed}".encode()).digest(80)
    yield f"burraco-deal-v1, {deals} deals, a trial rejects below {FAMILY / len(TRIALS):.1e}", True
    for finding in run(ours(secret), deals):
        verdict = "REJECTED" if finding.is_rejected else "ok"
        yield f"  {finding.trial:44} p = {finding.chance:<9.3g} {verdict}", not finding.is_rejected
    yield "shuffles that are wrong on purpose", True
    for name, wrong in WRONG.items():
        found = [f for f in run(wrong.source(random.Random(seed)), wrong.deals) if f.is_rejected]
        by = min(found, key=lambda finding: finding.chance, default=None)
        told = f"found by {len(found)}, first {by.trial}" if by else "NOT FOUND"
        yield f"  {name:44} {wrong.deals:6} deals: {told}", by is not None


def main() -> int:
    """Run it; 1 when ours is rejected or a wrong one is not."""
    parser = argparse.ArgumentParser(prog="python -m tests.battery", description=__doc__)
    parser.add_argument("--deals", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1, help="another seed is another sample")
    arguments = parser.parse_args()
    if arguments.deals < _FEWEST:
        parser.error(f"--deals {arguments.deals}: at least {_FEWEST} are needed")
    is_good = True
    for line, is_right in report(arguments.deals, arguments.seed):
        print(line, flush=True)
        is_good &= is_right
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
