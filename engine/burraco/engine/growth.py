"""How melds grow from a hand: every new meld and every addition, each once.

A new meld is the empty meld grown. What can be laid or added depends on few cards at a time: the
cards of one suit or of one rank, and one wild from outside; so the answers are kept in tables by
those cards. Nothing here knows turns or dead ends: that is ``legal``.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Final

from burraco.engine.actions import Add, LayMeld
from burraco.engine.cards import (
    EMPTY,
    FIELD,
    JOKER,
    ONE,
    RANK_COUNT,
    SUIT_BITS,
    SUIT_WIDTH,
    SUITS_COUNT,
    Bag,
)
from burraco.engine.melds import (
    ANY_TWO,
    BOTH_TWOS,
    NOTHING,
    ONE_JOKER,
    OTHER_TWO,
    OWN_TWO_SHIFT,
    RANK_BITS,
    SEQUENCES,
    SET_COLUMN,
    WILD_BITS,
    WILD_FACES,
    Kind,
    Meld,
    Reading,
    rank_mask,
    rank_slice,
)
from burraco.engine.rules import Ruleset
from burraco.engine.tables import Table

# A helper is what joins from outside the suit or rank: 0 for nothing, then the wild faces in
# order, so that the two of a suit is the helper ``suit + _TWO``.
_ALONE: Final = 0
_TWO: Final = 1
_HELP: Final = (EMPTY, *(ONE[face] for face in WILD_FACES))
_OUTSIDE: Final = (NOTHING, *(ONE_JOKER if face == JOKER else OTHER_TWO for face in WILD_FACES))
_HELPERS: Final = range(len(_HELP))

_Lays = tuple[LayMeld, ...]
_Adds = tuple[Add, ...]


def lays(rules: Ruleset, hand: Bag, melds: tuple[Meld, ...]) -> list[LayMeld]:
    """Every new meld the cards of a hand make under the rules, dead ends not looked at."""
    found: list[LayMeld] = []
    helpers = _HELPERS_IN[hand & WILD_BITS]
    # A sequence has no use for the second one of a natural card.
    rest = (hand | hand >> 1) & _NATURALS_ONCE | hand & WILD_BITS
    for suit, tables in enumerate(_SEQUENCE_LAYS[rules.two_two_joker]):
        own = rest & SUIT_BITS
        rest >>= SUIT_WIDTH
        shape = _SHAPES[own]
        if shape & _RUNS:
            found += tables[_ALONE][own]
        if shape & _BRIDGES:
            for helper in helpers:
                if helper != suit + _TWO:
                    found += tables[helper][own]
    pairs = _ranks_held_twice(hand)
    if pairs:
        barred = _NO_RANKS if rules.second_set_of_rank else _ranks_of_sets(melds)  # E41
        for rank in _RANKS_IN[pairs]:
            if rank in rules.set_rank_numbers and rank not in barred:
                column = hand >> FIELD * rank & SET_COLUMN
                found += _SET_LAYS[rank][_ALONE][column]
                for helper in helpers:
                    found += _SET_LAYS[rank][helper][column]
    return found


def adds(rules: Ruleset, hand: Bag, melds: tuple[Meld, ...]) -> list[Add]:
    """Every addition the cards of a hand make to the melds of a side, dead ends not looked at."""
    found: list[Add] = []
    helpers = _HELPERS_IN[hand & WILD_BITS]
    two_two_joker = rules.two_two_joker
    for at, meld in enumerate(melds):
        held = hand >> meld.shift
        if held & meld.touching:
            found += _adds_to(at, meld, held & meld.near, _ALONE, two_two_joker)
        if helpers and meld.takes_outside:
            for helper in helpers:
                if helper != meld.suit + _TWO:
                    found += _adds_to(at, meld, held & meld.near, helper, two_two_joker)
    return found


def _adds_to(at: int, meld: Meld, near: int, helper: int, two_two_joker: bool) -> _Adds:
    if meld.kind is Kind.SET:
        return _SET_ADDS[at, meld.rank, near, helper]
    near = (near | near >> 1) & RANK_BITS | near & ANY_TWO
    return _SEQUENCE_ADDS[at, meld, near, helper, two_two_joker]


_NATURALS_ONCE: Final = sum(RANK_BITS << SUIT_WIDTH * suit for suit in range(SUITS_COUNT))
_TWO_SUITS: Final = sum(3 << FIELD * place for place in range(2 * RANK_COUNT))
_NO_RANKS: Final[frozenset[int]] = frozenset()


def _ranks_held_twice(hand: Bag) -> int:
    """The natural ranks of which a hand has two cards or more, as a slice with one bit a rank."""
    pairs = (hand & _TWO_SUITS) + (hand >> 2 * SUIT_WIDTH & _TWO_SUITS)  # at most 4 in a field
    first, second = pairs & SUIT_BITS, pairs >> SUIT_WIDTH
    either = first | second
    return (either >> 1 | either >> 2 | first & second) & RANK_BITS


def _ranks_of_sets(melds: tuple[Meld, ...]) -> frozenset[int]:
    return frozenset(meld.rank for meld in melds if meld.kind is Kind.SET)


def _ranks_in(slice_: int) -> tuple[int, ...]:
    mask = rank_mask(slice_)
    return tuple(rank for rank in range(RANK_COUNT) if mask >> rank & 1)


def _helpers_in(held: int) -> tuple[int, ...]:
    return tuple(helper for helper, face in enumerate(WILD_FACES, 1) if held >> FIELD * face & 7)


_RANKS_IN: Final = Table(_ranks_in)
_HELPERS_IN: Final = Table(_helpers_in)

# What one suit's cards may make: a sequence by themselves, or one with a wild from outside.
_RUNS: Final = 1
_BRIDGES: Final = 2
_ONCE_A_RANK: Final = RANK_BITS | 1 << OWN_TWO_SHIFT
_HIGH_ACE: Final = FIELD * RANK_COUNT


def _shape(own: int) -> int:
    """Which of the two a slice can make; most can neither, and then no other table is asked."""
    row = (own | own >> 1) & _ONCE_A_RANK
    row |= (row & 1) << _HIGH_ACE
    bridged = row & (row >> FIELD | row >> 2 * FIELD) or own & BOTH_TWOS
    runs = row & row >> FIELD & row >> 2 * FIELD or (own & ANY_TWO and bridged)
    return (_RUNS if runs else 0) | (_BRIDGES if bridged else 0)


def _sequence_lays(suit: int, helper: int, two_two_joker: bool, own: int) -> _Lays:
    shift, help_ = SUIT_WIDTH * suit, _HELP[helper]
    parts = _SEQUENCE_PARTS[_NEW, own, _OUTSIDE[helper], two_two_joker]
    return tuple([_ALL_LAYS[Bag((part << shift) + help_)] for part in parts])


def _set_lays(rank: int, helper: int, column: int) -> _Lays:
    shift, help_ = FIELD * rank, _HELP[helper]
    least = 2 if help_ else 3  # R26, R29
    return tuple([_ALL_LAYS[Bag((part << shift) + help_)] for part in _SET_PARTS[column, least]])


def _sequence_adds(key: tuple[int, Meld, int, int, bool]) -> _Adds:
    at, meld, near, helper, two_two_joker = key
    help_ = _HELP[helper]
    parts = _SEQUENCE_PARTS[meld.base, near, _OUTSIDE[helper], two_two_joker]
    return tuple([_ALL_ADDS[at, Bag((part << meld.shift) + help_)] for part in parts])


def _set_adds(key: tuple[int, int, int, int]) -> _Adds:
    at, rank, column, helper = key
    shift, help_ = FIELD * rank, _HELP[helper]
    parts = _SET_PARTS[column, 0 if help_ else 1]
    return tuple([_ALL_ADDS[at, Bag((part << shift) + help_)] for part in parts])


_NEW: Final = 0


def _sequence_parts(key: tuple[int, int, int, bool]) -> tuple[int, ...]:
    """Which cards of its suit may join a sequence, or make a new one, beside one from outside."""
    base, own, outside, two_two_joker = key
    return tuple(
        _grown_sequences(base & SUIT_BITS, base >> SUIT_WIDTH, own, outside, two_two_joker)
    )


def _grown_sequences(
    base: int, around: int, own: int, outside: int, two_two_joker: bool
) -> Iterator[int]:
    ranks, twos = rank_mask(base), base >> OWN_TWO_SHIFT & 3
    free = rank_mask(own) & ~ranks
    most_twos = min(2, twos + (own >> OWN_TWO_SHIFT & 3))
    for new_twos in range(twos, most_twos + 1):
        table = SEQUENCES[new_twos][around or outside]
        for grown in _within(table, ranks, free):
            if table[grown].wilds > 1 and not two_two_joker:
                continue
            part = rank_slice(grown ^ ranks) | (new_twos - twos) << OWN_TWO_SHIFT
            if part or outside != NOTHING:
                yield part


def _within(table: Mapping[int, Reading], must: int, free: int) -> Iterator[int]:
    """The rank masks of a table that hold all of ``must`` and else only some of ``free``."""
    if 1 << free.bit_count() > 256:
        barred = ~(must | free)
        yield from (ranks for ranks in table if ranks & must == must and not ranks & barred)
        return
    part = free
    while True:
        if must | part in table:
            yield must | part
        if not part:
            return
        part = part - 1 & free


def _set_parts(key: tuple[int, int]) -> tuple[int, ...]:
    """Every choice of at least so many cards from those of one rank."""
    column, least = key
    copies = [range((column >> SUIT_WIDTH * suit & 3) + 1) for suit in range(SUITS_COUNT)]
    return tuple(
        sum(number << SUIT_WIDTH * suit for suit, number in enumerate(taken))
        for taken in product(*copies)
        if sum(taken) >= least
    )


def _add(key: tuple[int, Bag]) -> Add:
    return Add(*key)


_SHAPES: Final = Table(_shape)
_SEQUENCE_PARTS: Final = Table(_sequence_parts)
_SET_PARTS: Final = Table(_set_parts)
_SEQUENCE_ADDS: Final = Table(_sequence_adds)
_SET_ADDS: Final = Table(_set_adds)
# One action object for equal cards: there are some twenty thousand melds in all.
_ALL_LAYS: Final = Table[Bag, LayMeld](LayMeld)
_ALL_ADDS: Final = Table(_add)
# By two_two_joker (E14), suit and helper.
_SEQUENCE_LAYS: Final = tuple(
    tuple(
        tuple(Table(partial(_sequence_lays, suit, helper, knob)) for helper in _HELPERS)
        for suit in range(SUITS_COUNT)
    )
    for knob in (False, True)
)
# By rank and helper.
_SET_LAYS: Final = tuple(
    tuple(Table(partial(_set_lays, rank, helper)) for helper in _HELPERS)
    for rank in range(RANK_COUNT)
)
