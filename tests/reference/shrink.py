"""Making the scene of a disagreement small: without its history, then without most of its cards."""

from collections.abc import Iterator

from burraco.engine import DealState, Ruleset, Unreadable
from burraco.engine.bgn import parse, write_scene
from burraco.engine.bgn_scene import read_scene
from tests.reference.adapter import state_of, table_of
from tests.reference.cards import Cards
from tests.reference.differential import Disagreement, compare_position
from tests.reference.knobs import Knobs
from tests.reference.melds import meld_of
from tests.reference.moves import Move
from tests.reference.table import Table

# A stock that a draw does not end, and a pile that can be taken.
_SMALLEST_STOCK = 4


def shrunk(found: Disagreement, knobs: Knobs) -> Disagreement | None:
    """The same disagreement in a small scene; None when the scene alone does not show it."""
    move = found.move if found.about == "refusal" else None
    smallest = _in_scene(found.state, knobs, move)
    if smallest is None:
        return None
    progress = True
    while progress:
        progress = False
        for table in _smaller(table_of(smallest.state, knobs)):
            again = _disagreement(table, smallest.state.rules, knobs, move)
            if again is not None and again.about == smallest.about:
                smallest, progress = again, True
                break
    return smallest


def _disagreement(
    table: Table, rules: Ruleset, knobs: Knobs, move: Move | None
) -> Disagreement | None:
    try:
        return _in_scene(state_of(table, rules), knobs, move)
    except Unreadable:
        return None


def _in_scene(state: DealState, knobs: Knobs, move: Move | None) -> Disagreement | None:
    """What the state disagrees about once it has been written down and read again."""
    (block,) = parse(write_scene(state, {}))
    try:
        compare_position(read_scene(block), knobs, move)
    except Disagreement as found:
        return found
    return None


def _smaller(table: Table) -> Iterator[Table]:
    """Tables with something less, large things first."""
    if len(table.stock) > _SMALLEST_STOCK:
        yield _with_stock(table, _SMALLEST_STOCK)
    if table.passive:
        after = table.copy()
        after.passive = 0
        yield after
    yield from _without_melds(table)
    seats = range(len(table.sides))
    for seat in seats:
        if table.hands[seat] and seat != table.turn:
            yield _with_hand(table, seat, ())
    for seat in seats:
        least = 1 if seat == table.turn else 0
        for at in range(len(table.hands[seat]) if len(table.hands[seat]) > least else 0):
            yield _with_hand(table, seat, table.hands[seat][:at] + table.hands[seat][at + 1 :])
    for at in range(len(table.pile) if len(table.pile) > 1 else 0):
        after = table.copy()
        del after.pile[at]
        yield after
    yield from _with_shorter_melds(table)


def _with_stock(table: Table, number: int) -> Table:
    after = table.copy()
    del after.stock[number:]
    return after


def _without_melds(table: Table) -> Iterator[Table]:
    for side in range(len(table.melds)):
        for number in range(len(table.melds[side])):
            after = table.copy()
            del after.melds[side][number]
            yield after


def _with_hand(table: Table, seat: int, hand: Cards) -> Table:
    after = table.copy()
    after.hands[seat] = hand
    return after


def _with_shorter_melds(table: Table) -> Iterator[Table]:
    for side, melds in enumerate(table.melds):
        for number, cards in enumerate(melds):
            for at in range(len(cards)):
                shorter = cards[:at] + cards[at + 1 :]
                if meld_of(table.knobs, shorter) is not None:
                    after = table.copy()
                    after.melds[side][number] = shorter
                    yield after
