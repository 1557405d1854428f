"""What is played for a seat that does not answer: the default action, and a plain greedy policy.

Both are pure functions of the seat's view, so that they can be announced before and checked after.
"""

from burraco.engine.actions import DRAW_STOCK, Action, Add, LayMeld
from burraco.engine.cards import ONE, Bag, Card
from burraco.engine.melds import classify
from burraco.engine.state import Phase
from burraco.engine.view import View


def default_action(view: View) -> Action:
    """The one action played at zero: draw from the stock, or discard the card just drawn.

    Where that discard is not legal, or would give a wild card away, the first legal discard that
    is no wild, then any, then (E49) the first meld or addition that is due.
    """
    if view.phase is Phase.DRAW:
        return DRAW_STOCK if view.stock else view.legal[0]
    discards = view.legal_discards
    plain = [action for action in discards if not action.card.is_wild]
    for action in plain:
        if action.card == view.drawn:
            return action
    return next(iter(plain or discards or view.legal))


def greedy_action(view: View) -> Action:
    """A plain way to play on: lay the longest meld, add what fits, discard the dearest lone card.

    The pile is taken only when a card of it can be melded or added at once.
    """
    if view.phase is Phase.DRAW:
        return _greedy_draw(view)
    growing = [action for action in view.legal if isinstance(action, LayMeld | Add)]
    if growing:
        return max(growing, key=_worth)
    return min(view.legal_discards, key=lambda action: _worth_keeping(view, action.card))


def _greedy_draw(view: View) -> Action:
    takes = [action for action in view.legal if action != DRAW_STOCK]
    if takes and _fits(view):
        return takes[0]
    return view.legal[0]


def _fits(view: View) -> bool:
    """Whether the top of the pile goes onto an own meld as it is."""
    top = view.pile[-1]
    return any(classify(Bag(meld.bag + ONE[top])) is not None for meld in view.my_melds)


def _worth(action: LayMeld | Add) -> tuple[int, int]:
    wilds = sum(card.is_wild for card in action.cards)
    return len(action.cards) - 3 * wilds, -wilds


def _worth_keeping(view: View, card: Card) -> tuple[bool, int, int]:
    """Wild cards last; then how many cards lie near (a pair, or within two steps); dear ones go."""
    near = sum(
        other.rank == card.rank or (other.suit == card.suit and abs(other.rank - card.rank) <= 2)
        for other in view.hand
        if not other.is_wild
    )
    return card.is_wild, near, -card.points
