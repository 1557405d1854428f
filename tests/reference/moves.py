"""What a seat may do: everything that stands against a move, and all moves nothing stands against.

A move is its kind, the number of the meld it adds to (from 0; -1 otherwise) and its cards.
"""

from collections.abc import Iterator

from tests.reference.cards import Cards, different, holds, in_order, is_wild, with_more, without
from tests.reference.melds import (
    BOOK,
    can_join,
    grade,
    grown_melds,
    has_set_of,
    is_burraco,
    is_known,
    meld_of,
    new_melds,
)
from tests.reference.table import Table

Move = tuple[str, int, Cards]

DRAW: Move = ("draw", -1, ())
TAKE: Move = ("take", -1, ())

# No face is there more often (R3): of five cards, two differ.
_MOST_COPIES = 4


def lay(cards: Cards) -> Move:
    """Lay a new meld."""
    return ("lay", -1, in_order(cards))


def add(number: int, cards: Cards) -> Move:
    """Add to a meld of the own side."""
    return ("add", number, in_order(cards))


def discard(card: str) -> Move:
    """Discard and end the turn."""
    return ("discard", -1, (card,))


def legal_moves(table: Table) -> list[Move]:
    """Every legal move of the seat to act, each once."""
    return list(_legal(table))


def _legal(table: Table) -> Iterator[Move]:
    if table.end is not None:
        return
    if not table.has_drawn:
        yield from (move for move in (DRAW, TAKE) if not faults(table, move))
        return
    yield from _legal_discards(table)
    yield from _legal_growth(table)


def _legal_discards(table: Table) -> Iterator[Move]:
    for card in different(table.hand):
        if not _faults_of_discard(table, card):
            yield discard(card)


def _legal_growth(table: Table) -> Iterator[Move]:
    """R45: the new melds and additions."""
    for cards, reading in new_melds(table.hand):
        if is_known(reading, table.knobs) and not _is_second_set(table, cards):
            move = lay(cards)
            if not leads_nowhere(table, move):
                yield move
    for number, base in enumerate(table.own_melds):
        for cards, reading in grown_melds(base, table.hand):
            if is_known(reading, table.knobs):
                move = add(number, cards)
                if not leads_nowhere(table, move):
                    yield move


def faults(table: Table, move: Move) -> set[str]:
    """Everything that is wrong with a move; nothing when it is legal."""
    kind, number, cards = move
    if table.end is not None:
        return {"deal over"}
    if kind in ("draw", "take"):
        return _faults_of_drawing(table, kind)
    found = set() if table.has_drawn else {"not drawn yet"}  # R44
    if not holds(table.hand, cards):
        found.add("not in hand")
    if kind == "discard":
        return found | _faults_of_discard(table, cards[0])
    found |= _faults_of_lay(table, cards) if kind == "lay" else _faults_of_add(table, number, cards)
    # Where a move leads is only a question when it can be made at all.
    if not found and leads_nowhere(table, move):
        return {"dead end"}
    return found


def _faults_of_drawing(table: Table, kind: str) -> set[str]:
    """R44, E49, E51."""
    if table.has_drawn:
        return {"drawn already"}
    if kind == "draw":
        return set() if table.stock else {"no stock"}
    if not table.pile:  # E3
        return {"no pile"}
    taking = after_taking(table)
    if table.knobs.pile_requires_meld:
        return set() if any(_legal_growth(taking)) else {"nothing to meld"}
    # E61: the card just taken may be all there is, and may not be discarded.
    return set() if any(_legal(taking)) else {"dead end"}


def after_taking(table: Table) -> Table:
    """The table once the pile is taken, as if that were legal (E48)."""
    after = table.copy()
    after.took = list(table.pile)
    after.held_twin = len(table.pile) == 1 and table.pile[0] in table.hand
    after.hands[table.turn] = with_more(table.hand, tuple(table.pile))
    after.pile = []
    return after


def _faults_of_lay(table: Table, cards: Cards) -> set[str]:
    found = _faults_of_meld(table, cards)
    if not found and _is_second_set(table, cards):
        found.add("second set")
    return found


def _is_second_set(table: Table, cards: Cards) -> bool:
    """E41."""
    if table.knobs.second_set_of_rank or BOOK[cards].kind != "set":
        return False
    return has_set_of(BOOK[cards].of, table.own_melds)


def _faults_of_add(table: Table, number: int, cards: Cards) -> set[str]:
    if not 0 <= number < len(table.own_melds):  # R27, E42
        return {"no such meld"}
    if not cards:  # E37
        return {"nothing added"}
    if can_join(table.knobs, table.own_melds[number], cards):
        return set()
    return _faults_of_meld(table, with_more(table.own_melds[number], cards))


def _faults_of_meld(table: Table, cards: Cards) -> set[str]:
    """Why cards are no meld under the rules: in no book, or in another preset's only."""
    if meld_of(table.knobs, cards) is not None:
        return set()
    found = set()
    if len(cards) < 3:  # R26
        found.add("too few")
    ranks = {card[0] for card in cards if not is_wild(card)}
    if len(ranks) == 1 and not ranks <= set(table.knobs.set_ranks):  # R28, whatever else
        found.add("set of a barred rank")
    if cards not in BOOK:
        found.add("no meld")
    elif BOOK[cards].kind == "sequence":  # E14
        found.add("two wilds")
    return found


def _faults_of_discard(table: Table, card: str) -> set[str]:
    """R46, R47, R55 to R59."""
    found = {"must meld"} if table.must_meld else set()  # E49
    found |= what_bars(table, table.hand, table.own_melds, card)
    return found


def what_bars(table: Table, hand: Cards, melds: list[Cards], card: str) -> set[str]:
    """What stands against discarding a card from this hand, with these melds on the table."""
    found = {"rediscard"} if card == table.barred else set()  # E46
    if len(hand) > 1 or not table.taken[table.side]:  # R52: the last card brings the pozzetto
        return found
    if is_wild(card):  # E8
        found.add("close with wild")
    if not any(lets_close(table, cards) for cards in melds):  # E10
        found.add("close without burraco")
    return found


def lets_close(table: Table, cards: Cards) -> bool:
    """R55 to R59: a burraco, which some rules want clean."""
    if table.knobs.close_needs == "clean":
        return grade(table.knobs, cards) == "clean"
    return is_burraco(cards)


def leads_nowhere(table: Table, move: Move) -> bool:
    """E11: after this meld or addition no discard would be left."""
    if len(table.hand) - len(move[2]) > _MOST_COPIES:
        return False
    hand = without(table.hand, move[2])
    if not hand:  # E9, or R50 where the pozzetto is still to come
        return table.taken[table.side]
    melds = melds_after(table, move)
    return all(what_bars(table, hand, melds, card) for card in hand)


def melds_after(table: Table, move: Move) -> list[Cards]:
    """The melds of the side to act once the cards of the move lie there."""
    kind, number, cards = move
    melds = list(table.own_melds)
    if kind == "lay":
        melds.append(cards)
    else:
        melds[number] = with_more(melds[number], cards)
    return melds
