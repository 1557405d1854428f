"""Where the cards of a deal are, for tests that count them."""

from burraco.engine.cards import size
from burraco.engine.state import DealState
from burraco.engine.view import View


def cards_in_play(state: DealState) -> int:
    """How many cards the deal has over all places, 108 for a whole one (R3)."""
    laid = sum(meld.size for side in state.melds for meld in side)
    hands = sum(map(state.hand_size, range(len(state.hands))))
    return laid + hands + len(state.pile) + len(state.stock) + sum(map(size, state.pozzetti))


def points_on_table(view: View) -> tuple[int, ...]:
    """Cards and burraco bonuses on the table by side, what lies in hands left out."""
    return tuple(
        sum(meld.points + meld.bonus(view.rules) for meld in melds) for melds in view.melds
    )
