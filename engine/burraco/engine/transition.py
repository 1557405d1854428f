"""What an action does to a deal: first what must hold, then the new state.

``apply`` is for actions from outside: it refuses, narrates, and leaves its input alone.
``advance`` is the same step without the questions, for actions taken from ``legal`` (search and
self-play).
"""

from dataclasses import dataclass
from functools import partial
from typing import assert_never

from burraco.engine.actions import Action, Add, Cut, Discard, DrawStock, LayMeld, TakePile
from burraco.engine.cards import EMPTY, ONE, Bag, show_cards, sum_of
from burraco.engine.errors import IllegalAction, Reason
from burraco.engine.events import Event
from burraco.engine.legal import melds_after
from burraco.engine.melds import Kind, Meld
from burraco.engine.narration import narrate
from burraco.engine.nearest import nearest_told
from burraco.engine.refusals import (
    require_discard,
    require_holds,
    require_may_take,
    require_meld,
    require_no_dead_end,
)
from burraco.engine.rules import SIDES, STOCK_FLOOR, PozzettoSeen, StockEnd
from burraco.engine.state import NO_CARD, DealState, End, EndedBy, Phase, left_of
from burraco.engine.turn import barred_after_taking
from burraco.engine.view import view


@dataclass(frozen=True, slots=True)
class Step:
    """A new state and what everybody learns from the way there."""

    state: DealState
    events: tuple[Event, ...]

    def __reduce__(self) -> tuple[type["Step"], tuple[DealState, tuple[Event, ...]]]:
        return Step, (self.state, self.events)


def apply(state: DealState, action: Action) -> Step:
    """Play an action of ``state.turn``, or raise ``IllegalAction`` with nothing changed."""
    require(state, action)
    after = advance(state, action)
    return Step(after, narrate(state, action, after))


def require(state: DealState, action: Action) -> None:
    """Raise ``IllegalAction`` unless the action is legal now."""
    try:
        _require(state, action)
    except IllegalAction as refused:
        # The view alone, so that what is told can be no hidden card.
        seen = view(state, state.turn, 1, ())
        refused.offer(partial(nearest_told, seen, action))
        raise


def _require(state: DealState, action: Action) -> None:
    if state.phase is Phase.OVER:
        raise IllegalAction(Reason.DEAL_OVER, "R55")
    seat = state.turn
    side = state.sides[seat]
    rules, hand, melds = state.rules, state.hands[seat], state.melds[side]
    match action:
        case DrawStock():
            _require_phase(state, Phase.DRAW)
            if not state.stock:
                raise IllegalAction(Reason.STOCK_EMPTY, "R44")
        case TakePile():
            _require_phase(state, Phase.DRAW)
            if not state.pile:
                raise IllegalAction(Reason.PILE_EMPTY, "E3")
            require_may_take(rules, hand, melds, state.taken[side], state.pile)
        case LayMeld():
            _require_phase(state, Phase.PLAY)
            require_holds(hand, action.bag)
            meld = require_meld(rules, action.bag, None)
            _require_first_set(state, meld)
            require_no_dead_end(rules, hand, melds, state.taken[side], state.barred, action)
        case Add():
            _require_phase(state, Phase.PLAY)
            if not 0 <= action.meld < len(melds):
                raise IllegalAction(
                    Reason.NO_SUCH_MELD, "R27", meld=str(action.meld + 1), melds=str(len(melds))
                )
            if not action.cards:
                raise IllegalAction(Reason.NOTHING_ADDED, "E37", meld=str(action.meld + 1))
            require_holds(hand, action.bag)
            base = melds[action.meld]
            require_meld(rules, Bag(base.bag + action.bag), base)
            require_no_dead_end(rules, hand, melds, state.taken[side], state.barred, action)
        case Discard():
            _require_phase(state, Phase.PLAY)
            require_discard(
                rules, hand, melds, state.taken[side], state.barred, state.must_meld, action
            )
        case Cut():
            raise IllegalAction(Reason.CUT_NOT_ASKED, "R19")
        case _:
            assert_never(action)


def _require_phase(state: DealState, phase: Phase) -> None:
    if state.phase is not phase:
        if phase is Phase.DRAW:
            raise IllegalAction(Reason.ALREADY_DRAWN, "E51")
        raise IllegalAction(Reason.MUST_DRAW_FIRST, "R44")


def _require_first_set(state: DealState, meld: Meld) -> None:
    if state.rules.second_set_of_rank or meld.kind is not Kind.SET:
        return
    for at, other in enumerate(state.melds[state.sides[state.turn]]):
        if other.kind is Kind.SET and other.rank == meld.rank:
            cards = show_cards(meld.cards, " ")
            raise IllegalAction(Reason.SECOND_SET_OF_RANK, "E41", cards=cards, meld=str(at + 1))


def advance(state: DealState, action: Action) -> DealState:
    """The state after an action that is known to be legal."""
    after = state.copy()
    carry_out(after, action)
    return after


def carry_out(after: DealState, action: Action) -> None:
    """Play a legal action on a state that nobody else holds; ``advance`` gives it a fresh copy."""
    if isinstance(action, Discard):  # a ``match`` would take longer, compiled
        _discard(after, action)
    elif isinstance(action, DrawStock):
        _draw(after)
    elif isinstance(action, TakePile):
        _take_pile(after)
    else:
        assert not isinstance(action, Cut), "a cut comes before the deal"
        _meld(after, action)


def _draw(after: DealState) -> None:
    seat, card = after.turn, after.stock[0]
    after.hands = _with(after.hands, seat, Bag(after.hands[seat] + ONE[card]))
    after.stock = after.stock[1:]
    after.drawn = card
    after.passive = 0
    after.phase = Phase.PLAY
    if len(after.stock) <= STOCK_FLOOR:
        if after.rules.stock_end is StockEnd.AT_ONCE:  # E1
            _end(after, EndedBy.STOCK, None)
        else:
            after.last_turn = True  # E65


def _take_pile(after: DealState) -> None:
    seat, pile = after.turn, after.pile
    after.barred = barred_after_taking(after.rules, after.hands[seat], pile)
    after.must_meld = after.rules.pile_requires_meld
    after.idle = len(pile) == 1
    if not after.idle:
        after.passive = 0
    after.hands = _with(after.hands, seat, Bag(after.hands[seat] + sum_of(pile)))
    after.pile = ()
    after.phase = Phase.PLAY


def _meld(after: DealState, action: LayMeld | Add) -> None:
    seat, side = after.turn, after.sides[after.turn]
    melds = melds_after(after.melds[side], action)
    after.melds = (*after.melds[:side], melds, *after.melds[side + 1 :])
    after.idle = False
    after.passive = 0
    after.must_meld = False
    left = Bag(after.hands[seat] - action.bag)
    if not left:  # R50: directly, and the turn goes on
        left = _take_pozzetto(after)
    after.hands = _with(after.hands, seat, left)


def _discard(after: DealState, action: Discard) -> None:
    seat, side = after.turn, after.sides[after.turn]
    left = Bag(after.hands[seat] - ONE[action.card])
    after.hands = _with(after.hands, seat, left)
    after.pile += (action.card,)
    after.passive = after.passive + 1 if after.idle else 0
    if not left:
        if after.taken[side]:
            _end(after, EndedBy.CLOSED, seat)
            return
        after.unopened = _with(after.unopened, seat, _take_pozzetto(after))  # R52
    if after.last_turn:
        _end(after, EndedBy.STOCK, None)
    elif after.passive and 0 < after.rules.stalemate_turns <= after.passive:
        _end(after, EndedBy.STALEMATE, None)
    else:
        _pass_turn(after, seat)


def _pass_turn(after: DealState, seat: int) -> None:
    after.turn = left_of(seat, len(after.hands))
    after.phase = Phase.DRAW
    after.drawn = after.barred = NO_CARD
    after.idle = False
    for waiting in after.unopened:
        if waiting:
            _open_those_due(after, seat)
            break


def _open_those_due(after: DealState, discarder: int) -> None:
    """Open what the partner's discard or the own next turn lets its owner see (E55, H11)."""
    if after.rules.pozzetto_seen is PozzettoSeen.PARTNER_DISCARD:
        for seat, side in enumerate(after.sides):
            if side == after.sides[discarder] and seat != discarder:
                _open(after, seat)
    # Who has no partner, or is due before it has discarded, opens now in any case.
    _open(after, after.turn)


def _open(after: DealState, seat: int) -> None:
    opened = after.unopened[seat]
    if opened:
        after.hands = _with(after.hands, seat, Bag(after.hands[seat] + opened))
        after.unopened = _with(after.unopened, seat, EMPTY)


def _take_pozzetto(after: DealState) -> Bag:
    side, pozzetto = after.sides[after.turn], after.pozzetti[0]
    if len(after.pozzetti) < _without_pozzetto(after):
        _pair_against(after, after.turn)
    after.pozzetti = after.pozzetti[1:]
    after.taken = (*after.taken[:side], True, *after.taken[side + 1 :])
    return pozzetto


def _without_pozzetto(after: DealState) -> int:
    """How many sides of one have yet to take a pozzetto, 0 where sides are partnerships."""
    alone = len(set(after.sides)) > SIDES
    return after.taken.count(False) if alone else 0


def _pair_against(after: DealState, lone: int) -> None:
    """Make partners of the other two and join their melds (H6, H7)."""
    first, second = (seat for seat in range(len(after.sides)) if seat != lone)
    after.sides = tuple(first if seat == second else seat for seat in range(len(after.sides)))
    joined = after.melds[first] + after.melds[second]
    apart = {first: joined, second: ()}
    after.melds = tuple(apart.get(side, melds) for side, melds in enumerate(after.melds))


def _end(after: DealState, by: EndedBy, closer: int | None) -> None:
    after.phase = Phase.OVER
    after.end = End(by, closer)


def _with(bags: tuple[Bag, ...], seat: int, new: Bag) -> tuple[Bag, ...]:
    changed = list(bags)
    changed[seat] = new
    return tuple(changed)
