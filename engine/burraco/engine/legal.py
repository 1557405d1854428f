"""Every legal action of the seat to act, each once; never empty while a deal is open."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from burraco.engine.actions import (
    DRAW_STOCK,
    TAKE_PILE,
    Action,
    Add,
    Discard,
    LayMeld,
    OfCards,
)
from burraco.engine.cards import (
    CARDS,
    EMPTY,
    FIELD,
    JOKER,
    ONCE_A_RANK,
    ONE,
    PACKING,
    RANK_COUNT,
    SUITS_COUNT,
    UNKNOWN,
    Bag,
    Suits,
    bag,
    size,
    suits_of,
    unpacked,
)
from burraco.engine.errors import Reason
from burraco.engine.growth import adds_into, helpers_in, lays_into
from burraco.engine.melds import Meld, classify
from burraco.engine.rules import Ruleset
from burraco.engine.scoring import has_closing_burraco
from burraco.engine.state import NO_CARD, DealState, Phase
from burraco.engine.tables import Shelf
from burraco.engine.turn import barred_after_taking

if TYPE_CHECKING:
    from mypy_extensions import i64  # an int that fits a word of the machine, once compiled

_WILDS: Final = frozenset(card for card in CARDS if card.is_wild)
_FACE_OF_ONE: Final = {ONE[face]: face for face in (*CARDS, UNKNOWN)}
_DISCARDS: Final = tuple(Discard(face) for face in range(53))
# With five cards left a discard is always there, since at most four are of the one barred face.
_NEVER_DEAD: Final = 5


def legal(state: DealState) -> list[Action]:
    """Every legal action of ``state.turn``; empty only when the deal is over."""
    if state.phase is Phase.OVER:
        return []
    side = state.sides[state.turn]
    hand, melds, taken = state.hands[state.turn], state.melds[side], state.taken[side]
    if state.phase is Phase.DRAW:
        return legal_draws(state.rules, hand, melds, taken, state.pile, len(state.stock))
    return legal_plays(state.rules, hand, melds, taken, state.barred, state.must_meld)


def legal_draws(
    rules: Ruleset,
    hand: Bag,
    melds: tuple[Meld, ...],
    taken: bool,
    pile: tuple[int, ...],
    stock: int,
) -> list[Action]:
    """The ways to begin a turn (R44); ``stock`` is how many cards it has."""
    draws: list[Action] = [DRAW_STOCK] if stock else []
    if pile and not why_not_take(rules, hand, melds, taken, pile):
        draws.append(TAKE_PILE)
    return draws


def why_not_take(
    rules: Ruleset, hand: Bag, melds: tuple[Meld, ...], taken: bool, pile: tuple[int, ...]
) -> Reason | None:
    """Why the pile may not be taken, or None: the duty of E49, and no turn without an end."""
    barred = barred_after_taking(rules, hand, pile)
    if not rules.pile_requires_meld and barred == NO_CARD:
        return None
    after = Bag(hand + bag(pile))
    plays = legal_plays(rules, after, melds, taken, barred, rules.pile_requires_meld)
    if plays:
        return None
    return Reason.PILE_REQUIRES_MELD if rules.pile_requires_meld else Reason.DEAD_END


def legal_plays(
    rules: Ruleset,
    hand: Bag,
    melds: tuple[Meld, ...],
    taken: bool,
    barred: int,
    must_meld: bool,
) -> list[Action]:
    """Melds, additions and discards of a seat that has drawn.

    ``taken`` says whether the side has its pozzetto, ``barred`` is the face that may not be
    discarded (``NO_CARD`` for none), ``must_meld`` whether a meld is due before the discard.
    """
    suits = suits_of(hand)
    helpers = helpers_in(suits)
    plays: list[Action] = []
    lays_into(plays, suits, helpers, rules, melds)
    adds_into(plays, suits, helpers, rules, melds)
    if plays and (taken or barred != NO_CARD):
        plays = _without_dead_ends(rules, hand, melds, taken, barred, plays)
    if not must_meld:
        _discards_into(plays, suits, rules, hand, melds, taken, barred)
    return plays


def _without_dead_ends(
    rules: Ruleset,
    hand: Bag,
    melds: tuple[Meld, ...],
    taken: bool,
    barred: int,
    plays: list[Action],
) -> list[Action]:
    safe = size(hand) - _NEVER_DEAD
    return [
        action
        for action in plays
        if isinstance(action, OfCards)
        and (len(action.cards) <= safe or not dead_end(rules, hand, melds, taken, barred, action))
    ]


def legal_discards(
    rules: Ruleset,
    hand: Bag,
    melds: tuple[Meld, ...],
    taken: bool,
    barred: int,
    must_meld: bool,
) -> list[Discard]:
    """The discards among ``legal_plays``, found without the melds and additions."""
    found: list[Discard] = []
    if not must_meld:
        _discards_into(found, suits_of(hand), rules, hand, melds, taken, barred)
    return found


def _discards_into(
    found: list[Discard] | list[Action],
    suits: Suits,
    rules: Ruleset,
    hand: Bag,
    melds: tuple[Meld, ...],
    taken: bool,
    barred: int,
) -> None:
    if taken and hand in _FACE_OF_ONE:
        face = _FACE_OF_ONE[hand]
        if face == barred or why_not_close(rules, melds, face):
            return
    spades, hearts, diamonds, clubs, jokers = suits
    _suit_into(found, spades, _DISCARDS_OF[0])
    _suit_into(found, hearts, _DISCARDS_OF[1])
    _suit_into(found, diamonds, _DISCARDS_OF[2])
    _suit_into(found, clubs, _DISCARDS_OF[3])
    if jokers:
        found.append(_DISCARDS[JOKER])
    if barred != NO_CARD and _DISCARDS[barred] in found:
        found.remove(_DISCARDS[barred])


def _suit_into(
    found: list[Discard] | list[Action], own: i64, table: Shelf[tuple[Discard, ...]]
) -> None:
    if own:
        found.extend(table[((own | own >> 1) & ONCE_A_RANK) % PACKING])


def _discards_of(suit: int, packed: int) -> tuple[Discard, ...]:
    first, own = suit * RANK_COUNT, unpacked(packed)
    return tuple([_DISCARDS[first + at] for at in range(RANK_COUNT) if own >> FIELD * at & 1])


_DISCARDS_OF: Final = tuple(
    Shelf(PACKING, partial(_discards_of, suit)) for suit in range(SUITS_COUNT)
)


def why_not_close(rules: Ruleset, melds: tuple[Meld, ...], face: int) -> Reason | None:
    """Why a last card may not close the deal, or None (R55 to R59)."""
    if face in _WILDS:
        return Reason.CLOSE_WITH_WILD  # E8
    if not has_closing_burraco(rules, melds):
        return Reason.CLOSE_NO_BURRACO  # E10
    return None


def dead_end(
    rules: Ruleset,
    hand: Bag,
    melds: tuple[Meld, ...],
    taken: bool,
    barred: int,
    action: LayMeld | Add,
) -> bool:
    """Whether no legal discard would be left after a meld or addition (E11, E61)."""
    left = Bag(hand - action.bag)
    if left == EMPTY:
        return taken
    if barred != NO_CARD and left == ONE[barred] * size(left):
        return True
    face = _FACE_OF_ONE.get(left)
    if face is None or not taken:
        return False
    return why_not_close(rules, melds_after(melds, action), face) is not None


def melds_after(melds: tuple[Meld, ...], action: LayMeld | Add) -> tuple[Meld, ...]:
    """The melds of a side once a legal meld or addition is on the table."""
    if isinstance(action, LayMeld):
        laid = classify(action.bag)
        assert laid is not None
        return (*melds, laid)
    grown = classify(Bag(melds[action.meld].bag + action.bag))
    assert grown is not None
    after = list(melds)
    after[action.meld] = grown
    return tuple(after)
