"""`greedy`: melds whatever it can at once, and takes the pile when that gives it more to meld."""

from burraco.sdk import (
    DRAW_STOCK,
    TAKE_PILE,
    Action,
    Add,
    Bot,
    Card,
    Discard,
    LayMeld,
    Phase,
    View,
    bag,
    classify,
)


class GreedyBot(Bot):
    """Lays the longest melds first, keeps nothing back, and discards its loneliest card."""

    def decide(self, view: View) -> Action:
        """Draw, meld while anything can be melded, then discard."""
        if view.phase is Phase.DRAW:
            return self._draw(view)
        growing = [action for action in view.legal if isinstance(action, LayMeld | Add)]
        if growing:
            return max(growing, key=_worth)
        discards = [action.card for action in view.legal if isinstance(action, Discard)]
        return Discard(min(discards, key=lambda card: (card.is_wild, _company(view, card))))

    def _draw(self, view: View) -> Action:
        if TAKE_PILE not in view.legal:
            return DRAW_STOCK
        if DRAW_STOCK not in view.legal or any(_is_useful(view, card) for card in view.pile):
            return TAKE_PILE
        return DRAW_STOCK


def _worth(action: LayMeld | Add) -> tuple[int, int]:
    """Cards melded, with wild cards the last to go; then their points."""
    wilds = sum(card.is_wild for card in action.cards)
    return len(action.cards) - 3 * wilds, sum(card.points for card in action.cards)


def _is_useful(view: View, card: Card) -> bool:
    """Whether a card of the pile can be melded: on an own meld, or with two cards of the hand."""
    if any(classify(bag((*meld.cards, card))) for meld in view.my_melds):
        return True
    near = [other for other in view.hand if not other.is_wild and _are_near(card, other)]
    return any(
        classify(bag((card, first, second)))
        for at, first in enumerate(near)
        for second in near[at + 1 :]
    )


def _are_near(card: Card, other: Card) -> bool:
    return card.rank == other.rank or (card.suit == other.suit and abs(card.rank - other.rank) <= 2)


def _company(view: View, card: Card) -> tuple[int, int]:
    """How many other cards of the hand could become a meld with this one; dear cards go first."""
    others = list(view.hand)
    others.remove(card)
    near = sum(_are_near(card, other) for other in others if not other.is_wild)
    return near, -card.points
