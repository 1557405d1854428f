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
    EMPTY,
    FIELD,
    JOKER,
    JOKER_SHIFT,
    ONE,
    PACKING,
    POINTS,
    RANK_COUNT,
    SUIT_BITS,
    SUIT_WIDTH,
    TWO,
    UNKNOWN_SHIFT,
    Bag,
    Card,
    size,
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
        "bag",
        "base",
        "cards",
        "kind",
        "near",
        "points",
        "rank",
        "run",
        "shift",
        "size",
        "suit",
        "takes_outside",
        "touching",
        "wilds",
    )

    def __init__(self, cards: Bag, kind: Kind, suit: int, rank: int, wilds: int, run: int) -> None:
        self.bag = cards
        self.kind = kind
        self.suit = suit
        self.rank = rank
        self.wilds = wilds
        self.run = run
        self.cards: tuple[Card, ...] = unpack(cards)
        self.size = size(cards)
        self.points = sum([POINTS[card] for card in self.cards])
        # For ``growth``: where its suit or rank lies in a bag, which cards there can join it at
        # all and which can begin, what a sequence is made of, and whether it has room for a wild
        # from outside.
        if kind is Kind.SET:
            self.shift = FIELD * rank
            self.base = 0
            self.near = 3 << self.shift
            self.touching = COLUMN_BITS
            self.takes_outside = wilds == 0
        else:
            self.shift = SUIT_WIDTH * suit
            own = cards >> self.shift & SUIT_BITS
            outside = outside_wild(cards - (own << self.shift)) or NOTHING
            self.base = own | outside << SUIT_WIDTH
            self.near = _lacking(own)
            self.touching = _JOINING[self.base]
            self.takes_outside = outside == NOTHING

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
    return _SLICE_OF[mask]


def _spread(mask: int) -> int:
    return sum(1 << FIELD * rank for rank in range(RANK_COUNT) if mask >> rank & 1)


_SLICE_OF: Final = tuple(_spread(mask) for mask in range(1 << RANK_COUNT))
_MASK_OF: Final = {
    slice_ % PACKING: mask for mask, slice_ in enumerate(_SLICE_OF) if not mask >> TWO & 1
}
TWOS: Final = tuple(Card(suit * RANK_COUNT + TWO) for suit in range(4))
WILD_FACES: Final = (*TWOS, JOKER)
TWO_BITS: Final = sum(3 << FIELD * two for two in TWOS)
JOKER_BITS: Final = 7 << JOKER_SHIFT
WILD_BITS: Final = TWO_BITS | JOKER_BITS
NATURAL_BITS: Final = ((1 << JOKER_SHIFT) - 1) & ~TWO_BITS
# The cards of one rank, two bits a suit.
COLUMN_BITS: Final = 255
SET_COLUMN: Final = sum(3 << SUIT_WIDTH * suit for suit in range(4))


def _lacking(own: int) -> int:
    """The cards of its suit that a sequence could still use."""
    return 3 * (RANK_BITS & ~own) | (0 if own & BOTH_TWOS else ANY_TWO)


def _joining(base: int) -> int:
    """The cards of its suit that can begin an addition to a sequence.

    A natural addition always has a card that could join alone, the one nearest to the meld, unless
    an ace changes ends (E23), or both twos come to a joker (E14), one of them natural: then cards
    join together of which none could join alone.
    """
    own, outside = base & SUIT_BITS, base >> SUIT_WIDTH
    if own & 3:  # an ace
        return _lacking(own)
    ranks, twos = rank_mask(own), own >> OWN_TWO_SHIFT & 3
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
        meld = _read_set(cards) or _read_sequence(cards)
        if meld is not None:
            _known[cards] = meld
    return meld


def is_allowed(meld: Meld, rules: Ruleset) -> bool:
    """Whether the preset knows such a meld: two wilds (E14) and sets of that rank by its knobs."""
    if meld.kind is Kind.SET:
        return meld.rank in rules.set_rank_numbers
    return meld.wilds < 2 or rules.two_two_joker


def _read_set(cards: Bag) -> Meld | None:
    naturals = cards & NATURAL_BITS
    if not naturals:
        return None  # E26
    rank = ((naturals & -naturals).bit_length() - 1) // FIELD % RANK_COUNT
    if naturals & ~(SET_COLUMN << FIELD * rank):
        return None
    held, wilds = size(Bag(naturals)), size(Bag(cards & WILD_BITS))
    if held < 2 or wilds > 1 or held + wilds < 3:  # R29, E27
        return None
    return Meld(cards, Kind.SET, NO_SUIT, rank, wilds, 0)


def _read_sequence(cards: Bag) -> Meld | None:
    for suit in range(4):
        own = cards >> SUIT_WIDTH * suit & SUIT_BITS
        outside = cards & ~(SUIT_BITS << SUIT_WIDTH * suit)
        wild = outside_wild(outside)
        if not own or wild is None or own & RANK_BITS << 1:  # a rank twice: R32, E24, E29
            continue
        twos = own >> OWN_TWO_SHIFT & 3
        reading = SEQUENCES[twos][wild].get(rank_mask(own))
        if reading is not None:
            return Meld(cards, Kind.SEQUENCE, suit, NO_RANK, reading.wilds, reading.run)
    return None


_OUTSIDE: Final[dict[int, int]] = {
    EMPTY: NOTHING,
    **{ONE[two]: OTHER_TWO for two in TWOS},
    ONE[JOKER]: ONE_JOKER,
}


def outside_wild(outside: int) -> int | None:
    """What the cards outside the suit are: nothing, one two, one joker; None for anything else."""
    return _OUTSIDE.get(outside)
