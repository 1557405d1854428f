"""Change the rules' code step by step and see whether the tests notice: ``make mutants``.

mutmut wants a source root named ``src``, so what it needs is copied to ``out/mutants`` first.
Exit status 1 when fewer than nine in ten are noticed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
WORK: Final = ROOT / "out" / "mutants"
MODULES: Final = ("melds", "growth", "legal", "tables", "transition", "scoring")
WANTED: Final = 0.90
# Tests of the rules; those of notation, shuffle and text have nothing to say about these modules.
_TESTS: Final = (
    "test_cases.py",
    "test_counts.py",
    "test_differential.py",
    "test_growth.py",
    "test_laws.py",
    "test_laws_complete.py",
    "test_nearest.py",
    "test_players.py",
    "test_players_pair.py",
    "test_players_points.py",
    "test_reported_play.py",
    "test_reported_scores.py",
    "test_rollout.py",
    "test_rules_complete.py",
    "test_rules_end.py",
    "test_rules_match.py",
    "test_rules_melds.py",
    "test_rules_pozzetto.py",
    "test_rules_turn.py",
    "test_values.py",
)
_SOURCES: Final = {
    "engine/burraco/engine": "src/burraco/engine",
    "proto/gen/burraco/v1": "src/burraco/v1",
    "proto/py/burraco/wire": "src/burraco/wire",
    "tests": "tests",
    "docs": "docs",
}
_NOT_COPIED: Final = shutil.ignore_patterns("__pycache__", "e2e", "server", "deploy", "faults")
# mutmut's exit codes of a mutant's test run; everything else was noticed.
_SURVIVED: Final = 0
_NO_TESTS: Final = 33


def main() -> int:
    """Prepare, run, and print how many changes were noticed, and which were not."""
    arguments = _arguments()
    _prepare(arguments.modules)
    environment = {**os.environ, "BURRACO_DEALS": "160", "HYPOTHESIS_PROFILE": "ci"}
    run = [sys.executable, "-m", "mutmut", "run", "--max-children", str(arguments.jobs)]
    subprocess.run(run, cwd=WORK, env=environment, check=False)
    return _report(arguments.modules)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("modules", nargs="*", default=MODULES, help="modules of the engine")
    return parser.parse_args()


def _prepare(modules: list[str]) -> None:
    shutil.rmtree(WORK, ignore_errors=True)
    for source, target in _SOURCES.items():
        shutil.copytree(ROOT / source, WORK / target, ignore=_NOT_COPIED)
    (WORK / "pyproject.toml").write_text(_settings(modules))


def _settings(modules: list[str]) -> str:
    mutated = [f"src/burraco/engine/{module}.py" for module in modules]
    tests = [f"tests/engine/{name}" for name in _TESTS]
    return f"""[tool.pytest.ini_options]
addopts = ["--import-mode=importlib", "--timeout=300", "-p", "no:xdist"]
consider_namespace_packages = true
pythonpath = [".", "src"]
asyncio_mode = "auto"

[tool.mutmut]
source_paths = ["src/"]
only_mutate = {json.dumps(mutated)}
also_copy = ["docs/"]
pytest_add_cli_args_test_selection = {json.dumps(tests)}
"""


def _report(modules: list[str]) -> int:
    noticed: Counter[str] = Counter()
    made: Counter[str] = Counter()
    survivors = []
    for module in modules:
        results = WORK / "mutants" / "src" / "burraco" / "engine" / f"{module}.py.meta"
        codes = json.loads(results.read_text())["exit_code_by_key"]
        made[module] = len(codes)
        alive = [name for name, code in codes.items() if code in {_SURVIVED, _NO_TESTS, None}]
        noticed[module] = len(codes) - len(alive)
        survivors += alive
        print(f"{module:11} {noticed[module]:5} of {made[module]:5} noticed")
    share = noticed.total() / max(1, made.total())
    print(f"{'all':11} {noticed.total():5} of {made.total():5} noticed, {share:.1%}")
    print(*survivors, sep="\n")
    return 0 if share >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
