"""Engine steps, each with full legal-move generation, in random legal play from the first draw."""

import random
from collections.abc import Callable, Iterator

from burraco.engine import (
    DealState,
    Seed,
    advance,
    bag,
    lay_out,
    legal,
    open_deal,
    preset,
    shuffled,
)
from burraco.engine.compiled import is_compiled
from burraco.engine.legal import legal_plays
from burraco.engine.rollout import RandomPolicy, rollout
from burraco.engine.state import NO_CARD
from burraco.engine.view import view
from tests.bench.yardstick import median_seconds, yardstick

WARM_UP = 150
_DEALS = 40
_RUNS = 5
_SEED = Seed(bytes(range(80)), b"")
_BIG_HAND = 40
_LONGEST = 5_000


def report() -> Iterator[str]:
    """Lines of the report: microseconds, and multiples of the yardstick."""
    play_deals(1, openings(1, WARM_UP))  # the tables of ``growth`` fill
    engine = "compiled" if is_compiled() else "pure"
    yield f"engine {engine}, rules classic"
    yield f"yardstick: one dictionary-and-tuple step {yardstick() * 1e6:.3f} µs"
    yield _line("step with legal(), deals seen before", _step_seconds_seen())
    steps, seconds = _steps_of_new_deals(1_000)
    yield _line("step with legal(), new deals", seconds / steps)
    states = list(_states_of(1, openings(1, 10)))
    for name, work in _parts(states):
        yield _line(name, median_seconds(work, _RUNS) / len(states))
    actions = sum(len(legal(state)) for state in states) / len(states)
    yield f"legal actions at a step: {actions:.1f} on average"
    yield from _whole_deals()
    yield from _big_hands()


def steps_and_seconds(first: int) -> tuple[int, float, float]:
    """Steps of deals from ``first`` on, the seconds they took once warm, and the dealing's."""
    play_deals(1, openings(1, WARM_UP))
    dealing = median_seconds(lambda: openings(first, _DEALS), _RUNS) * _RUNS
    return *_steps_of_new_deals(first), dealing


def _step_seconds_seen() -> float:
    deals = openings(1, _DEALS)
    steps = play_deals(1, deals)
    return median_seconds(lambda: play_deals(1, deals), _RUNS) / steps


def _steps_of_new_deals(first: int) -> tuple[int, float]:
    numbers = range(first, first + _DEALS * _RUNS, _DEALS)
    fresh = iter([(number, openings(number, _DEALS)) for number in numbers])
    steps = 0

    def new_deals() -> None:
        nonlocal steps
        steps += play_deals(*next(fresh))

    seconds = median_seconds(new_deals, _RUNS) * _RUNS
    return steps, seconds


def _whole_deals() -> Iterator[str]:
    """A random deal from the first draw to its end, without a generator or a list of states."""
    deals = openings(1, _DEALS)

    def play() -> None:
        for number, state in enumerate(deals):
            rollout(state, RandomPolicy(number), _LONGEST)

    yield _line("random deal to its end, rollout()", median_seconds(play, _RUNS) / _DEALS)


def _big_hands() -> Iterator[str]:
    rules = preset("classic")
    hands = [bag(shuffled(_SEED, number)[0][:_BIG_HAND]) for number in range(1, _DEALS + 1)]

    def plays() -> list[int]:
        return [len(legal_plays(rules, hand, (), False, NO_CARD, False)) for hand in hands]

    new = median_seconds(plays, 1) / _DEALS
    yield _line(f"legal() of a hand of {_BIG_HAND} cards, new", new)
    yield _line("the same hands again", median_seconds(plays, _RUNS) / _DEALS)
    yield f"legal actions of a hand of {_BIG_HAND}: {sum(plays()) / _DEALS:.0f} on average"


def _parts(states: list[DealState]) -> Iterator[tuple[str, Callable[[], object]]]:
    yield "legal()", lambda: [legal(state) for state in states]
    yield "legal() and advance()", lambda: [advance(state, legal(state)[0]) for state in states]
    yield "copy()", lambda: [state.copy() for state in states]
    yield "view()", lambda: [view(state, state.turn, 1, (0, 0)) for state in states]


def _line(what: str, seconds: float) -> str:
    unit = yardstick()  # at once, since the speed of a shared machine wanders
    return f"{what:40} {seconds * 1e6:7.1f} µs  {seconds / unit:7.1f} × yardstick"


def play_deals(chance: int, deals: list[DealState]) -> int:
    """Play these deals at random, in a plain loop as the peers are played; the number of steps."""
    chooser, steps = random.Random(chance), 0
    for state in deals:
        while state.end is None:
            actions = legal(state)
            state = advance(state, actions[int(chooser.random() * len(actions))])
            steps += 1
    return steps


def _states_of(chance: int, deals: list[DealState]) -> Iterator[DealState]:
    """Every state of random deals in which somebody is to act."""
    chooser = random.Random(chance)
    for opening in deals:
        state = opening
        while state.end is None:
            yield state
            actions = legal(state)
            state = advance(state, actions[int(chooser.random() * len(actions))])


def openings(first: int, deals: int) -> list[DealState]:
    """The first states of so many deals, numbered from ``first`` on."""
    return [_opening(number) for number in range(first, first + deals)]


def _opening(number: int) -> DealState:
    pack, cut = shuffled(_SEED, number)
    return open_deal(preset("classic"), number % 4, lay_out(pack, cut, number % 4))
