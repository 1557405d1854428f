"""How melds grow from a hand: every new meld and every addition, each once.

A new meld is the empty meld grown. What may be added to a meld depends only on a few bits of the
hand (one suit or one rank, and a wild from outside), so answers are kept in tables keyed by those
bits; a table that has grown large is begun afresh. Nothing here knows turns or dead ends: that is
``legal``.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

from burraco.engine.actions import Add, LayMeld
from burraco.engine.cards import (
    EMPTY,
    FIELD,
    ONE,
    RANK_COUNT,
    SUIT_BITS,
    SUIT_WIDTH,
    SUITS_COUNT,
    Bag,
    Card,
)
from burraco.engine.melds import (
    JOKER_BITS,
    NATURAL_BITS,
    NOTHING,
    OWN_TWO_SHIFT,
    RANK_BITS,
    SEQUENCES,
    SET_COLUMN,
    WILD_BITS,
    WILD_FACES,
    Kind,
    Meld,
    Reading,
    classify,
    outside_wild,
    rank_mask,
    rank_slice,
)
from burraco.engine.rules import Ruleset

_NO_WILD: Final = -1
_TABLE_LIMIT: Final = 1 << 16

_Lays = tuple[LayMeld, ...]


def lays(rules: Ruleset, hand: Bag, melds: tuple[Meld, ...]) -> list[LayMeld]:
    """Every new meld the cards of a hand make under the rules, dead ends not looked at."""
    found: list[LayMeld] = []
    two_two_joker = rules.two_two_joker
    wilds = _wild_faces(hand)
    for suit in range(SUITS_COUNT):
        own = hand >> SUIT_WIDTH * suit & SUIT_BITS
        if not own:
            continue
        shape = _SHAPES.get(own)
        if shape is None:
            shape = _shape(own)
        if shape & _RUNS:
            found += _sequence_lays(suit, own, _NO_WILD, two_two_joker)
        if shape & _BRIDGES:
            for wild in wilds:
                if wild.suit != suit:
                    found += _sequence_lays(suit, own, wild, two_two_joker)
    pairs = _ranks_held_twice(hand)
    if pairs:
        barred = _NO_RANKS if rules.second_set_of_rank else _ranks_of_sets(melds)  # E41
        for rank in _ranks(pairs):
            if rank in rules.set_rank_numbers and rank not in barred:
                column = hand >> FIELD * rank & SET_COLUMN
                found += _set_lays(rank, column, _NO_WILD)
                for wild in wilds:
                    found += _set_lays(rank, column, wild)
    return found


def adds(rules: Ruleset, hand: Bag, melds: tuple[Meld, ...]) -> list[Add]:
    """Every addition the cards of a hand make to the melds of a side, dead ends not looked at."""
    found: list[Add] = []
    two_two_joker = rules.two_two_joker
    wilds = _wild_faces(hand)
    for at, meld in enumerate(melds):
        if meld.near < 0:
            _learn_neighbours(meld)
        shift = FIELD * meld.rank if meld.kind is Kind.SET else SUIT_WIDTH * meld.suit
        near = hand >> shift & meld.near
        if near & meld.touching:
            found += _adds_to(at, meld, near, _NO_WILD, two_two_joker)
        if not meld.takes_outside:
            continue
        for wild in wilds:
            if wild.suit != meld.suit:
                found += _adds_to(at, meld, near, wild, two_two_joker)
    return found


_BOTH_TWOS: Final = 2 << OWN_TWO_SHIFT
_ANY_TWO: Final = 3 << OWN_TWO_SHIFT
_ONCE_A_RANK: Final = RANK_BITS | 1 << OWN_TWO_SHIFT
_HIGH_ACE: Final = FIELD * RANK_COUNT
_NO_RANKS: Final[frozenset[int]] = frozenset()
_SEQUENCE_LAYS: dict[tuple[int, int, int, bool], _Lays] = {}
_SET_LAYS: dict[tuple[int, int, int], _Lays] = {}
_ADDS: dict[tuple[int, Meld, int, int, bool], tuple[Add, ...]] = {}
_GROWN: dict[tuple[Meld, int, int, bool], tuple[Bag, ...]] = {}
_WILD_FACES_IN: dict[int, tuple[Card, ...]] = {}
_RANKS_IN: dict[int, tuple[int, ...]] = {}


# What one suit's cards may make: a sequence by themselves, or one with a wild from outside.
_RUNS: Final = 1
_BRIDGES: Final = 2
_SHAPES: dict[int, int] = {}


def _shape(own: int) -> int:
    """Which of the two a slice can make; most can neither, and then no table is asked."""
    if len(_SHAPES) >= _TABLE_LIMIT:
        _SHAPES.clear()
    row = (own | own >> 1) & _ONCE_A_RANK
    row |= (row & 1) << _HIGH_ACE
    bridged = row & (row >> FIELD | row >> 2 * FIELD) or own & _BOTH_TWOS
    runs = row & row >> FIELD & row >> 2 * FIELD or (own & _ANY_TWO and bridged)
    shape = _SHAPES[own] = (_RUNS if runs else 0) | (_BRIDGES if bridged else 0)
    return shape


def _wild_faces(hand: Bag) -> tuple[Card, ...]:
    held = hand & WILD_BITS
    faces = _WILD_FACES_IN.get(held)
    if faces is None:
        faces = tuple(face for face in WILD_FACES if held >> FIELD * face & 7)
        _WILD_FACES_IN[held] = faces
    return faces


def _ranks_held_twice(hand: Bag) -> int:
    """The natural ranks of which a hand has two cards or more, as a slice with one bit a rank."""
    spades = hand & SUIT_BITS
    hearts = hand >> SUIT_WIDTH & SUIT_BITS
    diamonds = hand >> 2 * SUIT_WIDTH & SUIT_BITS
    clubs = hand >> 3 * SUIT_WIDTH & SUIT_BITS
    twice = (spades | hearts | diamonds | clubs) >> 1
    spades |= spades >> 1
    hearts |= hearts >> 1
    diamonds |= diamonds >> 1
    clubs |= clubs >> 1
    return (
        twice
        | spades & hearts
        | (spades | hearts) & diamonds
        | (spades | hearts | diamonds) & clubs
    ) & RANK_BITS


def _ranks(slice_: int) -> tuple[int, ...]:
    ranks = _RANKS_IN.get(slice_)
    if ranks is None:
        mask = rank_mask(slice_)
        ranks = _RANKS_IN[slice_] = tuple(rank for rank in range(RANK_COUNT) if mask >> rank & 1)
    return ranks


def _ranks_of_sets(melds: tuple[Meld, ...]) -> frozenset[int]:
    return frozenset(meld.rank for meld in melds if meld.kind is Kind.SET)


def _learn_neighbours(meld: Meld) -> None:
    """Find out once which cards of its suit or rank can join a meld at all, and which alone.

    A natural addition always has a card that could join alone, the one nearest to the meld, unless
    an ace changes ends (E23), or both twos come to a joker (E14), one of them natural: then cards
    join together of which none could join alone.
    """
    if meld.kind is Kind.SET:
        meld.touching = meld.near = SET_COLUMN
        meld.takes_outside = not meld.wilds
        return
    meld.takes_outside = not meld.bag & WILD_BITS & ~(SUIT_BITS << SUIT_WIDTH * meld.suit)
    shift = SUIT_WIDTH * meld.suit
    own = meld.bag >> shift & SUIT_BITS
    missing_twos = 0 if own & _BOTH_TWOS else 3 << OWN_TWO_SHIFT
    meld.near = 3 * (RANK_BITS & ~own) | missing_twos
    if own & 3:  # an ace
        meld.touching = meld.near
        return
    meld.touching = _BOTH_TWOS if meld.bag & JOKER_BITS and not own & _ANY_TWO else 0
    for rank in range(RANK_COUNT):
        one = 1 << FIELD * rank
        if meld.near & one and classify(Bag(meld.bag + (one << shift))) is not None:
            meld.touching |= 3 * one


def _sequence_lays(suit: int, own: int, wild: int, two_two_joker: bool) -> _Lays:
    key = (suit, own, wild, two_two_joker)
    known = _SEQUENCE_LAYS.get(key)
    if known is None:
        if len(_SEQUENCE_LAYS) >= _TABLE_LIMIT:
            _SEQUENCE_LAYS.clear()
        grown = _grown_sequences(suit, EMPTY, own, wild, two_two_joker)
        known = _SEQUENCE_LAYS[key] = tuple([_lay(cards) for cards in grown])
    return known


def _set_lays(rank: int, column: int, wild: int) -> _Lays:
    key = (rank, column, wild)
    known = _SET_LAYS.get(key)
    if known is None:
        if len(_SET_LAYS) >= _TABLE_LIMIT:
            _SET_LAYS.clear()
        grown = _grown_sets(rank, EMPTY, column, wild)
        known = _SET_LAYS[key] = tuple([_lay(cards) for cards in grown])
    return known


def _adds_to(at: int, meld: Meld, near: int, wild: int, two_two_joker: bool) -> tuple[Add, ...]:
    key = (at, meld, near, wild, two_two_joker)
    known = _ADDS.get(key)
    if known is None:
        if len(_ADDS) >= _TABLE_LIMIT:
            _ADDS.clear()
        grown = _grown(meld, near, wild, two_two_joker)
        known = _ADDS[key] = tuple([Add(at, cards) for cards in grown])
    return known


def _grown(meld: Meld, near: int, wild: int, two_two_joker: bool) -> tuple[Bag, ...]:
    key = (meld, near, wild, two_two_joker)
    known = _GROWN.get(key)
    if known is None:
        if len(_GROWN) >= _TABLE_LIMIT:
            _GROWN.clear()
        if meld.kind is Kind.SET:
            grown = _grown_sets(meld.rank, meld.bag, near, wild)
        else:
            grown = _grown_sequences(meld.suit, meld.bag, near, wild, two_two_joker)
        known = _GROWN[key] = tuple(grown)
    return known


_ALL_LAYS: dict[Bag, LayMeld] = {}


def _lay(cards: Bag) -> LayMeld:
    """One action object for equal cards: there are some twenty thousand melds in all."""
    action = _ALL_LAYS.get(cards)
    if action is None:
        action = _ALL_LAYS[cards] = LayMeld(cards)
    return action


def _grown_sequences(
    suit: int, base: Bag, own: int, wild: int, two_two_joker: bool
) -> Iterator[Bag]:
    """What may be added to a sequence (or to nothing) from one suit and a named wild."""
    base_own = base >> SUIT_WIDTH * suit & SUIT_BITS
    outside = outside_wild(base & ~(SUIT_BITS << SUIT_WIDTH * suit))
    if wild != _NO_WILD:
        if outside != NOTHING:
            return
        outside = outside_wild(ONE[wild])
    assert outside is not None
    ranks, twos = rank_mask(base_own), base_own >> OWN_TWO_SHIFT & 3
    free = rank_mask(own) & ~ranks
    most_twos = min(2, twos + (own >> OWN_TWO_SHIFT & 3))
    for new_twos in range(twos, most_twos + 1):
        table = SEQUENCES[new_twos][outside]
        for grown in _within(table, ranks, free):
            if table[grown].wilds > 1 and not two_two_joker:
                continue
            added = rank_slice(grown ^ ranks) | (new_twos - twos) << OWN_TWO_SHIFT
            added <<= SUIT_WIDTH * suit
            if wild != _NO_WILD:
                added += ONE[wild]
            if added:
                yield Bag(added)


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


def _grown_sets(rank: int, base: Bag, column: int, wild: int) -> Iterator[Bag]:
    """What may be added to a set (or to nothing) from one rank and, if named, one wild."""
    if wild != _NO_WILD and base & WILD_BITS:
        return
    held = _cards_in(base & NATURAL_BITS)
    least = 2 if wild != _NO_WILD or base & WILD_BITS else 3  # R26, R29
    copies = [range((column >> SUIT_WIDTH * suit & 3) + 1) for suit in range(4)]
    for taken in product(*copies):
        added = sum(number << SUIT_WIDTH * suit for suit, number in enumerate(taken))
        added <<= FIELD * rank
        if wild != _NO_WILD:
            added += ONE[wild]
        if added and held + sum(taken) >= least:
            yield Bag(added)


def _cards_in(naturals: int) -> int:
    ones = naturals & _ONCE
    return ones.bit_count() + 2 * (naturals & _ONCE << 1).bit_count()


_ONCE: Final = sum(1 << FIELD * face for face in range(52))
