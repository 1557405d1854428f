"""Facts of a turn that both the legal actions and the transitions ask for."""

from collections.abc import Sequence
from typing import Final

from burraco.engine.cards import Bag, count
from burraco.engine.rules import Rediscard, Ruleset
from burraco.engine.state import NO_CARD

# Members of a class that is not compiled: asked often, found once.
_ALLOW: Final = Rediscard.ALLOW
_UNLESS_TWIN: Final = Rediscard.UNLESS_TWIN


def barred_after_taking(rules: Ruleset, hand: Bag, pile: Sequence[int]) -> int:
    """The face that may not be discarded after taking this pile, or ``NO_CARD`` (E46, E61)."""
    if len(pile) != 1:
        return NO_CARD
    knob = rules.rediscard_single
    if knob is _ALLOW or (knob is _UNLESS_TWIN and count(hand, pile[0])):
        return NO_CARD
    return pile[0]
