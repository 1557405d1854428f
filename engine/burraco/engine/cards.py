"""Faces, and bags of them: the two copies of a card are one value (R3).

A *bag* is a multiset of faces in one int, three bits a face and a wider field for jokers and
unknown cards. Bags add and subtract as ints do, so a meld is ``hand - cards``; ``holds`` says
whether that is possible.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NewType, TypeVar

from burraco.engine.errors import Unreadable

Bag = NewType("Bag", int)
_Kind = TypeVar("_Kind")
_Answer = TypeVar("_Answer")

RANKS: Final = "A23456789TJQK"
SUITS: Final = "shdc"
RANK_COUNT: Final = 13
ACE: Final = 0
TWO: Final = 1
SUITS_COUNT: Final = 4

# R7 to R11, by rank.
_RANK_POINTS: Final = (15, 20, 5, 5, 5, 5, 5, 10, 10, 10, 10, 10, 10)
_JOKER_POINTS: Final = 30


def _interpreted(kind: type[_Kind]) -> type[_Kind]:
    """Keep a class out of the compiler, which has no ``int`` with methods of its own."""
    return kind


@_interpreted
class Card(int):
    """A face: 0 to 51 by suit (spades, hearts, diamonds, clubs) and rank, 52 the joker.

    >>> Card.parse("Td"), str(Card(52)), Card.parse("2s").is_wild
    (Card('Td'), 'Jk', True)
    """

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> "Card":
        """Read ``7h``, ``Td``, ``Jk``, or ``??`` for a card nobody here knows."""
        card = _BY_NAME.get(text)
        if card is None:
            raise Unreadable(f"no card {text!r}: write rank then suit as in 7h, Td, As, or Jk")
        return card

    @property
    def rank(self) -> int:
        """0 for the ace to 12 for the king; the joker has none (13)."""
        return RANK_COUNT if self >= 52 else self % RANK_COUNT

    @property
    def suit(self) -> int:
        """0 to 3 for spades, hearts, diamonds, clubs; the joker has none (4)."""
        return self // RANK_COUNT

    @property
    def points(self) -> int:
        """What the card counts, never what it stands for (R7 to R11)."""
        return POINTS[self]

    @property
    def is_wild(self) -> bool:
        """Whether it is a two or a joker, wherever it might be natural (E8)."""
        return self == JOKER or (self % RANK_COUNT == TWO and self < JOKER)

    def __str__(self) -> str:
        return NAMES[self]

    def __repr__(self) -> str:
        return f"Card({NAMES[self]!r})"


NAMES: Final = (*(rank + suit for suit in SUITS for rank in RANKS), "Jk", "??")
CARDS: Final = tuple(Card(face) for face in range(53))
JOKER: Final = CARDS[52]
UNKNOWN: Final = Card(53)
_BY_NAME: Final = {name: Card(face) for face, name in enumerate(NAMES)}
POINTS: Final = (*(_RANK_POINTS[face % RANK_COUNT] for face in range(52)), _JOKER_POINTS, 0)

# The order of ``burraco-deal-v1``: every face twice, then the four jokers.
PACK: Final = (*CARDS[:52], *CARDS[:52], JOKER, JOKER, JOKER, JOKER)
PACK_SIZE: Final = len(PACK)

# Bag layout: 3 bits for each of the 52 faces (two copies at most; the third bit catches a borrow),
# 4 for jokers, and the rest, open-ended, for unknown cards.
FIELD: Final = 3
SUIT_WIDTH: Final = FIELD * RANK_COUNT
SUIT_BITS: Final = (1 << SUIT_WIDTH) - 1
JOKER_SHIFT: Final = 52 * FIELD
UNKNOWN_SHIFT: Final = JOKER_SHIFT + 4
ONE: Final = (
    *(Bag(1 << FIELD * face) for face in range(52)),
    Bag(1 << JOKER_SHIFT),
    Bag(1 << UNKNOWN_SHIFT),
)
EMPTY: Final = Bag(0)
ONCE_A_RANK: Final = sum(1 << FIELD * rank for rank in range(RANK_COUNT))
ONCE_BITS: Final = sum(1 << FIELD * face for face in range(52))
# Modulo this, bit n of a slice becomes bit n modulo 14. Those of the ranks, 3 apart, all come to
# places of their own, so that a slice with one bit a rank is a small number, fit for a list.
PACKING: Final = (1 << 14) - 1
_TWICE_BITS: Final = 2 * ONCE_BITS

_GUARD: Final = sum(4 << FIELD * face for face in range(52)) | 8 << JOKER_SHIFT | 1 << 200
KNOWN_BITS: Final = (1 << UNKNOWN_SHIFT) - 1


def bag(cards: Iterable[int]) -> Bag:
    """Put cards into a bag; more than two of a face or four jokers is unreadable (R3)."""
    total = 0
    try:
        given = tuple(cards)
        for card in given:
            total += ONE[card]
    except (TypeError, IndexError):
        raise not_cards(cards) from None
    if len(given) > 2:
        _check_copies(given)
    return Bag(total)


def sum_of(cards: Iterable[int]) -> Bag:
    """``bag`` for cards of the engine's own, of which nothing is to be checked."""
    total = 0
    for card in cards:
        total += ONE[card]
    return Bag(total)


def _check_copies(cards: tuple[int, ...]) -> None:
    counts: dict[int, int] = {}
    for card in cards:
        counts[card] = counts.get(card, 0) + 1
    for card, held in counts.items():
        if held > 2 and held > copies(card):
            raise Unreadable(f"{held} times {NAMES[card]}: the packs hold {copies(card)}")


def not_cards(given: object) -> Unreadable:
    """What to say to somebody who gives text, or a number that is no face, for cards."""
    return Unreadable(
        f"{given!r:.80} is no card: Card.parse('7h') and parse_cards('7h 7d') make them"
    )


def copies(card: int) -> int:
    """How many of a face the two packs hold (R3)."""
    return 4 if card == JOKER else PACK_SIZE if card == UNKNOWN else 2


def holds(whole: Bag, part: Bag) -> bool:
    """Whether ``part`` can be taken out of ``whole``."""
    return ((whole | _GUARD) - part) & _GUARD == _GUARD


def count(cards: Bag, face: int) -> int:
    """How many of one face a bag has."""
    if face < 52:
        return cards >> FIELD * face & 3
    return cards >> JOKER_SHIFT & 7 if face == JOKER else cards >> UNKNOWN_SHIFT


def size(cards: Bag) -> int:
    """How many cards a bag has, unknown ones included."""
    jokers = cards >> JOKER_SHIFT
    naturals = (cards & ONCE_BITS).bit_count() + 2 * (cards & _TWICE_BITS).bit_count()
    return naturals + (jokers & 7) + (jokers >> 4) if jokers else naturals


Suits = tuple[int, int, int, int, int]


def suits_of(cards: Bag) -> Suits:
    """The four suits of a bag as slices, then its jokers; each fits a machine word."""
    later = cards >> 2 * SUIT_WIDTH
    last = later >> SUIT_WIDTH
    return (
        cards & SUIT_BITS,
        cards >> SUIT_WIDTH & SUIT_BITS,
        later & SUIT_BITS,
        last & SUIT_BITS,
        last >> SUIT_WIDTH & 7,
    )


def _slices() -> list[int]:
    slices = [0]
    for rank in range(RANK_COUNT):
        slices += [lower + (1 << FIELD * rank) for lower in slices]
    return slices


# One card of each rank of a mask, as a bag slice.
SLICE_OF: Final = _slices()


def by_packed(answers: Sequence[_Answer]) -> list[_Answer]:
    """What is known of each slice of ``SLICE_OF``, by the slice modulo ``PACKING``."""
    found = [answers[0]] * PACKING
    for slice_, answer in zip(SLICE_OF, answers, strict=True):
        found[slice_ % PACKING] = answer
    return found


_UNPACKED: Final = by_packed(SLICE_OF)


def unpacked(packed: int) -> int:
    """The slice with one bit a rank that is this number modulo ``PACKING``."""
    return _UNPACKED[packed]


def faces(cards: Bag) -> Iterator[Card]:
    """The different faces of a bag, each once, in order."""
    rest = cards & (1 << JOKER_SHIFT) - 1
    while rest:
        face = ((rest & -rest).bit_length() - 1) // FIELD
        yield CARDS[face]
        rest &= ~(7 << FIELD * face)
    if cards >> JOKER_SHIFT & 7:
        yield JOKER
    if cards >> UNKNOWN_SHIFT:
        yield UNKNOWN


def unpack(cards: Bag) -> tuple[Card, ...]:
    """The cards of a bag, sorted by face."""
    found: tuple[Card, ...] = ()
    rest: int = cards
    for suit in range(SUITS_COUNT):
        own = rest & SUIT_BITS
        if own:
            found += _slice_cards(suit, own)
        rest >>= SUIT_WIDTH
    if rest:
        found += (JOKER,) * (rest & 7) + (UNKNOWN,) * (rest >> 4)
    return found


_SLICE_LIMIT: Final = 1 << 15
_SLICES: Final[tuple[dict[int, tuple[Card, ...]], ...]] = ({}, {}, {}, {})


def _slice_cards(suit: int, own: int) -> tuple[Card, ...]:
    """The cards of one suit; kept, since the same few slices come again and again."""
    table = _SLICES[suit]
    found = table.get(own)
    if found is None:
        if len(table) >= _SLICE_LIMIT:
            table.clear()
        first = RANK_COUNT * suit
        found = table[own] = tuple(
            [
                CARDS[first + rank]
                for rank in range(RANK_COUNT)
                for _ in range(own >> FIELD * rank & 3)
            ]
        )
    return found


def points(cards: Bag) -> int:
    """Sum of the card values (R7 to R11)."""
    return sum([POINTS[card] for card in unpack(cards)])


def parse_cards(text: str) -> tuple[Card, ...]:
    """Read cards written with or without spaces: ``7h 7d 2s``, ``AsTh``."""
    letters = "".join(text.split())
    if len(letters) % 2:
        raise Unreadable(f"cannot read cards {text!r}: each is two characters, as in 7h, Td, Jk")
    return tuple(Card.parse(letters[at : at + 2]) for at in range(0, len(letters), 2))


def show_cards(cards: Iterable[int], between: str = "") -> str:
    """Write cards as ``parse_cards`` reads them."""
    return between.join(NAMES[card] for card in cards)
