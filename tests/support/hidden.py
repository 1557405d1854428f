"""Worlds a viewer can not tell apart: everything hidden from it, dealt again at random."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from burraco.engine import Action, Add, Bag, Card, DealState, Discard, LayMeld, View, bag, unpack
from burraco.engine.cards import EMPTY, size
from burraco.engine.rules import POZZETTO_SIZE, PozzettoSeen, Rediscard, pozzetto_sizes
from burraco.engine.state import NO_CARD, left_of


def redealt(
    state: DealState, viewer: int | None, chance: Random, action: Action | None = None
) -> DealState:
    """The state with all that ``viewer`` can not see dealt again, and its next step the same.

    What the step of ``action`` will show to the viewer stays where it is: the cards played, and a
    card drawn or a pozzetto opened by the viewer itself.
    """
    shown = _shown_by(state, viewer, action)
    kept = [_kept(state, at, viewer, shown) for at in range(len(state.hands))]
    pool = _hidden(state, viewer, kept, shown)
    chance.shuffle(pool)
    dealt = iter(pool)
    other = state.copy()
    other.hands = tuple(
        _dealt(kept[at], size(hand) - size(kept[at]), dealt) for at, hand in enumerate(state.hands)
    )
    other.unopened = tuple(
        waiting if shown.opens(at) else _dealt(EMPTY, size(waiting), dealt)
        for at, waiting in enumerate(state.unopened)
    )
    top = state.stock[:1] if shown.draws else ()
    other.stock = (*top, *(next(dealt) for _ in state.stock[len(top) :]))
    fixed = state.pozzetti[:1] if shown.takes_pozzetto else ()
    rest = state.pozzetti[len(fixed) :]
    other.pozzetti = (*fixed, *(_dealt(EMPTY, size(pozzetto), dealt) for pozzetto in rest))
    if viewer != state.turn:
        _change_turn_facts(other, chance)
    return other


def cards_accounted(view: View) -> int:
    """How many cards a view speaks of, seen and unseen ones together: 108 when it is right."""
    laid = sum(meld.size for side in view.melds for meld in side)
    others = sum(view.counts) + view.stock + _in_pozzetti(view)
    return laid + len(view.pile) + others


def _in_pozzetti(view: View) -> int:
    """Cards of the pozzetti on the table; the first of fewer than sides is a larger one (H6)."""
    if not any(view.taken) and view.pozzetti < len(view.taken):
        return sum(pozzetto_sizes(view.rules, ()))
    return POZZETTO_SIZE * view.pozzetti


def _change_turn_facts(other: DealState, chance: Random) -> None:
    """What the seat to act alone knows of its turn: the card it drew, and whether one is barred."""
    if other.drawn != NO_CARD:
        hand = unpack(other.hands[other.turn])
        other.drawn = chance.choice(hand) if hand else NO_CARD
    if other.rules.rediscard_single is Rediscard.UNLESS_TWIN:  # E46: only the owner knows a twin
        other.barred = NO_CARD


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the next step shows to the viewer."""

    played: Bag
    draws: bool
    takes_pozzetto: bool
    opener: int | None

    def opens(self, at: int) -> bool:
        """Whether a seat opens its pozzetto in this step, before the viewer's eyes."""
        return at == self.opener


def _shown_by(state: DealState, viewer: int | None, action: Action | None) -> _Shown:
    if action is None:
        return _Shown(EMPTY, False, False, None)
    own = viewer == state.turn
    if isinstance(action, LayMeld | Add):
        runs_out = action.bag == state.hands[state.turn]
        return _Shown(action.bag, False, own and runs_out, None)
    if isinstance(action, Discard):
        opener = viewer if viewer in _openers(state) else None
        return _Shown(bag([action.card]), False, False, opener)
    return _Shown(EMPTY, own, False, None)


def _openers(state: DealState) -> list[int]:
    """The seats that may see a pozzetto they have once this turn is over (E55, H11)."""
    following = left_of(state.turn, len(state.hands))
    if state.rules.pozzetto_seen is PozzettoSeen.OWN_TURN:
        return [following]
    own = state.sides[state.turn]
    partners = [seat for seat, side in enumerate(state.sides) if side == own]
    return [following, *(seat for seat in partners if seat != state.turn)]


def _kept(state: DealState, at: int, viewer: int | None, shown: _Shown) -> Bag:
    if at == viewer:
        return state.hands[at]
    return shown.played if at == state.turn else EMPTY


def _hidden(state: DealState, viewer: int | None, kept: list[Bag], shown: _Shown) -> list[Card]:
    bags = [
        *(Bag(hand - part) for hand, part in zip(state.hands, kept, strict=True)),
        *(waiting for at, waiting in enumerate(state.unopened) if not shown.opens(at)),
        *state.pozzetti[shown.takes_pozzetto :],
    ]
    return [*(card for one in bags for card in unpack(one)), *state.stock[shown.draws :]]


def _dealt(kept: Bag, number: int, dealt: Iterator[Card]) -> Bag:
    return Bag(kept + bag([next(dealt) for _ in range(number)]))
