"""The six things a seat can do; an action is a value and knows no state.

``__reduce__`` says how an action is made again in another process: compiled classes cannot be made
empty and filled afterwards.
"""

from collections.abc import Iterable
from typing import Final, final

from burraco.engine.cards import CARDS, Bag, Card, bag, not_cards, show_cards, unpack


class OfCards:
    """An action named by its cards, listed or in a bag; ``cards`` are sorted by face."""

    __slots__ = ("_cards", "bag")

    def __init__(self, cards: Iterable[int] | Bag) -> None:
        self.bag: Bag = Bag(cards) if isinstance(cards, int) else bag(cards)
        self._cards: tuple[Card, ...] | None = None

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards, sorted; unpacked when first asked for, which of most actions nobody does."""
        if self._cards is None:
            self._cards = unpack(self.bag)
        return self._cards


@final
class DrawStock:
    """Draw the top card of the stock (R44)."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DrawStock)

    def __hash__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return "DrawStock()"


@final
class TakePile:
    """Take the whole discard pile (R44, E48)."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TakePile)

    def __hash__(self) -> int:
        return 2

    def __repr__(self) -> str:
        return "TakePile()"


@final
class LayMeld(OfCards):
    """Lay a new meld from the hand (R26, R45)."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LayMeld) and self.bag == other.bag

    def __hash__(self) -> int:
        return hash(self.bag)

    def __reduce__(self) -> tuple[type["LayMeld"], tuple[Bag]]:
        return LayMeld, (self.bag,)

    def __repr__(self) -> str:
        return f"LayMeld({show_cards(self.cards, ' ')})"


@final
class Add(OfCards):
    """Add cards to a meld of the own side; ``meld`` counts from 0 in the order laid (R27, R45)."""

    __slots__ = ("meld",)

    def __init__(self, meld: int, cards: Iterable[int] | Bag) -> None:
        super().__init__(cards)
        self.meld = meld

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Add) and self.meld == other.meld and self.bag == other.bag

    def __hash__(self) -> int:
        return hash((self.meld, self.bag))

    def __reduce__(self) -> tuple[type["Add"], tuple[int, Bag]]:
        return Add, (self.meld, self.bag)

    def __repr__(self) -> str:
        return f"Add({self.meld}, {show_cards(self.cards, ' ')})"


@final
class Discard:
    """Discard one card and end the turn (R46)."""

    __slots__ = ("card",)

    def __init__(self, card: int) -> None:
        try:
            self.card: Card = CARDS[card]
        except (TypeError, IndexError):
            raise not_cards(card) from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Discard) and self.card == other.card

    def __hash__(self) -> int:
        return 1000 + self.card

    def __reduce__(self) -> tuple[type["Discard"], tuple[Card]]:
        return Discard, (self.card,)

    def __repr__(self) -> str:
        return f"Discard({self.card})"


@final
class Cut:
    """Lift ``size`` cards off the shuffled pack, where a match asks the cutter (R19)."""

    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cut) and self.size == other.size

    def __hash__(self) -> int:
        return 2000 + self.size

    def __reduce__(self) -> tuple[type["Cut"], tuple[int]]:
        return Cut, (self.size,)

    def __repr__(self) -> str:
        return f"Cut({self.size})"


Action = DrawStock | TakePile | LayMeld | Add | Discard | Cut

DRAW_STOCK: Final = DrawStock()
TAKE_PILE: Final = TakePile()
