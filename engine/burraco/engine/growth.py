"""How melds grow from a hand: every new meld and every addition, each once.

A new meld is the empty meld grown. What may be added to a meld depends only on a few bits of the hand
(one suit or one rank, and a wild from outside), so answers are kept in tables keyed by those bits; a
table that has grown large is begun afresh. Nothing here knows turns or dead ends: that is ``legal``.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

from burraco.engine.actions import Add, LayMeld
from burraco.engine.cards import EMPTY, FIELD, ONE, SUIT_BITS, SUIT_WIDTH, Bag, Card, unpack
from burraco.engine.melds import (
    NATURAL_BITS,
    OWN_TWO_SHIFT,
    SEQUENCES,
    SET_COLUMN,
    WILD_BITS,
    WILD_FACES,
    Kind,
    Meld,
    Outside,
    Reading,
    outside_wild,
    rank_mask,
    rank_slice,
)
from burraco.engine.rules import Ruleset

_NO_WILD: Final = -1
_TABLE_LIMIT: Final = 1 << 16

_Lays = tuple[LayMeld, ...]
_Adds = tuple[Add, ...]


def lays(rules: Ruleset, hand: Bag, melds: tuple[Meld, ...]) -> list[LayMeld]:
    """Every new meld the cards of a hand make under the rules, dead ends not looked at."""
    found: list[LayMeld] = []
    two_two_joker = rules.two_two_joker
    wilds = _wild_faces(hand)
    for suit in range(4):
        own = hand >> SUIT_WIDTH * suit & SUIT_BITS
        if own:
            found += _sequence_lays(suit, own, _NO_WILD, two_two_joker)
            for wild in wilds:
                if wild.suit != suit:
                    found += _sequence_lays(suit, own, wild, two_two_joker)
    barred = _ranks_of_sets(melds) if not rules.second_set_of_rank else ()  # E41
    for rank in rules.set_rank_numbers:
        column = hand >> FIELD * rank & SET_COLUMN
        if column & column - 1 or column & _TWICE_COLUMN:
            if rank in barred:
                continue
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
        if meld.kind is Kind.SET:
            near = hand >> FIELD * meld.rank & SET_COLUMN
        else:
            near = hand >> SUIT_WIDTH * meld.suit & SUIT_BITS
        if near:
            found += _adds_to(at, meld, near, _NO_WILD, two_two_joker)
        for wild in wilds:
            if wild.suit != meld.suit:
                found += _adds_to(at, meld, near, wild, two_two_joker)
    return found


_TWICE_COLUMN: Final = sum(2 << SUIT_WIDTH * suit for suit in range(4))
_SEQUENCE_LAYS: dict[tuple[int, int, int, bool], _Lays] = {}
_SET_LAYS: dict[tuple[int, int, int], _Lays] = {}
_ADDS: dict[tuple[int, Meld, int, int, bool], _Adds] = {}
_WILD_FACES_IN: dict[int, tuple[Card, ...]] = {}


def _wild_faces(hand: Bag) -> tuple[Card, ...]:
    held = hand & WILD_BITS
    faces = _WILD_FACES_IN.get(held)
    if faces is None:
        faces = tuple(face for face in WILD_FACES if held >> FIELD * face & 7)
        _WILD_FACES_IN[held] = faces
    return faces


def _ranks_of_sets(melds: tuple[Meld, ...]) -> set[int]:
    return {meld.rank for meld in melds if meld.kind is Kind.SET}


def _sequence_lays(suit: int, own: int, wild: int, two_two_joker: bool) -> _Lays:
    key = (suit, own, wild, two_two_joker)
    known = _SEQUENCE_LAYS.get(key)
    if known is None:
        if len(_SEQUENCE_LAYS) >= _TABLE_LIMIT:
            _SEQUENCE_LAYS.clear()
        grown = _grown_sequences(suit, EMPTY, own, wild, two_two_joker)
        known = _SEQUENCE_LAYS[key] = tuple(_lay(cards) for cards in grown)
    return known


def _set_lays(rank: int, column: int, wild: int) -> _Lays:
    key = (rank, column, wild)
    known = _SET_LAYS.get(key)
    if known is None:
        if len(_SET_LAYS) >= _TABLE_LIMIT:
            _SET_LAYS.clear()
        grown = _grown_sets(rank, EMPTY, column, wild)
        known = _SET_LAYS[key] = tuple(_lay(cards) for cards in grown)
    return known


def _adds_to(at: int, meld: Meld, near: int, wild: int, two_two_joker: bool) -> _Adds:
    key = (at, meld, near, wild, two_two_joker)
    known = _ADDS.get(key)
    if known is None:
        if len(_ADDS) >= _TABLE_LIMIT:
            _ADDS.clear()
        if meld.kind is Kind.SET:
            grown = _grown_sets(meld.rank, meld.bag, near, wild)
        else:
            grown = _grown_sequences(meld.suit, meld.bag, near, wild, two_two_joker)
        known = _ADDS[key] = tuple(Add(at, unpack(cards)) for cards in grown)
    return known


_ALL_LAYS: dict[Bag, LayMeld] = {}


def _lay(cards: Bag) -> LayMeld:
    """One action object for equal cards: there are some twenty thousand melds in all."""
    action = _ALL_LAYS.get(cards)
    if action is None:
        action = _ALL_LAYS[cards] = LayMeld(unpack(cards))
    return action


def _grown_sequences(
    suit: int, base: Bag, own: int, wild: int, two_two_joker: bool
) -> Iterator[Bag]:
    """What may be added to a sequence (or to nothing) from one suit and, if named, one outside wild."""
    base_own = base >> SUIT_WIDTH * suit & SUIT_BITS
    outside = outside_wild(base & ~(SUIT_BITS << SUIT_WIDTH * suit))
    if wild != _NO_WILD:
        if outside is not Outside.NONE:
            return
        outside = outside_wild(ONE[wild])
    assert outside is not None
    ranks, twos = rank_mask(base_own), base_own >> OWN_TWO_SHIFT & 3
    free = rank_mask(own) & ~ranks
    most_twos = min(2, twos + (own >> OWN_TWO_SHIFT & 3))
    for new_twos in range(twos, most_twos + 1):
        table = SEQUENCES[new_twos, outside]
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
