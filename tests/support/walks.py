"""Whole deals played at random: everything follows from a number, nothing from the clock."""

import hashlib
from collections.abc import Iterator
from random import Random
from typing import Final

from burraco.engine import (
    PRESETS,
    Action,
    Add,
    DealState,
    LayMeld,
    Ruleset,
    Seed,
    advance,
    lay_out,
    legal,
    open_deal,
    shuffled,
)
from burraco.engine.deal import smallest_cut_for
from burraco.engine.rules import ALONE_BEYOND, pozzetto_sizes, seated

# Every preset, for four players first, then for two and three.
TABLES: Final = tuple(seated(rules, players) for players in (4, 2, 3) for rules in PRESETS.values())
# No deal comes near; a walk that gets here has gone round in circles.
LONGEST: Final = 5000
_MELDING: Final = 0.6


def opening(rules: Ruleset, number: int) -> DealState:
    """The first deal of the seed that belongs to a number; three stay alone by odd ones (H10)."""
    secret = hashlib.shake_256(b"walk" + number.to_bytes(8, "big")).digest(80)
    sizes = pozzetto_sizes(rules, [number % 2 * (ALONE_BEYOND + 5)])
    pack, cut = shuffled(Seed(secret, b""), 1, smallest_cut_for(sizes))
    dealer = number % rules.players
    lifted = cut if rules.physical_cut else 0
    return open_deal(rules, dealer, lay_out(pack, lifted, dealer, rules.players, sizes))


def pick(chance: Random, actions: list[Action]) -> Action:
    """Any of the actions, melds and additions more often, so that deals get somewhere."""
    grown = [action for action in actions if isinstance(action, LayMeld | Add)]
    if grown and chance.random() < _MELDING:
        return chance.choice(grown)
    return chance.choice(actions)


def walk(rules: Ruleset, number: int) -> Iterator[tuple[DealState, Action]]:
    """Each state of a random deal with the action played there, until the deal is over."""
    chance, state = Random(number), opening(rules, number)
    for _ in range(LONGEST):
        if state.end is not None:
            return
        action = pick(chance, legal(state))
        yield state, action
        state = advance(state, action)
    raise AssertionError(f"deal {number} under {rules.name} does not end")
