"""How melds grow from a hand: every new meld and every addition, each once.

A new meld is the empty meld grown. What can be laid or added depends on few cards at a time: the
cards of one suit or of one rank, and one wild from outside; so the answers are kept in tables by
those cards. Nothing here knows turns or dead ends: that is ``legal``.
"""

from functools import partial
from itertools import product
from typing import Final

from burraco.engine.actions import Add, LayMeld
from burraco.engine.cards import (
    EMPTY,
    FIELD,
    JOKER,
    ONCE_A_RANK,
    ONE,
    PACKING,
    RANK_COUNT,
    SUIT_BITS,
    SUIT_WIDTH,
    SUITS_COUNT,
    TWO,
    Bag,
    suits_of,
    unpacked,
)
from burraco.engine.melds import (
    ANY_TWO,
    BOTH_TWOS,
    COLUMN_BITS,
    NOTHING,
    ONE_JOKER,
    OTHER_TWO,
    OWN_TWO_SHIFT,
    RANK_BITS,
    SEQUENCES,
    WILD_BITS,
    WILD_FACES,
    Kind,
    Meld,
    Reading,
    rank_mask,
    rank_slice,
)
from burraco.engine.rules import Ruleset
from burraco.engine.tables import Shelf, Table

# A helper is what joins from outside the suit or rank: 0 for nothing, then the wild faces in
# order, so that the two of a suit is the helper ``suit + _OF_SUIT``.
_ALONE: Final = 0
_OF_SUIT: Final = 1
_HELP: Final = (EMPTY, *(ONE[face] for face in WILD_FACES))
_OUTSIDE: Final = (NOTHING, *(ONE_JOKER if face == JOKER else OTHER_TWO for face in WILD_FACES))
_HELPERS: Final = range(len(_HELP))

_Lays = tuple[LayMeld, ...]
_Adds = tuple[Add, ...]


def lays(rules: Ruleset, hand: Bag, melds: tuple[Meld, ...]) -> list[LayMeld]:
    """Every new meld the cards of a hand make under the rules, dead ends not looked at."""
    return lays_from(suits_of(hand), helpers_in(hand), rules, melds)


def adds(rules: Ruleset, hand: Bag, melds: tuple[Meld, ...]) -> list[Add]:
    """Every addition the cards of a hand make to the melds of a side, dead ends not looked at."""
    return adds_from(suits_of(hand), helpers_in(hand), rules, melds)


def helpers_in(hand: Bag) -> tuple[int, ...]:
    """What a hand has to help from outside a suit or rank."""
    return _HELPERS_IN[hand & WILD_BITS]


def lays_from(
    suits: list[int], helpers: tuple[int, ...], rules: Ruleset, melds: tuple[Meld, ...]
) -> list[LayMeld]:
    """``lays`` of a hand whose suits and helpers are known."""
    found: list[LayMeld] = []
    for suit, tables in enumerate(_SEQUENCE_LAYS[rules.two_two_joker]):
        own = suits[suit]
        once = (own | own >> 1) & ONCE_A_RANK
        both_twos = once + _ONE_TWO if own & BOTH_TWOS else 0  # a second wild: anything may help
        useful = both_twos or _IN_RUNS[once % PACKING]
        if useful:
            found += tables[_ALONE][useful]
        if helpers:
            useful = both_twos or _IN_BRIDGES[once % PACKING]
            if useful:
                for helper in helpers:
                    if helper != suit + _OF_SUIT:
                        found += tables[helper][useful]
    ranks = _ranks_held(suits, 2 if helpers else 3)  # R26, R29
    if ranks:
        for rank in _RANKS_IN[(ranks & _ranks_open(rules, melds)) % PACKING]:
            column = _column(suits, rank)
            found += _SET_LAYS[rank][_ALONE][column]
            for helper in helpers:
                found += _SET_LAYS[rank][helper][column]
    return found


def adds_from(
    suits: list[int], helpers: tuple[int, ...], rules: Ruleset, melds: tuple[Meld, ...]
) -> list[Add]:
    """``adds`` of a hand whose suits and helpers are known."""
    found: list[Add] = []
    two_two_joker = rules.two_two_joker
    some_suit = suits[0] | suits[1] | suits[2] | suits[3]
    for at, meld in enumerate(melds):
        if meld.kind is Kind.SEQUENCE:
            held = suits[meld.suit] & meld.near
        else:
            held = _column(suits, meld.rank) if some_suit & meld.near else 0
        if held and held & meld.touching:
            found += _adds_to(at, meld, held, _ALONE, two_two_joker)
        if helpers and meld.takes_outside:
            for helper in helpers:
                if helper != meld.suit + _OF_SUIT:
                    found += _adds_to(at, meld, held, helper, two_two_joker)
    return found


def _adds_to(at: int, meld: Meld, held: int, helper: int, two_two_joker: bool) -> _Adds:
    if meld.kind is Kind.SET:
        return _SET_ADDS[helper][at, meld.rank, held]
    near = (held | held >> 1) & RANK_BITS | held & ANY_TWO
    return _SEQUENCE_ADDS[two_two_joker][helper][at, meld, near]


def _column(suits: list[int], rank: int) -> int:
    """The cards of one rank, as in ``COLUMN_BITS``."""
    spades, hearts, diamonds, clubs = suits
    shift = FIELD * rank
    return (
        spades >> shift & 3
        | (hearts >> shift & 3) << 2
        | (diamonds >> shift & 3) << 4
        | (clubs >> shift & 3) << 6
    )


def _ranks_held(suits: list[int], least: int) -> int:
    """The natural ranks of which a hand has at least two or three cards, one bit a rank."""
    first, second = suits[0] + suits[1], suits[2] + suits[3]  # at most 4 in a field
    cards = (first & _UP_TO_THREE) + (second & _UP_TO_THREE)  # at most 6
    enough = cards >> 1 if least == 2 else cards >> 1 & cards
    return (enough | (first | second | cards) >> 2) & RANK_BITS


def _ranks_open(rules: Ruleset, melds: tuple[Meld, ...]) -> int:
    """The ranks of which the rules allow a new set, one bit a rank."""
    allowed = _SLICE_OF_RANKS[rules.set_rank_numbers]
    return allowed if rules.second_set_of_rank else allowed & ~_ranks_of_sets(melds)  # E41


def _ranks_of_sets(melds: tuple[Meld, ...]) -> int:
    ranks = 0
    for meld in melds:
        if meld.kind is Kind.SET:
            ranks |= 1 << FIELD * meld.rank
    return ranks


def _ranks_in(packed: int) -> tuple[int, ...]:
    mask = rank_mask(unpacked(packed))
    return tuple([rank for rank in range(RANK_COUNT) if mask >> rank & 1])


def _slice_of_ranks(ranks: frozenset[int]) -> int:
    return sum([1 << FIELD * rank for rank in ranks])


def _helpers_in(held: int) -> tuple[int, ...]:
    return tuple(helper for helper, face in enumerate(WILD_FACES, 1) if held >> FIELD * face & 7)


_UP_TO_THREE: Final = 3 * ONCE_A_RANK
_RANKS_IN: Final = Shelf(PACKING, _ranks_in)
_SLICE_OF_RANKS: Final = Table(_slice_of_ranks)
_HELPERS_IN: Final = Table(_helpers_in)

# Few cards of a suit can come into a new sequence: asked by those alone, most answers are known.
_HIGH_ACE: Final = FIELD * RANK_COUNT
_ONE_TWO: Final = 1 << OWN_TWO_SHIFT


def _in_runs(packed: int) -> int:
    """What can be in a sequence that needs no wild from outside: three in a row, or a bridge."""
    own = unpacked(packed)
    if own & _ONE_TWO:
        return _in_bridges(packed)
    row = _row(own)
    middle = row & row << FIELD & row >> FIELD
    return _kept(own, middle << FIELD | middle | middle >> FIELD)


def _in_bridges(packed: int) -> int:
    """What can be in a sequence with one wild card: two cards with at most one place between."""
    own = unpacked(packed)
    row = _row(own)
    return _kept(own, row & (row << FIELD | row >> FIELD | row << 2 * FIELD | row >> 2 * FIELD))


def _row(own: int) -> int:
    """A bit for each of the fourteen places that a suit has a card for, the high ace last."""
    return own | (own & 1) << _HIGH_ACE


def _kept(own: int, places: int) -> int:
    """What lies at these places, and a two; a long suit stays whole, for the order of answers."""
    if not places or (own & RANK_BITS).bit_count() > _FEW:
        return places and own
    return own & (places | places >> _HIGH_ACE | _ONE_TWO)


def _sequence_lays(suit: int, helper: int, two_two_joker: bool, own: int) -> _Lays:
    shift, known = SUIT_WIDTH * suit, _LAYS[helper]
    parts = _sequence_parts(_NEW, own, _OUTSIDE[helper], two_two_joker)
    return tuple([known[shift, part] for part in parts])


def _set_lays(rank: int, helper: int, column: int) -> _Lays:
    shift, known = FIELD * rank, _LAYS[helper]
    least = 3 if helper == _ALONE else 2  # R26, R29
    return tuple([known[shift, part] for part in _SET_PARTS[least][column]])


def _sequence_adds(helper: int, two_two_joker: bool, key: tuple[int, Meld, int]) -> _Adds:
    at, meld, near = key
    known = _ADDS[helper]
    parts = _sequence_parts(meld.base, near, _OUTSIDE[helper], two_two_joker)
    return tuple([known[at, meld.shift, part] for part in parts])


def _set_adds(helper: int, key: tuple[int, int, int]) -> _Adds:
    at, rank, column = key
    shift, known = FIELD * rank, _ADDS[helper]
    least = 1 if helper == _ALONE else 0
    return tuple([known[at, shift, part] for part in _SET_PARTS[least][column]])


_NEW: Final = 0


def _sequence_parts(base: int, own: int, outside: int, two_two_joker: bool) -> list[int]:
    """Which cards of its suit may join a sequence, or make a new one, beside one from outside."""
    around = base >> SUIT_WIDTH or outside
    ranks, twos = rank_mask(base & SUIT_BITS), base >> OWN_TWO_SHIFT & 3
    most_twos = min(2, twos + (own >> OWN_TWO_SHIFT & 3))
    free = rank_mask(own) & ~ranks
    many = free.bit_count() > _FEW
    if base != _NEW and not many and most_twos < 2:
        free = _within_reach(ranks, free, most_twos)
    parts: list[int] = []
    for new_twos in range(twos, most_twos + 1):
        table = SEQUENCES[new_twos][around]
        for grown in _within(table, ranks, free) if many else _subsets(table, ranks, free):
            if table[grown].wilds > 1 and not two_two_joker:
                continue
            part = rank_slice(grown ^ ranks) | (new_twos - twos) << OWN_TWO_SHIFT
            if part or outside != NOTHING:
                parts.append(part)
    return parts


def _within_reach(ranks: int, free: int, twos: int) -> int:
    """The free ranks that come to a sequence from card to card, at most one place between two."""
    reached = ranks | twos << TWO
    reached |= (reached & 1) << RANK_COUNT
    there = reached | free | (free & 1) << RANK_COUNT
    while True:
        near = reached << 1 | reached >> 1 | reached << 2 | reached >> 2
        wider = reached | there & near
        if wider == reached:
            return free & (reached | reached >> RANK_COUNT)
        reached = wider


# So many free ranks have fewer subsets than a table has rows; beyond, answers come in its order.
_FEW: Final = 8


def _within(table: dict[int, Reading], must: int, free: int) -> list[int]:
    """The rank masks of a table that hold all of ``must`` and else only some of ``free``."""
    barred = ~(must | free)
    return [ranks for ranks in table if ranks & must == must and not ranks & barred]


def _subsets(table: dict[int, Reading], must: int, free: int) -> list[int]:
    """The same for few free ranks, found from the other end."""
    found: list[int] = []
    part = free
    while True:
        if must | part in table:
            found.append(must | part)
        if not part:
            return found
        part = part - 1 & free


def _set_parts(least: int, column: int) -> list[int]:
    """Every choice of at least so many cards from those of one rank, as slices by suit."""
    copies = [range((column >> 2 * suit & 3) + 1) for suit in range(SUITS_COUNT)]
    return [
        sum([number << SUIT_WIDTH * suit for suit, number in enumerate(taken)])
        for taken in product(*copies)
        if sum(taken) >= least
    ]


def _lay(helper: int, key: tuple[int, int]) -> LayMeld:
    shift, part = key
    return LayMeld(Bag((part << shift) + _HELP[helper]))


def _add(helper: int, key: tuple[int, int, int]) -> Add:
    at, shift, part = key
    return Add(at, Bag((part << shift) + _HELP[helper]))


_IN_RUNS: Final = Shelf(PACKING, _in_runs)
_IN_BRIDGES: Final = Shelf(PACKING, _in_bridges)
# By how many cards at least.
_SET_PARTS: Final = tuple(Shelf(COLUMN_BITS + 1, partial(_set_parts, least)) for least in range(4))
# One action object for equal cards, by helper: there are some twenty thousand melds in all.
_LAYS: Final = tuple(Table(partial(_lay, helper)) for helper in _HELPERS)
_ADDS: Final = tuple(Table(partial(_add, helper)) for helper in _HELPERS)
# By two_two_joker (E14), suit and helper.
_SEQUENCE_LAYS: Final = tuple(
    tuple(
        tuple(Table(partial(_sequence_lays, suit, helper, knob)) for helper in _HELPERS)
        for suit in range(SUITS_COUNT)
    )
    for knob in (False, True)
)
# By two_two_joker and helper.
_SEQUENCE_ADDS: Final = tuple(
    tuple(Table(partial(_sequence_adds, helper, knob)) for helper in _HELPERS)
    for knob in (False, True)
)
# By rank and helper.
_SET_LAYS: Final = tuple(
    tuple(Shelf(COLUMN_BITS + 1, partial(_set_lays, rank, helper)) for helper in _HELPERS)
    for rank in range(RANK_COUNT)
)
_SET_ADDS: Final = tuple(Table(partial(_set_adds, helper)) for helper in _HELPERS)
