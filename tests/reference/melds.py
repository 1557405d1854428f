"""Every meld there is (rules §3), in a book; cards are a meld when they stand in it.

The book is written by laying out every set and every sequence, each with every choice of wild
cards. For finding melds quickly its pages stand on shelves, one for each suit and each rank, as
trees that are walked card by card.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import combinations
from typing import NamedTuple

from tests.reference.cards import (
    JOKER,
    SUITS,
    WILDS,
    Cards,
    holds,
    in_order,
    is_wild,
    without,
)
from tests.reference.knobs import ALL, Knobs

# Low ace, two, three … king, high ace.
PLACES = "A23456789TJQKA"
LOW_ACE, HIGH_ACE = 0, 13


class Reading(NamedTuple):
    """How cards are read: ``of`` is the rank of a set or the suit of a sequence.

    ``wilds`` counts the cards that stand for another, ``run`` is the longest stretch of naturals
    of a sequence.
    """

    kind: str
    of: str
    wilds: int
    run: int


def sets_of(rank: str) -> Iterator[tuple[Cards, Reading]]:
    """R28 to R31: two to eight naturals, both copies allowed, and at most one wild."""
    copies = [rank + suit for suit in SUITS] * 2
    for number in range(2, 9):
        for naturals in combinations(copies, number):
            if number >= 3:  # R26
                yield in_order(naturals), Reading("set", rank, 0, 0)
            for wild in WILDS:
                yield in_order((*naturals, wild)), Reading("set", rank, 1, 0)


def sequences_of(suit: str) -> Iterator[tuple[Cards, Reading]]:
    """R32 to R36: every window of three places or more, with every choice of wilds in it."""
    for low, high in combinations(range(len(PLACES)), 2):
        window = range(low, high + 1)
        if len(window) < 3:  # R26
            continue
        for holes, stand_ins in _choices_of_wilds(suit, window):
            naturals = [place for place in window if place not in holes]
            if LOW_ACE in naturals and HIGH_ACE in naturals:  # R33, E24
                continue
            if len(holes) == 2 and PLACES.index("2") not in naturals:  # R36
                continue
            cards = in_order((*(PLACES[place] + suit for place in naturals), *stand_ins))
            yield cards, Reading("sequence", suit, len(holes), longest_stretch(naturals))


def _choices_of_wilds(suit: str, window: range) -> Iterator[tuple[tuple[int, ...], Cards]]:
    """Which places are held by wilds, and by which; R34: none or one, R36: two of one kind."""
    yield (), ()
    for hole in window:
        for wild in WILDS:
            yield (hole,), (wild,)
    for holes in combinations(window, 2):
        yield holes, ("2" + suit, JOKER)


def longest_stretch(places: list[int]) -> int:
    """How many of the places, which rise, are next to each other at most."""
    longest = length = 0
    for at, place in enumerate(places):
        length = length + 1 if at and places[at - 1] + 1 == place else 1
        longest = max(longest, length)
    return longest


class Shelf:
    """Melds as a tree: from the root, card by card in order, to where one is complete."""

    __slots__ = ("further", "is_meld")

    def __init__(self) -> None:
        self.further: dict[str, Shelf] = {}
        self.is_meld = False

    def put(self, cards: Cards) -> None:
        """Write one meld in."""
        at = self
        for card in cards:
            at = at.further.setdefault(card, Shelf())
        at.is_meld = True


BOOK: dict[Cards, Reading] = {}
SHELVES: dict[str, Shelf] = {}
# Jokers and twos as the melds of a shelf have them together, natural twos too.
WILDS_ON: dict[str, dict[Cards, None]] = {}


def _write_book() -> None:
    pages = {rank: sets_of(rank) for rank in ALL} | {suit: sequences_of(suit) for suit in SUITS}
    for of, melds in pages.items():
        SHELVES[of], WILDS_ON[of] = Shelf(), {}
        for cards, reading in melds:
            SHELVES[of].put(cards)
            WILDS_ON[of][tuple([card for card in cards if is_wild(card)])] = None
            known = BOOK.get(cards)
            # E19: the reading with the fewest wilds counts.
            if known is None or (reading.wilds, -reading.run) < (known.wilds, -known.run):
                BOOK[cards] = reading


_write_book()


def is_known(reading: Reading, knobs: Knobs) -> bool:
    """Whether the rules have such a meld: the ranks of sets, and two wilds (E14)."""
    if reading.kind == "set":
        return reading.of in knobs.set_ranks
    return reading.wilds < 2 or knobs.two_two_joker


def meld_of(knobs: Knobs, cards: Cards) -> Reading | None:
    """What the cards are under the rules, None for no meld."""
    reading = BOOK.get(cards)
    return reading if reading is not None and is_known(reading, knobs) else None


Found = tuple[tuple[Cards, Reading], ...]


@lru_cache(maxsize=50_000)
def new_melds(hand: Cards) -> Found:
    """Every meld of the book that the hand holds."""
    wilds = tuple([card for card in hand if is_wild(card)])
    own: dict[str, list[str]] = {of: [] for of in SHELVES}
    for card in hand:
        if not is_wild(card):
            own[card[0]].append(card)
            own[card[1]].append(card)
    found: list[tuple[Cards, Reading]] = []
    for of, naturals in own.items():
        most = len(naturals)
        if most + len(wilds) < 3:  # R26
            continue
        for part in _parts_of_wilds(of, wilds):
            if most + len(part) >= 3:
                found += _with_wilds(of, tuple(naturals), part)
    return tuple(found)


@cache
def _parts_of_wilds(of: str, wilds: Cards) -> list[Cards]:
    """Which of the wilds, none too, a meld of the shelf may have."""
    return [part for part in WILDS_ON[of] if holds(wilds, part)]


@cache
def _with_wilds(of: str, naturals: Cards, part: Cards) -> Found:
    """The melds of one shelf made of some of the naturals and just these wilds."""
    melds = _walk(SHELVES[of], (), in_order(naturals + part), part)
    return tuple([(meld, BOOK[meld]) for meld in melds])


def grown_melds(base: Cards, hand: Cards) -> Found:
    """Which cards of the hand make another meld of the book out of the base, and which meld."""
    of = BOOK[base].of
    usable = tuple([card for card in hand if of in card or is_wild(card)])
    return _on_shelf(of, usable, base) if usable else ()


@lru_cache(maxsize=200_000)
def _on_shelf(of: str, cards: Cards, base: Cards) -> Found:
    """The melds of one shelf made of the whole base and some of the cards: which, and the meld."""
    melds = _walk(SHELVES[of], (), in_order(base + cards), base)
    return tuple([(without(meld, base), BOOK[meld]) for meld in melds if meld != base])


def _walk(at: Shelf, so_far: Cards, rest: Cards, base: Cards) -> list[Cards]:
    """All melds that begin with the cards so far; ``base`` is what must still come."""
    found = [so_far] if at.is_meld and not base else []
    if not at.further:
        return found
    before = ""
    for place, card in enumerate(rest, 1):
        if base and card > base[0]:
            break  # the card that must come has been passed
        if card != before and card in at.further:
            must = base[1:] if base and card == base[0] else base
            found += _walk(at.further[card], (*so_far, card), rest[place:], must)
        before = card
    return found


def is_burraco(cards: Cards) -> bool:
    """R40."""
    return len(cards) >= 7


def grade(knobs: Knobs, cards: Cards) -> str:
    """The class of a burraco, ``none`` for a shorter meld (R38 to R40, semi-clean of §9)."""
    reading = BOOK[cards]
    if not is_burraco(cards):
        return "none"
    if reading.wilds == 0:
        return "clean"
    if not knobs.semiclean_bonus:
        return "dirty"
    if reading.kind == "sequence":
        return "semiclean" if reading.run >= 7 else "dirty"
    if knobs.semiclean_set == "exactly_8":
        return "semiclean" if len(cards) == 8 else "dirty"
    return "semiclean" if len(cards) >= 8 else "dirty"


def bonus(knobs: Knobs, cards: Cards) -> int:
    """Points of the burraco bonus (R68, R69)."""
    return {
        "none": 0,
        "clean": knobs.clean_bonus,
        "semiclean": knobs.semiclean_bonus,
        "dirty": knobs.dirty_bonus,
    }[grade(knobs, cards)]


def can_join(knobs: Knobs, base: Cards, more: Cards) -> Reading | None:
    """What base and more are together: that they are a meld is all an addition needs (§3)."""
    return meld_of(knobs, in_order((*base, *more)))


def has_set_of(rank: str, melds: list[Cards]) -> bool:
    """Whether a set of the rank lies among the melds (E41)."""
    return any(BOOK[cards].kind == "set" and BOOK[cards].of == rank for cards in melds)
