"""Random scenes: deals in the middle, made to stand close to a closing, a dead end or the end."""

from random import Random

from tests.reference.cards import PACK, Cards, holds, in_order, without
from tests.reference.knobs import Knobs
from tests.reference.melds import BOOK, has_set_of, meld_of
from tests.reference.table import Table

_PAGES = list(BOOK)
_TRIES = 12


def random_scene(knobs: Knobs, chance: Random) -> Table:
    """A table at the beginning of a turn, or after its draw; not all cards need be there."""
    rest = list(PACK)
    chance.shuffle(rest)
    turn = chance.randrange(4)
    pozzetti = [_deal(rest, 11), _deal(rest, 11)]
    taken = [chance.random() < 0.7, chance.random() < 0.7]
    melds = [_lay_some(knobs, rest, chance), _lay_some(knobs, rest, chance)]
    stock = [rest.pop() for _ in range(chance.choice([3, 4, 5, 8, 12]))]
    pile = [rest.pop() for _ in range(chance.choice([1, 1, 1, 2, 5, 9]))]
    hands = [_deal(rest, number) for number in _sizes(len(rest), chance)]
    table = Table(
        knobs=knobs,
        dealer=chance.randrange(4),
        turn=turn,
        hands=hands,
        melds=melds,
        pile=pile,
        stock=stock,
        pozzetti=pozzetti[sum(taken) :],
        taken=taken,
        passive=chance.choice([0, 0, 0, 1, 6, 7]),
    )
    if taken[0] and chance.random() < 0.2:
        _put_back(table, pozzetti[0], chance)
    if table.hand and chance.random() < 0.3:
        table.drew = chance.choice(table.hand)
        table.passive = 0
    return table


def _deal(rest: list[str], number: int) -> Cards:
    return in_order(rest.pop() for _ in range(min(number, len(rest))))


def _sizes(rest: int, chance: Random) -> list[int]:
    """Cards in the hands, none empty: a few, the usual number, or one that took large piles."""
    kind = chance.random()
    if 0.5 <= kind < 0.9 and rest > 32:
        return [chance.randrange(1, 9) for _ in range(4)]
    sizes = [chance.randrange(1, 5) for _ in range(4)]
    if kind >= 0.9:
        sizes[chance.randrange(4)] = min(chance.randrange(16, 36), rest - 12)
    return sizes


def _lay_some(knobs: Knobs, rest: list[str], chance: Random) -> list[Cards]:
    """Melds that the rules have and the rest of the pack allows."""
    laid: list[Cards] = []
    for _ in range(chance.randrange(_TRIES)):
        cards = chance.choice(_PAGES)
        reading = meld_of(knobs, cards)
        if reading is None or not holds(tuple(rest), cards) or len(cards) > 9 + chance.randrange(5):
            continue
        if reading.kind == "set" and not knobs.second_set_of_rank and has_set_of(reading.of, laid):
            continue
        if len(rest) - len(cards) < 40:
            break
        rest[:] = without(tuple(rest), cards)
        laid.append(cards)
    return laid


def _put_back(table: Table, pozzetto: Cards, chance: Random) -> None:
    """Let a seat that has just discarded its last card hold an unopened pozzetto (E55)."""
    before = [1, 2] if table.knobs.pozzetto_seen == "partner_discard" else [1, 2, 3]
    owner = (table.turn - chance.choice(before)) % 4
    if table.taken[owner % 2]:
        table.hands[owner] = ()
        table.unopened[owner] = pozzetto
