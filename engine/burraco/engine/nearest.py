"""What would be legal in place of a refused action, from what its seat knows and nothing else."""

from collections.abc import Iterator
from typing import Final

from burraco.engine.actions import Action, Add, Cut, Discard, DrawStock, LayMeld, TakePile
from burraco.engine.cards import EMPTY, KNOWN_BITS, ONE, Bag, Card, count, faces, show_cards, size
from burraco.engine.errors import NOTHING_NEAR, Nearest
from burraco.engine.growth import adds, lays
from burraco.engine.legal import dead_end
from burraco.engine.melds import Meld, classify
from burraco.engine.notation import write_action
from burraco.engine.rules import CUT_LARGEST, Ruleset
from burraco.engine.state import NO_CARD, Phase
from burraco.engine.view import View

_Grown = LayMeld | Add
# Another meld, or a meld in place of an addition, is farther away than any order of the cards, and
# nearer than a card more or less.
_OTHER_PLACE: Final = 1
_OTHER_CARD: Final = 2


def nearest(view: View, action: Action) -> tuple[Action, ...]:
    """Legal actions of the seat to act closest to one that is refused; empty when it has none.

    Before the draw those are the ways to draw. Afterwards it is one action: for a meld or an
    addition the one with the fewest cards more or less, which may take one more card of the hand
    or go to another meld; for anything else a discard, or the smallest meld where one is due.
    """
    if not view.is_my_turn:
        return ()
    if view.phase is Phase.DRAW:
        return view.legal
    if isinstance(action, LayMeld | Add):
        melds = view.my_melds
        near = min(
            _near(view, action), key=lambda grown: _order(grown, action, melds), default=None
        )
        if near is not None:
            return (near,)
    return _any_play(view)


def nearest_told(view: View, action: Action) -> Nearest:
    """``nearest`` as a refusal tells it."""
    actions = nearest(view, action)
    laid = len(view.my_melds)
    return Nearest(
        " ".join(write_action(near, laid, view.pile) for near in actions),
        " or ".join(map(_in_words, actions)),
    )


def nearest_meld(rules: Ruleset, cards: Bag, base: Meld | None) -> Nearest:
    """The closest meld that is made of nothing but the named cards, whoever holds them.

    With ``base``, which is among the cards, the closest addition to it.
    """
    known = Bag(cards & KNOWN_BITS)
    grown: list[LayMeld] | list[Add]
    wanted: _Grown
    if base is None:
        grown, wanted = lays(rules, known, ()), LayMeld(known)
    else:
        rest = Bag(known - base.bag)
        grown, wanted = adds(rules, rest, (base,)), Add(0, rest)
    melds = () if base is None else (base,)
    near = min(grown, key=lambda action: _order(action, wanted, melds), default=None)
    if near is None:
        return NOTHING_NEAR
    return Nearest(write_action(near, 0, ()), _in_words(near))


def nearest_cut(size: int, smallest: int) -> Nearest:
    """The legal cut closest to one of ``size`` cards (R19)."""
    cut = Cut(min(max(size, smallest), CUT_LARGEST))
    return Nearest(write_action(cut, 0, ()), _in_words(cut))


def _near(view: View, action: _Grown) -> Iterator[_Grown]:
    """Legal melds and additions of some named cards and at most one other card of the hand."""
    rules, hand, melds = view.rules, view.hand_bag, view.my_melds
    taken = view.taken[view.side]
    barred = NO_CARD if view.barred is None else int(view.barred)
    named = _common(Bag(action.bag & KNOWN_BITS), hand)
    others = faces(Bag(hand - named & KNOWN_BITS))
    for pool in (named, *(Bag(named + ONE[face]) for face in others)):
        found: list[_Grown] = [*lays(rules, pool, melds), *adds(rules, pool, melds)]
        for grown in found:
            if action.bag and not _common(grown.bag, named):
                continue
            if not dead_end(rules, hand, melds, taken, barred, grown):
                yield grown


def _order(
    grown: _Grown, wanted: _Grown, melds: tuple[Meld, ...]
) -> tuple[int, int, int, tuple[Card, ...]]:
    """How far from what was wanted; then fewer wild cards, then more cards, then by face."""
    shared = size(_common(grown.bag, wanted.bag))
    apart = len(grown.cards) + len(wanted.cards) - 2 * shared
    is_moved = type(grown) is not type(wanted) or (
        isinstance(grown, Add) and isinstance(wanted, Add) and grown.meld != wanted.meld
    )
    meld = classify(Bag(grown.bag + (melds[grown.meld].bag if isinstance(grown, Add) else EMPTY)))
    assert meld is not None
    far = _OTHER_CARD * apart + _OTHER_PLACE * is_moved
    return far, meld.wilds, -len(grown.cards), grown.cards


def _common(first: Bag, second: Bag) -> Bag:
    """The cards that are in both bags."""
    return Bag(
        sum(ONE[face] * min(count(first, face), count(second, face)) for face in faces(first))
    )


def _any_play(view: View) -> tuple[Action, ...]:
    """The cheapest discard that is no wild, any discard, or the smallest meld; empty for none."""
    if view.legal_discards:
        return (min(view.legal_discards, key=_price),)
    grown = [play for play in view.legal if isinstance(play, LayMeld | Add)]
    return (min(grown, key=lambda play: (len(play.cards), play.cards)),) if grown else ()


def _price(discard: Discard) -> tuple[bool, int, int]:
    return discard.card.is_wild, discard.card.points, discard.card


def _in_words(action: Action) -> str:
    match action:
        case DrawStock():
            return "draw from the stock"
        case TakePile():
            return "take the pile"
        case LayMeld():
            return f"lay {show_cards(action.cards, ' ')}"
        case Add():
            return f"add {show_cards(action.cards, ' ')} to meld {action.meld + 1}"
        case Discard():
            return f"discard {action.card}"
        case Cut():
            return f"lift {action.size} cards"
