"""Points of a deal (rules §7)."""

from typing import NamedTuple

from tests.reference.cards import value
from tests.reference.melds import bonus
from tests.reference.table import Table


class Points(NamedTuple):
    """One side's points by part; what counts against it is below zero."""

    melds: int
    hands: int
    burrachi: int
    closing: int
    pozzetto: int


def points(table: Table, side: int) -> Points:
    """R64 to R70, as the cards lie now."""
    knobs = table.knobs
    own_seats = (side, side + 2)
    held = sum(value(table.hands[seat]) + value(table.unopened[seat]) for seat in own_seats)  # E56
    closed = table.end is not None and table.end[1] in own_seats  # E4
    waived = knobs.no_pozzetto_waived_if_none and not any(table.taken)  # E60
    return Points(
        melds=sum(map(value, table.melds[side])),
        hands=-held,
        burrachi=sum(bonus(knobs, cards) for cards in table.melds[side]),
        closing=knobs.closing_bonus if closed else 0,
        pozzetto=0 if table.taken[side] or waived else -knobs.no_pozzetto_penalty,
    )


def totals(table: Table) -> tuple[int, int]:
    """Points of the deal for NS and EW."""
    return sum(points(table, 0)), sum(points(table, 1))
