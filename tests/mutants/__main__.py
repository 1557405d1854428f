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
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
WORK: Final = ROOT / "out" / "mutants"
WANTED: Final = 0.90
# Modules, and the tests that have something to say about them, the quick ones first.
GROUPS: Final = {
    ("melds", "growth", "tables", "legal"): (
        "test_cases.py",
        "test_rules_melds.py",
        "test_growth.py",
        "test_values.py",
        "test_differential.py",
        "test_laws_complete.py",
        "test_rules_complete.py",
    ),
    ("transition", "scoring"): (
        "test_cases.py",
        "test_differential.py",
        "test_laws.py",
        "test_nearest.py",
        "test_players.py",
        "test_players_pair.py",
        "test_players_points.py",
        "test_reported_play.py",
        "test_reported_scores.py",
        "test_rules_end.py",
        "test_rules_match.py",
        "test_rules_pozzetto.py",
        "test_rules_turn.py",
        "test_values.py",
    ),
}
_SOURCES: Final = {
    "engine/burraco/engine": "src/burraco/engine",
    "proto/gen/burraco/v1": "src/burraco/v1",
    "proto/py/burraco/wire": "src/burraco/wire",
    "tests": "tests",
    "docs": "docs",
}
_NOT_COPIED: Final = shutil.ignore_patterns("__pycache__", "e2e", "server", "deploy", "faults")
# Seconds after which a change is taken to make something endless.
_FIRST_PATIENCE: Final = 20
_PATIENCE: Final = 200


def main() -> int:
    """Prepare, run, and print how many changes were noticed, and which were not."""
    arguments = _arguments()
    noticed: Counter[str] = Counter()
    survivors: Counter[str] = Counter()
    for group, tests in GROUPS.items():
        modules = [module for module in group if module in arguments.modules]
        if modules:
            _prepare(modules, tests)
            _run(modules, tests, arguments, noticed, survivors)
    return _report(noticed, survivors)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--every", type=int, default=1, help="try each n-th change only")
    modules = [module for group in GROUPS for module in group]
    parser.add_argument("modules", nargs="*", default=modules, help="modules of the engine")
    return parser.parse_args()


def _prepare(modules: Sequence[str], tests: Sequence[str]) -> None:
    shutil.rmtree(WORK, ignore_errors=True)
    for source, target in _SOURCES.items():
        shutil.copytree(ROOT / source, WORK / target, ignore=_NOT_COPIED)
    (WORK / "pyproject.toml").write_text(_settings(modules, tests))


def _settings(modules: Sequence[str], tests: Sequence[str]) -> str:
    mutated = [f"src/burraco/engine/{module}.py" for module in modules]
    chosen = [f"tests/engine/{name}" for name in tests]
    return f"""[tool.pytest.ini_options]
addopts = ["--import-mode=importlib", "--timeout=300", "-p", "no:xdist"]
consider_namespace_packages = true
pythonpath = [".", "src"]
asyncio_mode = "auto"

[tool.mutmut]
source_paths = ["src/"]
only_mutate = {json.dumps(mutated)}
also_copy = ["docs/"]
pytest_add_cli_args_test_selection = {json.dumps(chosen)}
"""


def _run(
    modules: Sequence[str],
    tests: Sequence[str],
    arguments: argparse.Namespace,
    noticed: Counter[str],
    survivors: Counter[str],
) -> None:
    """Try every change in a process of its own, since tables are made when a module is imported."""
    _make_changes()
    made = [(module, name) for module in modules for name in _changes_of(module)]
    changes = made[:: arguments.every]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        found = pool.map(lambda change: _is_noticed(change[1], tests), changes)
        for (module, name), is_noticed in zip(changes, found, strict=True):
            noticed[module] += is_noticed
            survivors[module] += not is_noticed
            if not is_noticed:
                shown = [sys.executable, "-m", "mutmut", "show", name]
                subprocess.run(shown, cwd=WORK, check=False)


def _make_changes() -> None:
    """Have mutmut write the changed sources and check that the tests pass on the unchanged ones.

    Asked for a change that is not there, it tries none.
    """
    made = [sys.executable, "-m", "mutmut", "run", "--max-children", "1", "none"]
    subprocess.run(made, cwd=WORK, env=_environment(""), capture_output=True, check=False)


def _changes_of(module: str) -> list[str]:
    results = WORK / "mutants" / "src" / "burraco" / "engine" / f"{module}.py.meta"
    return list(json.loads(results.read_text())["exit_code_by_key"])


def _is_noticed(change: str, tests: Sequence[str]) -> bool:
    """Whether a test fails, or never ends, with one change in force.

    The quickest tests go first and alone, so that what is endless shows soon.
    """
    return _fails(change, tests[:1], _FIRST_PATIENCE) or _fails(change, tests[1:], _PATIENCE)


def _fails(change: str, tests: Sequence[str], seconds: float) -> bool:
    run = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    run += [f"tests/engine/{name}" for name in tests]
    try:
        ended = subprocess.run(
            run,
            cwd=WORK / "mutants",
            env=_environment(change),
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    return ended.returncode != 0


def _environment(change: str) -> dict[str, str]:
    return {
        **os.environ,
        "BURRACO_DEALS": "48",
        "HYPOTHESIS_PROFILE": "ci",
        "MUTANT_UNDER_TEST": change,
    }


def _report(noticed: Counter[str], survivors: Counter[str]) -> int:
    for module in noticed:
        print(f"{module:11} {noticed[module]:5} of {noticed[module] + survivors[module]:5} noticed")
    made = noticed.total() + survivors.total()
    share = noticed.total() / max(1, made)
    print(f"{'all':11} {noticed.total():5} of {made:5} noticed, {share:.1%}")
    return 0 if share >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
