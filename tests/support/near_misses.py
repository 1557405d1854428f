"""Actions that look like legal ones and mostly are none."""

from collections import Counter
from random import Random

from burraco.engine import (
    DRAW_STOCK,
    TAKE_PILE,
    Action,
    Add,
    Cut,
    DealState,
    Discard,
    LayMeld,
    Unreadable,
    legal,
    unpack,
)
from burraco.engine.cards import CARDS


def near_misses(state: DealState, chance: Random) -> list[Action]:
    """Actions that look like actions of this state and mostly are none."""
    hand = unpack(state.hands[state.turn])
    number = len(state.melds[state.sides[state.turn]])
    found: list[Action] = [DRAW_STOCK, TAKE_PILE, Cut(chance.randrange(108))]
    found += [Discard(chance.choice(CARDS)), Discard(chance.choice(hand))] if hand else []
    for _ in range(3):
        some = chance.sample(hand, min(len(hand), chance.randrange(8)))
        if chance.random() < 0.3:
            some.append(chance.choice(CARDS))
        try:
            found += [LayMeld(some), Add(chance.randrange(-1, number + 1), some)]
        except Unreadable:
            continue
    found += [_changed(action, hand, chance) for action in legal(state)[:40:10]]
    return found


def _changed(action: Action, hand: tuple[int, ...], chance: Random) -> Action:
    """A legal meld or addition with a card less, or with another card of the hand."""
    if not isinstance(action, LayMeld | Add):
        return action
    cards: list[int] = list(action.cards)
    cards.pop(chance.randrange(len(cards)))
    rest = Counter(hand)
    rest.subtract(cards)
    others = [card for card, left in rest.items() if left > 0]
    if others and chance.random() < 0.7:
        cards.append(chance.choice(others))
    return LayMeld(cards) if isinstance(action, LayMeld) else Add(action.meld, cards)
