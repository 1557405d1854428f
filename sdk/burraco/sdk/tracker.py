"""Card counting: which cards of other hands everybody has seen, and which are out of sight."""

from burraco.engine import Bag, Card, SeenEvent, View, bag
from burraco.engine.cards import EMPTY, ONE, PACK, count, faces, unpack
from burraco.engine.events import (
    CardDiscarded,
    CardsAdded,
    DealStarted,
    MeldLaid,
    PileTaken,
)
from burraco.engine.rules import SEATS

_PACK = bag(PACK)


class CardTracker:
    """Follows the events of a table; give it every event once, in order.

    A seat is known to hold what it took with the pile and has not laid or discarded since.
    """

    def __init__(self) -> None:
        self._known: list[Bag] = [EMPTY] * SEATS

    def observe(self, event: SeenEvent) -> None:
        """Take note of one event."""
        match event.fact:
            case DealStarted():
                self._known = [EMPTY] * SEATS
            case PileTaken(seat, cards):
                self._known[seat] = _together(self._known[seat], cards)
            case MeldLaid(seat, _, cards) | CardsAdded(seat, _, cards):
                self._gone(seat, cards)
            case CardDiscarded(seat, card):
                self._gone(seat, (card,))
            case _:
                pass

    def known(self, seat: int) -> tuple[Card, ...]:
        """Cards the seat has shown and must still hold, sorted by face."""
        return unpack(self._known[seat])

    def known_count(self, seat: int, card: int) -> int:
        """How many copies of a face the seat is known to hold."""
        return count(self._known[seat], card)

    def unseen(self, view: View) -> tuple[Card, ...]:
        """Cards this seat cannot place: they are in the stock, the pozzetti, or other hands."""
        seen = view.hand_bag + bag(view.pile)
        seen += sum(meld.bag for side in view.melds for meld in side)
        seen += sum(held for seat, held in enumerate(self._known) if seat != view.seat)
        left = EMPTY
        for face in faces(_PACK):
            out = count(_PACK, face) - count(Bag(seen), face)
            left = Bag(left + ONE[face] * max(0, out))
        return unpack(left)

    def _gone(self, seat: int, cards: tuple[Card, ...]) -> None:
        held = self._known[seat]
        for card in cards:
            if count(held, card):
                held = Bag(held - ONE[card])
        self._known[seat] = held


def _together(held: Bag, cards: tuple[Card, ...]) -> Bag:
    """Never more of a face than there are, also after events that were missed."""
    for card in cards:
        if count(held, card) < count(_PACK, card):
            held = Bag(held + ONE[card])
    return held
