"""What a legal move does, and what everybody learns from it."""

from tests.reference.cards import Cards, with_more, without
from tests.reference.moves import Move, after_taking, melds_after
from tests.reference.scoring import totals
from tests.reference.table import Table

# What happened, for all; and what single seats learn beside it.
Event = tuple[tuple[object, ...], tuple[tuple[int, Cards], ...]]


def play(table: Table, move: Move) -> tuple[Table, list[Event]]:
    """The table after a legal move, and what happened, in order."""
    kind, number, cards = move
    if kind == "draw":
        return _draw(table)
    if kind == "take":
        after = after_taking(table)
        if len(table.pile) > 1:
            after.passive = 0  # E5
        return after, [(("PileTaken", table.turn, tuple(table.pile)), ())]
    if kind == "discard":
        return _discard(table, cards[0])
    return _meld(table, move, number, cards)


def _draw(table: Table) -> tuple[Table, list[Event]]:
    after, seat = table.copy(), table.turn
    card = after.stock.pop(0)
    after.drew = card
    after.passive = 0  # E5
    after.hands[seat] = with_more(table.hand, (card,))
    events: list[Event] = [(("CardDrawn", seat), ((seat, (card,)),))]
    if len(after.stock) == 2 and table.knobs.stock_end == "at_once":  # R60, E1
        _end(after, "stock", None, events)
    return after, events


def _meld(table: Table, move: Move, number: int, cards: Cards) -> tuple[Table, list[Event]]:
    after, seat, side = table.copy(), table.turn, table.side
    after.melds[side] = melds_after(table, move)
    after.hands[seat] = without(table.hand, cards)
    after.melded = True
    after.passive = 0  # E5
    events: list[Event]
    if move[0] == "lay":
        events = [(("MeldLaid", seat, len(table.own_melds), cards), ())]
    else:
        events = [(("CardsAdded", seat, number, cards), ())]
    if not after.hand:  # R50, R51, E53: at once, and the turn goes on
        after.hands[seat] = _take_pozzetto(after)
        events.append((("PozzettoTaken", seat, True), ((seat, after.hand),)))
        _pair_the_others(after, events)
    return after, events


def _discard(table: Table, card: str) -> tuple[Table, list[Event]]:
    after, seat, side = table.copy(), table.turn, table.side
    after.hands[seat] = without(table.hand, (card,))
    after.pile.append(card)
    after.passive = table.passive + 1 if table.is_passive else 0  # R62
    events: list[Event] = [(("CardDiscarded", seat, card), ())]
    if not after.hands[seat]:
        if table.taken[side]:  # R55
            _end(after, "closed", seat, events)
            return after, events
        after.unopened[seat] = _take_pozzetto(after)  # R52, E54
        events.append((("PozzettoTaken", seat, False), ()))
        _pair_the_others(after, events)
    if table.is_last_turn:  # E65
        _end(after, "stock", None, events)
    elif 0 < table.knobs.stalemate_turns <= after.passive:  # R63
        _end(after, "stalemate", None, events)
    else:
        _next_turn(after, events)
    return after, events


def _take_pozzetto(after: Table) -> Cards:
    """R48, R49: the first that is left; the side gets no other (E58)."""
    after.taken[after.side] = True
    return after.pozzetti.pop(0)


def _pair_the_others(after: Table, events: list[Event]) -> None:
    """H6, H7: pozzetto 1 was taken, and there are too few for everybody to play alone."""
    dealt = len(after.pozzetti) + sum(after.taken)
    if dealt >= len(set(after.sides)):
        return
    lone = after.turn
    first, other = [seat for seat in range(len(after.sides)) if seat != lone]
    pair, free = after.sides[first], after.sides[other]
    after.sides[other] = pair
    after.melds[pair] += after.melds[free]
    after.melds[free] = []
    events.append((("PairMade", lone), ()))


def _next_turn(after: Table, events: list[Event]) -> None:
    discarder = after.turn
    after.turn = after.left_of(discarder)  # R42
    after.drew, after.took, after.held_twin, after.melded = None, [], False, False
    for owner, opened in enumerate(after.unopened):
        if opened and _may_see(after, owner, discarder):
            after.hands[owner] = with_more(after.hands[owner], opened)
            after.unopened[owner] = ()
            events.append((("PozzettoOpened", owner), ((owner, opened),)))


def _may_see(after: Table, owner: int, discarder: int) -> bool:
    """E55, H11: the owner's turn begins, or the owner's partner has discarded."""
    if after.turn == owner:
        return True
    when_partner = after.knobs.pozzetto_seen == "partner_discard"
    return when_partner and after.are_partners(owner, discarder)


def _end(after: Table, how: str, closer: int | None, events: list[Event]) -> None:
    after.end = (how, closer)
    events.append((("DealEnded", how, closer, totals(after)), ()))
