"""Change the rules' code step by step and see whether the tests notice: ``make mutants``.

Exit status 1 when fewer than nine in ten changes are noticed.
"""

import argparse
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from tests.mutants.trials import OPTIONS, Plan, Trials

ROOT: Final = Path(__file__).parents[2]
WANTED: Final = 0.90
MODULES: Final = ("melds", "growth", "tables", "legal", "transition", "scoring", "refusals")
# The quickest and most telling first; each is run only until one notices.
TESTS: Final = (
    "test_rules_melds.py",
    "test_cases.py",
    "test_rules_turn.py",
    "test_rules_end.py",
    "test_rules_pozzetto.py",
    "test_rules_match.py",
    "test_nearest.py",
    "test_growth.py",
    "test_values.py",
    "test_counts.py",
    "test_players.py",
    "test_players_pair.py",
    "test_players_points.py",
    "test_reported_play.py",
    "test_reported_scores.py",
    "test_rules_complete.py",
    "test_pickling.py",
    "test_laws.py",
    "test_laws_complete.py",
    "test_differential.py",
)


def main() -> int:
    """Try the changes, and print how many were noticed, and which were not."""
    arguments = _arguments()
    os.environ |= {"BURRACO_PURE": "1", "BURRACO_DEALS": "48", "HYPOTHESIS_PROFILE": "ci"}
    sys.path[:0] = [str(ROOT / root) for root in ("engine", "proto/gen", "proto/py")]
    tests = [str(ROOT / "tests" / "engine" / name) for name in TESTS]
    trials = Trials(Plan(arguments.modules, arguments.every, arguments.only, arguments.jobs), tests)
    status = pytest.main([*OPTIONS, *tests], plugins=[trials])
    return status or _report(trials)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--every", type=int, default=1, help="try each n-th change only")
    parser.add_argument("--only", nargs="*", default=[], help="functions, or changes as printed")
    parser.add_argument("modules", nargs="*", default=MODULES, help="modules of the engine")
    return parser.parse_args()


def _report(trials: Trials) -> int:
    tried = Counter(change.module.rpartition(".")[2] for change, _ in trials.tried)
    noticed = Counter(change.module.rpartition(".")[2] for change, seen in trials.tried if seen)
    for module in tried:
        print(f"{module:11} {noticed[module]:5} of {tried[module]:5} noticed")
    share = noticed.total() / max(1, tried.total())
    print(f"{'all':11} {noticed.total():5} of {tried.total():5} noticed, {share:.1%}")
    return 0 if share >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
