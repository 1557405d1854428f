"""Cards as names, ``7h`` or ``Jk``, and some of them as a tuple in one fixed order."""

from collections.abc import Iterable

Cards = tuple[str, ...]

RANKS = "A23456789TJQK"
SUITS = "shdc"
JOKER = "Jk"
TWOS = tuple("2" + suit for suit in SUITS)
WILDS = (*TWOS, JOKER)
PLAIN = tuple(rank + suit for suit in SUITS for rank in RANKS if rank != "2")
FACES = (*PLAIN, *WILDS)

# R3: the two copies of a card are the same name.
PACK = (*PLAIN, *PLAIN, *TWOS, *TWOS, JOKER, JOKER, JOKER, JOKER)

_WILDS = frozenset(WILDS)

# R7 to R11.
_VALUES = {"J": 10, "Q": 10, "K": 10, "T": 10, "9": 10, "8": 10, "A": 15, "2": 20}


def in_order(cards: Iterable[str]) -> Cards:
    """The cards in the one order in which tuples of cards are compared."""
    return tuple(sorted(cards))


def is_wild(card: str) -> bool:
    """Jokers, and twos wherever they lie (E8)."""
    return card in _WILDS


def value(cards: Iterable[str]) -> int:
    """What cards count, each for itself and never for what it stands for (R7 to R11)."""
    return sum(30 if card == JOKER else _VALUES.get(card[0], 5) for card in cards)


def holds(cards: Cards, part: Cards) -> bool:
    """Whether all of ``part`` is among the cards, every copy of it."""
    return all([cards.count(card) >= part.count(card) for card in part])


def without(cards: Cards, part: Cards) -> Cards:
    """The cards that are left when ``part`` goes."""
    left = list(cards)
    for card in part:
        left.remove(card)
    return tuple(left)


def with_more(cards: Cards, more: Cards) -> Cards:
    """All the cards together."""
    return in_order((*cards, *more))


def different(cards: Cards) -> list[str]:
    """Each face among the cards once."""
    return list(dict.fromkeys(cards))
