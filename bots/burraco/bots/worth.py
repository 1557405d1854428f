"""What melds and hands are worth to `club`, in points of the deal.

A meld is worth its cards and its bonus, or its chance of one. A hand is worth its wild cards and
the melds it may still become, and the shorter it is the nearer is the pozzetto, or the closing. All
chances shrink as the end of the deal comes nearer, and what is stuck in the hand begins to hurt.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import exp
from typing import Final

from burraco.engine.cards import (
    ACE,
    FIELD,
    JOKER_SHIFT,
    ONE,
    RANK_COUNT,
    SUIT_BITS,
    SUIT_WIDTH,
    TWO,
    Bag,
    points,
    size,
)
from burraco.engine.melds import NATURAL_BITS, TWO_BITS, classify
from burraco.engine.scoring import has_closing_burraco
from burraco.sdk import Card, Kind, Meld, View

Melds = tuple[Meld, ...]

# Found by self-play against `greedy` and against earlier weights, one change at a time.
# Chance of the bonus, in points, for melds of 3, 4, 5 and 6 cards: (clean, dirty).
_PROGRESS: Final = {
    Kind.SEQUENCE: ((25, 50, 90, 140), (0, 12, 32, 65)),
    Kind.SET: ((15, 30, 55, 110), (-5, 8, 26, 60)),
}
_JOKER: Final = 60
_TWO: Final = 45
# For each tie between two cards, and for a card one gap beside an own sequence.
_LINK: Final = 5
_REACH: Final = 12
# For an empty hand; it falls by e every so many cards.
_POZZETTO, _POZZETTO_CARDS = 170, 5
_CLOSING, _CLOSING_CARDS = 200, 3
# Taking the pozzetto directly saves a turn.
_DIRECT: Final = 40
# The deal draws to its end over the last cards of the stock, or as an opponent's hand runs out.
_LAST_STOCK: Final = 16
_LAST_HAND: Final = 8


@dataclass(frozen=True, slots=True)
class Outlook:
    """How one seat sees the deal: nothing in it changes during a turn.

    ``urgency`` is 0 while there is time and 1 when the deal may end at any moment. ``reach`` holds
    one bit for each face that lies one gap beside a clean sequence of the own side.
    """

    view: View
    taken: bool
    urgency: float
    reach: int

    @classmethod
    def of(cls, view: View) -> "Outlook":
        """The outlook of a view's seat."""
        return cls(view, view.taken[view.side], _urgency(view), _reach(view.my_melds))

    def meld(self, meld: Meld) -> float:
        """Worth of a meld on the table."""
        if meld.is_burraco:
            return meld.points + meld.bonus(self.view.rules)
        progress = _PROGRESS[meld.kind][not meld.is_clean][meld.size - 3]
        return meld.points + progress * (1 - self.urgency)

    def table(self, melds: Melds) -> float:
        """Worth of all melds of a side."""
        return sum(map(self.meld, melds))

    def growth(self, meld: Meld, card: Card) -> float:
        """What one more card adds to a meld of either side; 0 where it does not fit."""
        grown = classify(Bag(meld.bag + ONE[card]))
        return 0.0 if grown is None else self.meld(grown) - self.meld(meld)

    def hand(self, hand: Bag, left: int, closable: bool) -> float:
        """Worth of a hand that is ``left`` cards long when the turn ends.

        ``closable`` says whether the side has the burraco it needs to close.
        """
        time = 1 - self.urgency
        wilds = _JOKER * (hand >> JOKER_SHIFT & 7) + _TWO * size(Bag(hand & TWO_BITS))
        beside = ((hand | hand >> 1) & self.reach).bit_count()
        worth = time * (wilds + _LINK * links(hand) + _REACH * beside)
        if self.urgency:
            worth -= self.urgency * points(hand)
        if not self.taken:
            return worth + _POZZETTO * exp(-left / _POZZETTO_CARDS)
        return worth + (_CLOSING * exp(-left / _CLOSING_CARDS) if closable else 0)

    def before_discard(self, hand: Bag, melds: Melds) -> float:
        """Worth of a hand beside the melds of its side, with the discard still to come."""
        if not hand:
            return self.hand(hand, 0, False) + _DIRECT
        closable = self.taken and has_closing_burraco(self.view.rules, melds)
        return self.hand(hand, size(hand) - 1, closable)


def _urgency(view: View) -> float:
    spent = 1 - (view.stock - 2) / _LAST_STOCK
    for count, side in zip(view.counts, view.sides, strict=True):
        if side != view.side and _may_close(view, side):
            spent = max(spent, 1 - count / _LAST_HAND)
    return min(1.0, max(0.0, spent))


def _may_close(view: View, side: int) -> bool:
    return view.taken[side] and has_closing_burraco(view.rules, view.melds[side])


def _reach(melds: Melds) -> int:
    bits = 0
    for meld in melds:
        if meld.kind is Kind.SEQUENCE and meld.is_clean:
            ranks = [card.rank for card in meld.cards]
            for rank in (min(ranks) - 2, max(ranks) + 2):
                if 0 <= rank < RANK_COUNT and rank != TWO:
                    bits |= ONE[meld.suit * RANK_COUNT + rank]
    return bits


def links(hand: Bag) -> int:
    """How many ties the naturals of a hand have: 2 for a pair or neighbours, 1 across a gap."""
    suits = [hand >> shift & SUIT_BITS for shift in _SUIT_SHIFTS]
    in_suits = sum(map(_sequence_links, suits))
    naturals = Bag(hand & NATURAL_BITS)
    column = (suits[0] | suits[1] | suits[2] | suits[3]) & ~(3 << FIELD * TWO)
    ranks = ((column | column >> 1) & _ONE_EACH).bit_count()
    return in_suits + 2 * (size(naturals) - ranks)


_SUIT_SHIFTS: Final = tuple(SUIT_WIDTH * suit for suit in range(4))
_ONE_EACH: Final = sum(1 << FIELD * rank for rank in range(RANK_COUNT))


@lru_cache(1 << 16)
def _sequence_links(own: int) -> int:
    held = [rank for rank in range(RANK_COUNT) if rank != TWO and own >> FIELD * rank & 3]
    if held and held[0] == ACE:
        held.append(RANK_COUNT)
    steps = (high - low for low, high in pairwise(held))
    return sum(max(0, 3 - step) for step in steps)
