"""Where the instructions of a compiled step go: ``python -m tests.bench.profile``, with valgrind.

Callgrind counts instructions, so the figures are the same on a busy machine and on an idle one.
"""

import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from burraco.engine.compiled import is_compiled
from tests.bench.engine_speed import WARM_UP, openings, play_deals

_DEALS = 60
_FIRST = 1_000
_PLAY = "play"
# What is measured, by the names of the compiled functions; indented parts lie within the one above.
_PARTS = {
    "legal()": "CPyPy_legal___legal",
    "  suits of the hand": "CPyDef_cards___suits_of",
    "  new melds": "CPyDef_growth___lays_into",
    "  additions": "CPyDef_growth___adds_into",
    "  discards": "CPyDef_legal____discards_into",
    "  dead ends": "CPyDef_legal____without_dead_ends",
    "  draws": "CPyDef_legal___legal_draws",
    "advance()": "CPyPy_transition___advance",
    "  meld or addition": "CPyDef_transition____meld",
    "  discard": "CPyDef_transition____discard",
    "  pile taken": "CPyDef_transition____take_pile",
    "  card drawn": "CPyDef_transition____draw",
    "within these: answers worked out for the tables": "partial_vectorcall",
    "within these: look-ups in dictionaries": "CPyDict_GetWithNone",
    "old states freed": "state___DealState_dealloc",
    "garbage collection": "gc_collect_main",
}


def main() -> None:
    """Print instructions a step, on new deals and on the same again."""
    if sys.argv[1:2] == [_PLAY]:
        _play(*sys.argv[2:])
        return
    if not is_compiled():
        raise SystemExit("the engine is not compiled: `make compiled`, then its python")
    new, again = (_counted(times) for times in ("1", "2"))
    print(f"{'instructions a step':50} {'new':>7} {'again':>7}")
    for what, name in {**_PARTS, "all, the loop of the benchmark included": ""}.items():
        print(f"{what:50} {new[name]:7.0f} {again[name]:7.0f}")


def _play(times: str) -> None:
    """Play deals with the counting on; for the second time, unless ``times`` is 1."""
    play_deals(1, openings(1, WARM_UP))
    deals = openings(_FIRST, _DEALS)
    if times != "1":
        play_deals(_FIRST, deals)
    _count("on")
    steps = play_deals(_FIRST, deals)
    _count("off")
    print(steps)


def _count(switch: str) -> None:
    subprocess.run(["callgrind_control", "-i", switch], check=True, capture_output=True)


def _counted(times: str) -> Counter[str]:
    """Instructions a step within each function, and of all under no name."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counts"
        watch = ["valgrind", "--tool=callgrind", "--instr-atstart=no"]
        watch.append(f"--callgrind-out-file={out}")
        play = [sys.executable, "-m", __spec__.name, _PLAY, times]
        ran = subprocess.run([*watch, *play], check=True, capture_output=True, text=True)
        steps = int(ran.stdout)
        return Counter({name: round(cost / steps) for name, cost in _within(out).items()})


def _within(out: Path) -> Counter[str]:
    """Cost of each function with all it calls, from a file of callgrind."""
    names: dict[str, str] = {}
    costs: Counter[str] = Counter()
    calling = called = ""
    is_call = False
    for line in out.read_text().splitlines():
        if line.startswith("fn="):
            calling = _named(line, names)
        elif line.startswith("cfn="):
            called = _named(line, names)
        elif line.startswith("calls="):
            is_call = True
        elif re.match(r"[\d+*-]", line):
            cost = int(line.split()[1])
            if is_call:
                # Counted where it is called: a function that calls itself would count twice.
                costs[called] += cost if called != calling else 0
            else:
                costs[""] += cost
            is_call = False
    return costs


def _named(line: str, names: dict[str, str]) -> str:
    """The function of a line, which is written out once and is a number from then on."""
    number, _, name = line.partition("=")[2].partition(" ")
    return names.setdefault(number, re.sub(r"'\d+$", "", name))


if __name__ == "__main__":
    main()
