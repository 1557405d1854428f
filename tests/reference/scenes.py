"""Random scenes: deals in the middle, made to stand close to a closing, a dead end or the end."""

from random import Random

from tests.reference.cards import PACK, Cards, holds, in_order, without
from tests.reference.knobs import Knobs
from tests.reference.melds import BOOK, has_set_of, meld_of
from tests.reference.table import SIDES, Table

_PAGES = list(BOOK)
_TRIES = 12
# H6: pozzetto 1, where somebody is to play alone.
_LONE_SIZE = 18


def random_scene(knobs: Knobs, chance: Random) -> Table:
    """A table at the beginning of a turn, or after its draw; not all cards need be there."""
    rest = list(PACK)
    chance.shuffle(rest)
    dealt = SIDES[knobs.players]
    pozzetti = [_deal(rest, size) for size in _sizes_of_pozzetti(knobs, chance)]
    taken = [chance.random() < 0.7 for _ in set(dealt)]
    sides = list(dealt)
    if len(pozzetti) < len(taken):
        sides, taken = _paired(sides, any(taken), chance)
    melds = [_lay_some(knobs, rest, chance) if side in sides else [] for side in range(len(taken))]
    stock = [rest.pop() for _ in range(chance.choice([3, 4, 5, 8, 12]))]
    pile = [rest.pop() for _ in range(chance.choice([1, 1, 1, 2, 5, 9]))]
    hands = [_deal(rest, number) for number in _sizes(len(rest), len(sides), chance)]
    table = Table(
        knobs=knobs,
        dealer=chance.randrange(len(sides)),
        turn=chance.randrange(len(sides)),
        sides=sides,
        hands=hands,
        melds=melds,
        pile=pile,
        stock=stock,
        pozzetti=pozzetti[sum(taken) :],
        taken=taken,
        unopened=[()] * len(sides),
        passive=chance.choice([0, 0, 0, 1, 6, 7]),
    )
    for pozzetto in pozzetti[: sum(taken)]:
        if chance.random() < 0.2:
            _put_back(table, pozzetto, chance)
    if table.hand and chance.random() < 0.3:
        table.drew = chance.choice(table.hand)
        table.passive = 0
    return table


def _sizes_of_pozzetti(knobs: Knobs, chance: Random) -> tuple[int, ...]:
    if knobs.players != 3:
        return 11, 11
    return chance.choice([(_LONE_SIZE, 11), (_LONE_SIZE, 11), (11, 11, 11)])


def _paired(sides: list[int], is_paired: bool, chance: Random) -> tuple[list[int], list[bool]]:
    """Three before or after somebody took pozzetto 1 (H6): the sides, and which have one."""
    taken = [False for _ in sides]
    if not is_paired:
        return sides, taken
    lone = chance.randrange(3)
    pair = min(side for side in sides if side != lone)
    taken[lone] = True
    taken[pair] = chance.random() < 0.7
    return [lone if side == lone else pair for side in sides], taken


def _deal(rest: list[str], number: int) -> Cards:
    return in_order(rest.pop() for _ in range(min(number, len(rest))))


def _sizes(rest: int, seats: int, chance: Random) -> list[int]:
    """Cards in the hands, none empty: a few, the usual number, or one that took large piles."""
    kind = chance.random()
    if 0.5 <= kind < 0.9 and rest > 32:
        return [chance.randrange(1, 9) for _ in range(seats)]
    sizes = [chance.randrange(1, 5) for _ in range(seats)]
    if kind >= 0.9:
        sizes[chance.randrange(seats)] = min(chance.randrange(16, 36), rest - 12)
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
    """Let a seat that has just discarded its last card hold an unopened pozzetto (E55, H11)."""
    seats = len(table.sides)
    owner = (table.turn - chance.randrange(1, seats)) % seats
    since = [(owner + turns) % seats for turns in range(1, (table.turn - owner) % seats)]
    partner_was_there = any(table.are_partners(owner, seat) for seat in since)
    if table.knobs.pozzetto_seen == "partner_discard" and partner_was_there:
        return
    own_side = table.of_side(table.sides[owner])
    if any(table.unopened[seat] for seat in own_side) or not table.taken[table.sides[owner]]:
        return
    if len(pozzetto) == _LONE_SIZE and len(own_side) > 1:
        return
    if len(pozzetto) != _LONE_SIZE and table.is_pair_made and len(own_side) == 1:
        return
    table.hands[owner] = ()
    table.unopened[owner] = pozzetto
