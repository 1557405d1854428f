"""Facts of a turn that both the legal actions and the transitions ask for."""

from collections.abc import Sequence

from burraco.engine.cards import Bag, count
from burraco.engine.rules import Rediscard, Ruleset
from burraco.engine.state import NO_CARD


def barred_after_taking(rules: Ruleset, hand: Bag, pile: Sequence[int]) -> int:
    """The face that may not be discarded after taking this pile, or ``NO_CARD`` (E46, E61)."""
    if len(pile) != 1 or rules.rediscard_single is Rediscard.ALLOW:
        return NO_CARD
    if rules.rediscard_single is Rediscard.UNLESS_TWIN and count(hand, pile[0]):
        return NO_CARD
    return pile[0]
