"""Looks for leaks: random deals, and worlds that differ from them in hidden cards alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from random import Random
from typing import Final

from burraco.engine import Action, DealState, Ruleset
from burraco.engine.cards import PACK_SIZE
from burraco.engine.state import SEAT_NAMES
from tests.leaks.channels import PROBES, Act, Told, told_now, told_of_step
from tests.support.hidden import redealt
from tests.support.near_misses import near_misses
from tests.support.walks import TABLES, walk

# How many states of a deal are looked at, and how many worlds are held against each view of one.
_LOOKED_AT: Final = 0.3
_STILL_WORLDS: Final = 2
_STEP_WORLDS: Final = 2
# Acts that are nearly legal, beside the fixed ones.
_NEAR_MISSES: Final = 3


@dataclass(frozen=True, slots=True)
class Leak:
    """How a viewer was told of hidden cards, and where: at action ``at`` of a deal, from 0."""

    deal: int
    at: int
    viewer: int | None
    way: str

    def __str__(self) -> str:
        name = "a viewer without a seat" if self.viewer is None else SEAT_NAMES[self.viewer]
        rules = _rules_of(self.deal)
        where = f"deal {self.deal} ({rules.name}, {rules.players} players), action {self.at}"
        return f"{where}: {name} can tell by the {self.way}"


@dataclass(frozen=True, slots=True)
class Search:
    """What a search has seen; ``deals`` is how many deals its pairs come from."""

    pairs: int
    deals: int
    leaks: tuple[Leak, ...]


def search(first: int, pairs: int) -> Search:
    """Compare so many pairs of worlds, from deal ``first`` on."""
    seen = list(islice(_pairs_from(first), pairs))
    found = tuple(leak for _, leak in seen if leak is not None)
    return Search(len(seen), len({deal for deal, _ in seen}), found)


def leaks(first: int, pairs: int) -> Iterator[Leak]:
    """The leaks among so many pairs, from deal ``first`` on, as they are found."""
    return (leak for _, leak in islice(_pairs_from(first), pairs) if leak is not None)


def _pairs_from(first: int) -> Iterator[tuple[int, Leak | None]]:
    for deal in count(first):
        for leak in _pairs_of(deal):
            yield deal, leak


def _rules_of(deal: int) -> Ruleset:
    return TABLES[deal % len(TABLES)]


def _pairs_of(deal: int) -> Iterator[Leak | None]:
    """One item for each pair of a deal: the seat to act and one other viewer at a time."""
    chance = Random(deal)
    for at, (state, action) in enumerate(walk(_rules_of(deal), deal)):
        if chance.random() > _LOOKED_AT:
            continue
        probes = chance.sample(near_misses(state, chance), _NEAR_MISSES)
        acts = (*PROBES, *((probe,) for probe in probes))
        others = (None, *(seat for seat in range(len(state.hands)) if seat != state.turn))
        for viewer in (state.turn, others[at % len(others)]):
            for way in _ways(state, viewer, action, acts, chance):
                yield None if way is None else Leak(deal, at, viewer, way)


def _ways(
    state: DealState, viewer: int | None, action: Action, acts: Sequence[Act], chance: Random
) -> Iterator[str | None]:
    """For each world held against a state: what tells it from that one, if anything does."""
    now = told_now(state, viewer, acts)
    for _ in range(_STILL_WORLDS):
        yield _difference(now, told_now(redealt(state, viewer, chance), viewer, acts))
    learned = told_of_step(state, viewer, action)
    for _ in range(_STEP_WORLDS):
        other = told_of_step(redealt(state, viewer, chance, action), viewer, action)
        if other is None and viewer != state.turn:
            # Cards that this viewer does not see forbid what was played: no such world.
            continue
        yield _difference(learned, other)


def _difference(one: Told | None, other: Told | None) -> str | None:
    """The way by which two worlds can be told apart, None when they can not."""
    if one is None or other is None:
        return "verdicts"
    if one["cards"] != PACK_SIZE:
        return "cards"
    return next((way for way in one if one[way] != other[way]), None)
