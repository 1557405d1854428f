"""What the reference says of cards, as tests/cases writes it."""

from tests.reference.cards import Cards, in_order, value
from tests.reference.knobs import Knobs
from tests.reference.melds import bonus, grade, meld_of


def verdict(knobs: Knobs, cards: Cards) -> str:
    """Kind, class, grade of the burraco, points and bonus; ``refused`` for no meld."""
    whole = in_order(cards)
    reading = meld_of(knobs, whole)
    if reading is None:
        return "refused"
    named = "dirty" if reading.wilds else "clean"
    points = f"{value(whole)} {bonus(knobs, whole)}"
    return f"{reading.kind} {named} {grade(knobs, whole)} {points}"
