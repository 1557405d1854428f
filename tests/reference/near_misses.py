"""Moves that look like legal ones and mostly are none."""

from random import Random

from tests.reference.cards import FACES, Cards
from tests.reference.melds import grown_melds, new_melds
from tests.reference.moves import DRAW, TAKE, Move, add, discard, lay
from tests.reference.table import Table

_HOW_OFTEN_ANOTHER_DRAW = 0.1
# As many as there are cards where closings are near.
_DISCARDS = 3


def near_misses(table: Table, moves: list[Move], chance: Random) -> list[Move]:
    """Moves that are not legal, each once.

    A discard, a new meld and an addition; a legal one changed by a card; what is refused
    for more than its cards; a draw.
    """
    legal = set(moves)
    found = _tries(table, moves, chance)
    if not table.has_drawn:  # the draw comes first whatever follows (R44)
        found = [DRAW, TAKE, chance.choice(found)]
    else:
        found += _melds_but_refused(table, legal, chance)
        if chance.random() < _HOW_OFTEN_ANOTHER_DRAW:
            found.append(chance.choice([DRAW, TAKE]))
    return [move for move in dict.fromkeys(found) if move not in legal]


def _tries(table: Table, moves: list[Move], chance: Random) -> list[Move]:
    number = len(table.own_melds)
    some = _some(table.hand, chance)
    found = [
        discard(chance.choice(FACES)),
        *map(discard, chance.sample(table.hand, min(_DISCARDS, len(table.hand)))),
        lay(some),
        add(chance.randrange(-1, number + 1), some[: chance.randrange(4)]),
    ]
    growing = [move for move in moves if move[0] in ("lay", "add")]
    if growing:
        found.append(_changed(chance.choice(growing), table.hand, chance))
    return found


def _melds_but_refused(table: Table, legal: set[Move], chance: Random) -> list[Move]:
    """Melds of some rules, but not of these, or not now: dead ends, second sets, two wilds."""
    laid: list[Move] = [("lay", -1, cards) for cards, _ in new_melds(table.hand)]
    grown: list[Move] = [
        ("add", number, cards)
        for number, base in enumerate(table.own_melds)
        for cards, _ in grown_melds(base, table.hand)
    ]
    refused = [move for move in laid + grown if move not in legal]
    return chance.sample(refused, min(3, len(refused)))


def _some(hand: Cards, chance: Random) -> Cards:
    """Some cards of the hand that are near to each other, or the whole of a small hand."""
    if len(hand) <= 4 and chance.random() < 0.5:
        return hand
    of = chance.choice(hand)[chance.randrange(2)] if hand else ""
    like = [card for card in hand if of in card or card[0] == "2" or card == "Jk"]
    return tuple(chance.sample(like, min(len(like), chance.randrange(1, 8))))


def _changed(move: Move, hand: Cards, chance: Random) -> Move:
    """A card less, a card more, or another card."""
    kind, number, cards = move
    left = list(hand)
    for card in cards:
        left.remove(card)
    changed = list(cards)
    if chance.random() < 0.6:
        changed.pop(chance.randrange(len(changed)))
    if left and chance.random() < 0.7:
        changed.append(chance.choice(left))
    other = chance.choice(FACES)
    if chance.random() < 0.1 and other not in changed:
        changed.append(other)
    return lay(tuple(changed)) if kind == "lay" else add(number, tuple(changed))
