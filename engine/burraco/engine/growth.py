"""How melds grow from a hand: every new meld and every addition, each once.

A new meld is the empty meld grown. What can be laid or added depends on few cards at a time: the
cards of one suit or of one rank, and one wild from outside; so the answers are kept in tables by
those cards. Nothing here knows turns or dead ends: that is ``legal``.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Final

from burraco.engine.actions import Action, Add, LayMeld
from burraco.engine.cards import (
    EMPTY,
    FIELD,
    JOKER,
    ONCE_A_RANK,
    ONE,
    PACKING,
    RANK_COUNT,
    SUIT_WIDTH,
    SUITS_COUNT,
    Bag,
    Suits,
    by_packed,
    suits_of,
    unpacked,
)
from burraco.engine.melds import (
    ANY_TWO,
    BOTH_TWOS,
    COLUMN_BITS,
    KIN_SHIFT,
    NEAR_BITS,
    NOTHING,
    ONE_JOKER,
    OTHER_TWO,
    OWN_TWO_SHIFT,
    RANK_BITS,
    SEQUENCES,
    SHAPE_BITS,
    SHAPE_SHIFT,
    WILD_FACES,
    Kind,
    Meld,
    made_of,
    rank_mask,
    rank_slice,
    row_of,
)
from burraco.engine.rules import Ruleset
from burraco.engine.tables import Rows, Shelf, Table

if TYPE_CHECKING:
    from mypy_extensions import i64  # an int that fits a word of the machine, once compiled

# A helper is what joins from outside the suit or rank: 0 for nothing, then the wild faces in
# order, so that the two of a suit is the helper ``suit + _OF_SUIT``.
_ALONE: Final = 0
_OF_SUIT: Final = 1
_HELP: Final = (EMPTY, *(ONE[face] for face in WILD_FACES))
_OUTSIDE: Final = (NOTHING, *(ONE_JOKER if face == JOKER else OTHER_TWO for face in WILD_FACES))
_HELPERS: Final = range(len(_HELP))

# Above ``Meld.key`` and the cards near: which of the melds; all in a word of the machine.
_AT_SHIFT: Final = KIN_SHIFT + 2

_ONE_TWO: Final = 1 << OWN_TWO_SHIFT
# So many free ranks have fewer subsets than a table has rows; beyond, answers come in its order.
_FEW: Final = 8
_IS_MANY: Final = by_packed([mask.bit_count() > _FEW for mask in range(1 << RANK_COUNT)])

_Lays = tuple[LayMeld, ...]
_Adds = tuple[Add, ...]


def lays(rules: Ruleset, hand: Bag, melds: tuple[Meld, ...]) -> list[LayMeld]:
    """Every new meld the cards of a hand make under the rules, dead ends not looked at."""
    suits = suits_of(hand)
    found: list[LayMeld] = []
    lays_into(found, suits, helpers_in(suits), rules, melds)
    return found


def adds(rules: Ruleset, hand: Bag, melds: tuple[Meld, ...]) -> list[Add]:
    """Every addition the cards of a hand make to the melds of a side, dead ends not looked at."""
    suits = suits_of(hand)
    found: list[Add] = []
    adds_into(found, suits, helpers_in(suits), rules, melds)
    return found


def helpers_in(suits: Suits) -> tuple[int, ...]:
    """What the hand of these suits and jokers has to help from outside a suit or rank."""
    spades, hearts, diamonds, clubs, jokers = suits
    return _HELPERS_IN[
        (1 if spades & ANY_TWO else 0)
        | (2 if hearts & ANY_TWO else 0)
        | (4 if diamonds & ANY_TWO else 0)
        | (8 if clubs & ANY_TWO else 0)
        | (16 if jokers else 0)
    ]


def lays_into(
    found: list[LayMeld] | list[Action],
    suits: Suits,
    helpers: tuple[int, ...],
    rules: Ruleset,
    melds: tuple[Meld, ...],
) -> None:
    """``lays`` of a hand whose suits and helpers are known, at the end of a list."""
    tables = _SEQUENCE_LAYS[rules.two_two_joker]
    spades, hearts, diamonds, clubs, _ = suits
    _sequences_into(found, spades, 0, helpers, tables[0])
    _sequences_into(found, hearts, 1, helpers, tables[1])
    _sequences_into(found, diamonds, 2, helpers, tables[2])
    _sequences_into(found, clubs, 3, helpers, tables[3])
    ranks = _ranks_held(suits, 2 if helpers else 3)  # R26, R29
    if ranks:
        for rank in _RANKS_IN[(ranks & _ranks_open(rules, melds)) % PACKING]:
            column = _column(suits, rank)
            found.extend(_SET_LAYS[rank][_ALONE][column])
            for helper in helpers:
                found.extend(_SET_LAYS[rank][helper][column])


def _sequences_into(
    found: list[LayMeld] | list[Action],
    own: i64,
    suit: int,
    helpers: tuple[int, ...],
    tables: tuple[Table[int, _Lays], ...],
) -> None:
    once: i64 = (own | own >> 1) & ONCE_A_RANK
    both_twos: i64 = once + _ONE_TWO if own & BOTH_TWOS else 0  # a second wild: anything may help
    if not both_twos and not once & once - 1:
        return  # R32: one rank beside one wild is no sequence
    packed: i64 = once % PACKING
    useful: i64 = both_twos or _IN_RUNS[packed]
    if useful:
        found.extend(tables[_ALONE][useful])
    if helpers:
        useful = both_twos or _IN_BRIDGES[packed]
        if useful:
            for helper in helpers:
                if helper != suit + _OF_SUIT:
                    found.extend(tables[helper][useful])


def adds_into(
    found: list[Add] | list[Action],
    suits: Suits,
    helpers: tuple[int, ...],
    rules: Ruleset,
    melds: tuple[Meld, ...],
) -> None:
    """``adds`` of a hand whose suits and helpers are known, at the end of a list."""
    if not melds:
        return
    two_two_joker = rules.two_two_joker
    some_suit: i64 = suits[0] | suits[1] | suits[2] | suits[3]
    held: i64
    for at, meld in enumerate(melds):
        if meld.kind is Kind.SEQUENCE:
            held = _of_suit(suits, meld.suit) & meld.near
        else:
            held = _column(suits, meld.rank) if some_suit & meld.near else 0
        if held and held & meld.touching:
            found.extend(_adds_to(at, meld, held, _ALONE, two_two_joker))
        if helpers and meld.takes_outside:
            for helper in helpers:
                if helper != meld.suit + _OF_SUIT:
                    found.extend(_adds_to(at, meld, held, helper, two_two_joker))


def _of_suit(suits: Suits, suit: int) -> int:
    spades, hearts, diamonds, clubs, _ = suits
    if suit < 2:
        return hearts if suit else spades
    return clubs if suit == 3 else diamonds


def _adds_to(at: i64, meld: Meld, held: i64, helper: int, two_two_joker: bool) -> _Adds:
    key: i64 = at << _AT_SHIFT | meld.key
    if meld.kind is Kind.SET:
        return _SET_ADDS[helper][key | held]
    near: i64 = (held | held >> 1) & RANK_BITS | held & ANY_TWO
    if near & near - 1:
        near = _within_reach(meld, near)
    return _SEQUENCE_ADDS[two_two_joker][helper][key | near]


def _within_reach(meld: Meld, near: i64) -> i64:
    """Those that come to a sequence from card to card, at most one place between two.

    With a second wild anything may join; and among many cards the order of answers is another.
    """
    twos: i64 = near >> OWN_TWO_SHIFT & 3
    if twos + meld.own_twos > 1 or _IS_MANY[(near & RANK_BITS) % PACKING]:
        return near
    there: i64 = near | meld.row | (near & 1) << SUIT_WIDTH
    reached: i64 = meld.row | near & ANY_TWO
    while True:
        wider: i64 = reached << FIELD | reached >> FIELD
        wider |= reached << 2 * FIELD | reached >> 2 * FIELD
        wider = reached | there & wider
        if wider == reached:
            return near & (reached | reached >> SUIT_WIDTH)
        reached = wider


def _column(suits: Suits, rank: int) -> int:
    """The cards of one rank, as in ``COLUMN_BITS``."""
    spades: i64 = suits[0]
    hearts: i64 = suits[1]
    diamonds: i64 = suits[2]
    clubs: i64 = suits[3]
    shift: i64 = FIELD * rank
    return (
        spades >> shift & 3
        | (hearts >> shift & 3) << 2
        | (diamonds >> shift & 3) << 4
        | (clubs >> shift & 3) << 6
    )


def _ranks_held(suits: Suits, least: int) -> int:
    """The natural ranks of which a hand has at least two or three cards, one bit a rank."""
    first: i64 = suits[0] + suits[1]  # at most 4 in a field
    second: i64 = suits[2] + suits[3]
    cards: i64 = (first & _UP_TO_THREE) + (second & _UP_TO_THREE)  # at most 6
    enough: i64 = cards >> 1 if least == 2 else cards >> 1 & cards
    return (enough | (first | second | cards) >> 2) & RANK_BITS


def _ranks_open(rules: Ruleset, melds: tuple[Meld, ...]) -> int:
    """The ranks of which the rules allow a new set, one bit a rank."""
    allowed = _SLICE_OF_RANKS[rules.set_rank_numbers]
    if rules.second_set_of_rank:
        return allowed
    laid = frozenset([meld.rank for meld in melds if meld.kind is Kind.SET])
    return allowed & ~_SLICE_OF_RANKS[laid]  # E41


def _ranks_in(packed: int) -> tuple[int, ...]:
    mask = rank_mask(unpacked(packed))
    return tuple([rank for rank in range(RANK_COUNT) if mask >> rank & 1])


def _slice_of_ranks(ranks: frozenset[int]) -> int:
    return sum([1 << FIELD * rank for rank in ranks])


_UP_TO_THREE: Final = 3 * ONCE_A_RANK
_RANKS_IN: Final = Shelf(PACKING, _ranks_in)
_SLICE_OF_RANKS: Final = Table(_slice_of_ranks)
# By the wild faces held, one bit each.
_HELPERS_IN: Final = tuple(
    tuple(helper for helper in _HELPERS[1:] if held << 1 >> helper & 1)
    for held in range(1 << len(WILD_FACES))
)


def _sequence_lays(suit: int, helper: int, two_two_joker: bool, own: int) -> _Lays:
    shift, known = SUIT_WIDTH * suit, _LAYS[helper]
    parts = _SEQUENCE_PARTS[two_two_joker][_OUTSIDE[helper]][own]
    return tuple([known[shift, part] for part in parts])


def _set_lays(rank: int, helper: int, column: int) -> _Lays:
    shift, known = FIELD * rank, _LAYS[helper]
    least = 3 if helper == _ALONE else 2  # R26, R29
    return tuple([known[shift, part] for part in _SET_PARTS[least][column]])


def _sequence_adds(helper: int, two_two_joker: bool, key: int) -> _Adds:
    near, shape = key & NEAR_BITS, key >> SHAPE_SHIFT & SHAPE_BITS
    at, shift = key >> _AT_SHIFT, SUIT_WIDTH * (key >> KIN_SHIFT & 3)
    outside, known = _OUTSIDE[helper], _ADDS[helper]
    parts = _SEQUENCE_PARTS[two_two_joker][outside][shape << SHAPE_SHIFT | near]
    return tuple([known[at, shift, part] for part in parts])


def _set_adds(helper: int, key: int) -> _Adds:
    column, shift, at = key & COLUMN_BITS, FIELD * (key >> SHAPE_SHIFT & 15), key >> _AT_SHIFT
    known, parts = _ADDS[helper], _SET_PARTS[1 if helper == _ALONE else 0][column]
    return tuple([known[at, shift, part] for part in parts])


def _in_runs(packed: int) -> int:
    """What can be in a sequence that needs no wild from outside: three in a row, or a bridge."""
    own = unpacked(packed)
    if own & _ONE_TWO:
        return _in_bridges(packed)
    row = row_of(own)
    middle = row & row << FIELD & row >> FIELD
    return _kept(own, middle << FIELD | middle | middle >> FIELD)


def _in_bridges(packed: int) -> int:
    """What can be in a sequence with one wild card: two cards with at most one place between."""
    own = unpacked(packed)
    row = row_of(own)
    return _kept(own, row & (row << FIELD | row >> FIELD | row << 2 * FIELD | row >> 2 * FIELD))


def _kept(own: int, places: int) -> int:
    """What lies at these places, and a two; a long suit stays whole, for the order of answers."""
    if not places or (own & RANK_BITS).bit_count() > _FEW:
        return places and own
    return own & (places | places >> SUIT_WIDTH | _ONE_TWO)


def _sequence_parts(two_two_joker: bool, outside: int, key: int) -> list[int]:
    """Which cards of its suit may join a sequence, or make a new one, beside one from outside."""
    near = key & NEAR_BITS
    ranks, twos, around = made_of(key >> SHAPE_SHIFT)
    most_twos = min(2, twos + (near >> OWN_TWO_SHIFT & 3))
    free = rank_mask(near) & ~ranks
    many = free.bit_count() > _FEW
    parts: list[int] = []
    for new_twos in range(twos, most_twos + 1):
        rows = _ROWS[two_two_joker][new_twos][around or outside]
        for grown in rows.within(ranks, free) if many else rows.subsets(ranks, free):
            part = rank_slice(grown ^ ranks) | (new_twos - twos) << OWN_TWO_SHIFT
            if part or outside != NOTHING:
                parts.append(part)
    return parts


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


# Few cards of a suit can come into a new sequence: asked by those alone, most answers are known.
_IN_RUNS: Final = Shelf(PACKING, _in_runs)
_IN_BRIDGES: Final = Shelf(PACKING, _in_bridges)
# By how many cards at least.
_SET_PARTS: Final = tuple(Shelf(COLUMN_BITS + 1, partial(_set_parts, least)) for least in range(4))
# By two_two_joker (E14), own twos and what is outside.
_ROWS: Final = tuple(
    tuple(
        tuple(
            Rows([ranks for ranks, best in table.items() if best.wilds < 2 or knob])
            for table in tables
        )
        for tables in SEQUENCES
    )
    for knob in (False, True)
)
# By two_two_joker and what joins from outside; alike for every suit.
_SEQUENCE_PARTS: Final = tuple(
    tuple(
        Table(partial(_sequence_parts, knob, outside))
        for outside in (NOTHING, OTHER_TWO, ONE_JOKER)
    )
    for knob in (False, True)
)
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
