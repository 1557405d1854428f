"""Points of a deal (rules §7)."""

import math
from typing import NamedTuple

from tests.reference.cards import value
from tests.reference.melds import bonus
from tests.reference.table import SIDES, Table


class Points(NamedTuple):
    """One side's points by part; what counts against it is below zero."""

    melds: int
    hands: int
    burrachi: int
    closing: int
    pozzetto: int


def points(table: Table, side: int) -> Points:
    """R64 to R70, as the cards and the sides lie now."""
    knobs = table.knobs
    own_seats = table.of_side(side)
    if not own_seats:  # H7
        return Points(0, 0, 0, 0, 0)
    held = sum(value(table.hands[seat]) + value(table.unopened[seat]) for seat in own_seats)  # E56
    closed = table.end is not None and table.end[1] in own_seats  # E4
    waived = knobs.no_pozzetto_waived_if_none and not any(table.taken)  # E60, H14
    return Points(
        melds=sum(map(value, table.melds[side])),
        hands=-held,
        burrachi=sum(bonus(knobs, cards) for cards in table.melds[side]),
        closing=knobs.closing_bonus if closed else 0,
        pozzetto=0 if table.taken[side] or waived else -knobs.no_pozzetto_penalty,
    )


def totals(table: Table) -> tuple[int, ...]:
    """Points of the deal for each side as dealt (H12, H13)."""
    dealt = SIDES[len(table.sides)]
    counted = []
    for side in sorted(set(dealt)):
        now = table.sides[dealt.index(side)]
        whole = sum(points(table, now))
        is_half_of_it = len(table.of_side(now)) > dealt.count(side)
        counted.append(halved(whole) if is_half_of_it else whole)
    return tuple(counted)


def halved(whole: int) -> int:
    """Half, rounded towards plus to a multiple of 5 (H13)."""
    return 5 * math.ceil(whole / 2 / 5)
