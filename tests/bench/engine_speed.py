"""Engine steps, each with full legal-move generation, in random legal play."""

import random
from collections.abc import Callable, Iterator

from burraco.engine import DealState, Seed, advance, lay_out, legal, open_deal, preset, shuffled
from burraco.engine.view import view
from tests.bench.yardstick import median_seconds, yardstick

_WARM_UP = 150
_DEALS = 40
_RUNS = 5
_SEED = Seed(bytes(range(80)), b"")


def report() -> Iterator[str]:
    """Lines of the report: microseconds, and multiples of the yardstick."""
    rules = preset("classic")
    play_deals(1, _WARM_UP)  # the tables of ``growth`` fill
    steps = play_deals(1, _DEALS)
    unit = yardstick()
    fresh = iter(range(1_000, 1_000 + _DEALS * (_RUNS + 1), _DEALS))
    seen = median_seconds(lambda: play_deals(1, _DEALS), _RUNS) / steps
    new_steps = 0

    def new_deals() -> None:
        nonlocal new_steps
        new_steps += play_deals(next(fresh), _DEALS)

    new = median_seconds(new_deals, _RUNS) / (new_steps / _RUNS)
    states = list(states_of(1, 10))
    yield f"yardstick: one dictionary-and-tuple step {unit * 1e6:.3f} µs; rules {rules.name}"
    yield _line("step with legal(), deals seen before", seen, unit)
    yield _line("step with legal(), new deals", new, unit)
    for name, work in _parts(states):
        yield _line(name, median_seconds(work, _RUNS) / len(states), unit)
    actions = sum(len(legal(state)) for state in states) / len(states)
    yield f"legal actions at a step: {actions:.1f} on average"


def _parts(states: list[DealState]) -> Iterator[tuple[str, Callable[[], object]]]:
    yield "legal()", lambda: [legal(state) for state in states]
    yield "legal() and advance()", lambda: [advance(state, legal(state)[0]) for state in states]
    yield "view()", lambda: [view(state, state.turn, 1, (0, 0)) for state in states]


def _line(what: str, seconds: float, unit: float) -> str:
    return f"{what:40} {seconds * 1e6:7.1f} µs  {seconds / unit:7.1f} × yardstick"


def play_deals(first: int, deals: int) -> int:
    """Play so many deals at random from deal ``first`` on; the number of steps."""
    return sum(1 for _ in states_of(first, deals))


def states_of(first: int, deals: int) -> Iterator[DealState]:
    """Every state of random deals in which somebody is to act."""
    chooser = random.Random(first)
    for number in range(first, first + deals):
        pack, cut = shuffled(_SEED, number)
        state = open_deal(preset("classic"), number % 4, lay_out(pack, cut, number % 4))
        while state.end is None:
            yield state
            actions = legal(state)
            state = advance(state, actions[int(chooser.random() * len(actions))])
