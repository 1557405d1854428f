"""Melds: what a bag of cards is on the table, and which melds and additions a hand allows.

A meld is a multiset (rules §3): kind, suit and class follow from its cards. The tables below are
made once from the plain reading of the rules, *every place of a window is a natural or a wild*;
after that every question is a look-up.
"""

from collections.abc import Callable, Iterator
from enum import Enum
from itertools import combinations
from typing import Final, NamedTuple

from burraco.engine.cards import (
    ACE,
    FIELD,
    JOKER,
    JOKER_SHIFT,
    PACKING,
    POINTS,
    RANK_COUNT,
    SLICE_OF,
    SUIT_WIDTH,
    SUITS_COUNT,
    TWO,
    UNKNOWN_SHIFT,
    Bag,
    Card,
    Suits,
    by_packed,
    suits_of,
    unpack,
)
from burraco.engine.rules import BURRACO_LENGTH, Ruleset, SemicleanSet
from burraco.engine.tables import Table


class Kind(Enum):
    """What a meld is."""

    SEQUENCE = "sequence"
    SET = "set"


class Grade(Enum):
    """Class of a burraco (R38 to R40)."""

    CLEAN = "clean"
    SEMICLEAN = "semiclean"
    DIRTY = "dirty"


class Meld:
    """A sequence or a set on the table; made by ``classify`` only, one object for equal cards.

    ``wilds`` counts cards that stand for another in the reading with the fewest (R34, E19),
    ``run`` is the longest stretch of naturals of a sequence. ``suit`` is set for a sequence,
    ``rank`` for a set.
    """

    __slots__ = (
        "_cards",
        "bag",
        "key",
        "kind",
        "near",
        "own_twos",
        "points",
        "rank",
        "row",
        "run",
        "shift",
        "size",
        "suit",
        "takes_outside",
        "touching",
        "wilds",
    )

    def __init__(
        self,
        cards: Bag,
        kind: Kind,
        suit: int,
        rank: int,
        shape: int,
        size: int,
        points: int,
        wilds: int,
        run: int,
    ) -> None:
        self.bag = cards
        self._cards: tuple[Card, ...] | None = None
        self.kind = kind
        self.suit = suit
        self.rank = rank
        self.size = size
        self.points = points
        self.wilds = wilds
        self.run = run
        # For ``growth``: where it lies in a bag, which cards there can join and which can begin,
        # its shape, its twos and places, and whether it takes a wild from outside.
        if kind is Kind.SET:
            self.shift = FIELD * rank
            self.key = rank << SHAPE_SHIFT
            self.near = 3 << self.shift
            self.own_twos = 0
            self.row = 0
            self.touching = COLUMN_BITS
            self.takes_outside = wilds == 0
        else:
            ranks, twos, outside = made_of(shape)
            self.shift = SUIT_WIDTH * suit
            self.key = suit << KIN_SHIFT | shape << SHAPE_SHIFT
            self.near = _lacking(rank_slice(ranks) | twos << OWN_TWO_SHIFT)
            self.own_twos = twos
            self.row = row_of(rank_slice(ranks | (1 << TWO if twos else 0)))
            self.touching = _JOINING[shape]
            self.takes_outside = outside == NOTHING

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards, sorted by face; unpacked when first asked for."""
        if self._cards is None:
            self._cards = unpack(self.bag)
        return self._cards

    @property
    def is_clean(self) -> bool:
        """Whether it has no wild card (R38)."""
        return self.wilds == 0

    @property
    def is_burraco(self) -> bool:
        """Whether it has seven or more cards (R40)."""
        return self.size >= BURRACO_LENGTH

    def grade(self, rules: Ruleset) -> Grade | None:
        """Class of the burraco, or None for a shorter meld (R38 to R40)."""
        if self.size < BURRACO_LENGTH:
            return None
        if self.wilds == 0:
            return Grade.CLEAN
        if rules.semiclean_bonus and self._is_semiclean(rules):
            return Grade.SEMICLEAN
        return Grade.DIRTY

    def bonus(self, rules: Ruleset) -> int:
        """Points of the burraco bonus, 0 for a shorter meld."""
        match self.grade(rules):
            case None:
                return 0
            case Grade.CLEAN:
                return rules.clean_bonus
            case Grade.SEMICLEAN:
                return rules.semiclean_bonus
            case Grade.DIRTY:
                return rules.dirty_bonus

    def _is_semiclean(self, rules: Ruleset) -> bool:
        if self.kind is Kind.SEQUENCE:
            return self.run >= BURRACO_LENGTH
        if rules.semiclean_set is SemicleanSet.EXACTLY_EIGHT:
            return self.size == 8
        return self.size >= 8

    def __reduce__(self) -> tuple[Callable[[Bag], "Meld | None"], tuple[Bag]]:
        return classify, (self.bag,)  # so that equal cards are one object again in every process

    def __repr__(self) -> str:
        return f"Meld({' '.join(map(str, self.cards))})"


class Place(NamedTuple):
    """One place of a shown meld: the card that lies there and what it stands for."""

    card: Card
    stands_for: Card


class Reading(NamedTuple):
    """How a sequence is read: its wild cards, and its longest stretch of naturals."""

    wilds: int
    run: int


# What a sequence holds beside cards of its own suit.
NOTHING: Final = 0
OTHER_TWO: Final = 1
ONE_JOKER: Final = 2

# A set is of no suit and a sequence of no rank.
NO_SUIT: Final = -1
NO_RANK: Final = -1

# A sequence lies in 14 places: low ace, 2 … king, high ace. Its cards of one suit are a rank mask
# (bit 0 the ace, the two left out), how many twos of its suit, and at most one card from outside.
_PLACES: Final = RANK_COUNT + 1
_HIGH_ACE: Final = RANK_COUNT


def _sequence_table(twos: int, outside: int) -> dict[int, Reading]:
    """Each legal rank mask beside so many own twos and what is outside, with its best reading."""
    table: dict[int, Reading] = {}
    for natural_two in range(min(twos, 1) + 1):
        own_wilds = twos - natural_two
        wilds = own_wilds + (outside != NOTHING)
        if wilds > 1 and not (natural_two and own_wilds == 1 and outside == ONE_JOKER):  # R34, R36
            continue
        for ranks, run in _windows(wilds, bool(natural_two)):
            best = table.get(ranks)
            if best is None or (wilds, -run) < (best.wilds, -best.run):
                table[ranks] = Reading(wilds, run)
    return table


def _windows(wilds: int, natural_two: bool) -> Iterator[tuple[int, int]]:
    """Rank mask (without the two) and longest natural run of every window with so many holes."""
    for length in range(3, _PLACES + 1):
        for low in range(_PLACES - length + 1):
            window = range(low, low + length)
            for holes in combinations(window, wilds):
                natural = [place for place in window if place not in holes]
                if (TWO in natural) is not natural_two:
                    continue
                if ACE in natural and _HIGH_ACE in natural:  # R33, E24
                    continue
                ranks = sum(1 << place % RANK_COUNT for place in natural if place != TWO)
                yield ranks, _longest_run(natural)


def _longest_run(places: list[int]) -> int:
    best = run = 0
    for at, place in enumerate(places):
        run = run + 1 if at and places[at - 1] == place - 1 else 1
        best = max(best, run)
    return best


# By own twos (0 to 2), then by what is outside.
SEQUENCES: Final = tuple(
    tuple(_sequence_table(twos, outside) for outside in (NOTHING, OTHER_TWO, ONE_JOKER))
    for twos in range(3)
)
RANK_BITS: Final = sum(1 << FIELD * rank for rank in range(RANK_COUNT) if rank != TWO)
OWN_TWO_SHIFT: Final = FIELD * TWO
BOTH_TWOS: Final = 2 << OWN_TWO_SHIFT
ANY_TWO: Final = 3 << OWN_TWO_SHIFT


def rank_mask(own: int) -> int:
    """Bag slice of one suit to the ranks it has, the two left out."""
    return _MASK_OF[((own | own >> 1) & RANK_BITS) % PACKING]


def rank_slice(mask: int) -> int:
    """One card of each rank of the mask, as a bag slice."""
    return SLICE_OF[mask]


def row_of(once: int) -> int:
    """A bit for each of the fourteen places that a suit has a card for, the high ace last."""
    return once | (once & 1) << SUIT_WIDTH


# Cards near a sequence take one bit a rank and the twos; above them lie shape and suit.
SHAPE_SHIFT: Final = SUIT_WIDTH - FIELD + 1
NEAR_BITS: Final = (1 << SHAPE_SHIFT) - 1
SHAPE_BITS: Final = (1 << RANK_COUNT + 4) - 1
KIN_SHIFT: Final = SHAPE_SHIFT + RANK_COUNT + 4


def shape_of(ranks: int, twos: int, outside: int) -> int:
    """What a sequence is made of, whatever its suit: rank mask, own twos, and what is outside."""
    return ranks | twos << RANK_COUNT | outside << RANK_COUNT + 2


def made_of(shape: int) -> tuple[int, int, int]:
    """Rank mask, own twos, and what is outside, of a sequence of such a shape."""
    return shape & (1 << RANK_COUNT) - 1, shape >> RANK_COUNT & 3, shape >> RANK_COUNT + 2


_MASK_OF: Final = by_packed(range(1 << RANK_COUNT))
TWOS: Final = tuple(Card(suit * RANK_COUNT + TWO) for suit in range(4))
WILD_FACES: Final = (*TWOS, JOKER)
TWO_BITS: Final = sum(3 << FIELD * two for two in TWOS)
NATURAL_BITS: Final = ((1 << JOKER_SHIFT) - 1) & ~TWO_BITS
# The cards of one rank, two bits a suit.
COLUMN_BITS: Final = 255


def _lacking(own: int) -> int:
    """The cards of its suit that a sequence could still use."""
    return 3 * (RANK_BITS & ~own) | (0 if own & BOTH_TWOS else ANY_TWO)


def _joining(shape: int) -> int:
    """The cards of its suit that can begin an addition to a sequence.

    A natural addition always has a card that could join alone, the one nearest to the meld, unless
    an ace changes ends (E23), or both twos come to a joker (E14), one of them natural: then cards
    join together of which none could join alone.
    """
    ranks, twos, outside = made_of(shape)
    if ranks >> ACE & 1:
        return _lacking(rank_slice(ranks) | twos << OWN_TWO_SHIFT)
    joining = BOTH_TWOS if outside == ONE_JOKER and not twos else 0
    if twos < 2 and ranks in SEQUENCES[twos + 1][outside]:
        joining |= ANY_TWO
    for rank in range(RANK_COUNT):
        if rank != TWO and not ranks >> rank & 1 and ranks | 1 << rank in SEQUENCES[twos][outside]:
            joining |= 3 << FIELD * rank
    return joining


_JOINING: Final = Table(_joining)
_known: dict[Bag, Meld] = {}


def classify(cards: Bag) -> Meld | None:
    """Say what cards are when laid together, under the widest rules; None for no meld (R26-R37).

    ``is_allowed`` says whether a ruleset knows the meld.
    """
    meld = _known.get(cards)
    if meld is None and not cards >> UNKNOWN_SHIFT:
        suits = suits_of(cards)
        meld = _read_set(cards, suits) or _read_sequence(cards, suits)
        if meld is not None:
            _known[cards] = meld
    return meld


def is_allowed(meld: Meld, rules: Ruleset) -> bool:
    """Whether the preset knows such a meld: two wilds (E14) and sets of that rank by its knobs."""
    if meld.kind is Kind.SET:
        return meld.rank in rules.set_rank_numbers
    return meld.wilds < 2 or rules.two_two_joker


def _read_set(cards: Bag, suits: Suits) -> Meld | None:
    some = suits[0] | suits[1] | suits[2] | suits[3]
    ranks = (some | some >> 1) & RANK_BITS
    if not ranks or ranks & ranks - 1:
        return None  # E26, and no two ranks
    rank = ranks.bit_length() // FIELD
    jokers = suits[4]
    held, twos = _copies_of(rank, suits), _copies_of(TWO, suits)
    wilds = twos + jokers
    if held < 2 or wilds > 1 or held + wilds < 3:  # R29, E27
        return None
    points = held * POINTS[rank] + twos * POINTS[TWO] + jokers * POINTS[JOKER]
    return Meld(cards, Kind.SET, NO_SUIT, rank, 0, held + wilds, points, wilds, 0)


def _copies_of(rank: int, suits: Suits) -> int:
    """How many cards of one rank there are in the four suits."""
    spades, hearts, diamonds, clubs, _ = suits
    shift = FIELD * rank
    return (
        (spades >> shift & 3)
        + (hearts >> shift & 3)
        + (diamonds >> shift & 3)
        + (clubs >> shift & 3)
    )


def _read_sequence(cards: Bag, suits: Suits) -> Meld | None:
    whole = suits[0] + suits[1] + suits[2] + suits[3]
    for suit in range(SUITS_COUNT):
        own = suits[suit]
        outside = _OUTSIDE.get((whole - own, suits[4]))
        if not own or outside is None or own & RANK_BITS << 1:  # a rank twice: R32, E24, E29
            continue
        ranks, twos = rank_mask(own), own >> OWN_TWO_SHIFT & 3
        reading = SEQUENCES[twos][outside].get(ranks)
        if reading is not None:
            return _sequence(cards, suit, ranks, twos, outside, reading)
    return None


# What lies beside a suit, as the cards of the other suits together and the jokers.
_OUTSIDE: Final = {
    (0, 0): NOTHING,
    (1 << OWN_TWO_SHIFT, 0): OTHER_TWO,
    (0, 1): ONE_JOKER,
}


def _sequence(cards: Bag, suit: int, ranks: int, twos: int, outside: int, reading: Reading) -> Meld:
    points = sum([POINTS[rank] for rank in range(RANK_COUNT) if ranks >> rank & 1])
    points += twos * POINTS[TWO] + _OUTSIDE_POINTS[outside]
    size = ranks.bit_count() + twos + (outside != NOTHING)
    shape = shape_of(ranks, twos, outside)
    wilds, run = reading
    return Meld(cards, Kind.SEQUENCE, suit, NO_RANK, shape, size, points, wilds, run)


_OUTSIDE_POINTS: Final = (0, POINTS[TWO], POINTS[JOKER])
