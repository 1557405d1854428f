"""The shuffle of the engine, and shuffles that are wrong on purpose.

Each is a stream of deals, a pack and its cut. The wrong ones are mistakes that programs have been
made with; their chance comes from ``random``, which has nothing to do with how the engine deals.
"""

import random
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from burraco.engine import Seed, shuffled
from burraco.engine.cards import JOKER, PACK, PACK_SIZE

Deal = tuple[bytes, int]
Deals = Iterator[Deal]

_PLACES: Final = range(PACK_SIZE)
_IN_ORDER: Final = bytes(PACK)
_FAIR_PLACES: Final = [(last, last + 1) for last in range(PACK_SIZE - 1, 0, -1)]


def ours(secret: bytes) -> Deals:
    """``burraco-deal-v1``, deal after deal of one seed."""
    seed, number = Seed(secret, b""), 0
    while True:
        number += 1
        pack, cut = shuffled(seed, number)
        yield bytes(pack), cut


def _cut(chance: random.Random) -> int:
    return 22 + int(chance.random() * 42)


def _fair(chance: random.Random) -> bytes:
    pack = bytearray(_IN_ORDER)
    for last, limit in _FAIR_PLACES:
        other = int(chance.random() * limit)
        pack[last], pack[other] = pack[other], pack[last]
    return bytes(pack)


def _each(pack_of: Callable[[random.Random], bytes]) -> Callable[[random.Random], Deals]:
    def deals(chance: random.Random) -> Deals:
        while True:
            yield pack_of(chance), _cut(chance)

    return deals


def _swaps(places: list[tuple[int, int]]) -> Callable[[random.Random], Deals]:
    """Swaps of a place and one below a limit."""

    def pack_of(chance: random.Random) -> bytes:
        pack = bytearray(_IN_ORDER)
        for place, limit in places:
            other = int(chance.random() * limit)
            pack[place], pack[other] = pack[other], pack[place]
        return bytes(pack)

    return _each(pack_of)


def _byte_words(chance: random.Random) -> bytes:
    """Words of eight bits, taken modulo the limit."""
    pack = bytearray(_IN_ORDER)
    words = chance.randbytes(PACK_SIZE)
    for last, limit in _FAIR_PLACES:
        other = words[last] % limit
        pack[last], pack[other] = pack[other], pack[last]
    return bytes(pack)


def _riffle(chance: random.Random) -> bytes:
    """One riffle: two halves fall together, each keeping its order."""
    bits = [chance.random() < 0.5 for _ in _PLACES]
    left, right = iter(_IN_ORDER[: bits.count(True)]), iter(_IN_ORDER[bits.count(True) :])
    return bytes(next(left if bit else right) for bit in bits)


def _top_stays(chance: random.Random) -> bytes:
    pack = list(_IN_ORDER[1:])
    chance.shuffle(pack)
    return bytes([_IN_ORDER[0], *pack])


def _jokers_low(chance: random.Random) -> bytes:
    """Jokers only in the lower half: each one above changes places with a card below."""
    pack = bytearray(_fair(chance))
    half = PACK_SIZE // 2
    for place in range(half):
        while pack[place] == JOKER:
            other = half + int(chance.random() * half)
            pack[place], pack[other] = pack[other], pack[place]
    return bytes(pack)


def _quarters(chance: random.Random) -> bytes:
    """Every seat's part of the pack shuffled by itself."""
    parts = [list(_IN_ORDER[at : at + 27]) for at in range(0, PACK_SIZE, 27)]
    for part in parts:
        chance.shuffle(part)
    return b"".join(map(bytes, parts))


def _sorted_by_keys(chance: random.Random) -> bytes:
    """A stable sort by random keys of eight bits: equal keys leave cards in order."""
    keys = chance.randbytes(PACK_SIZE)
    return bytes(_IN_ORDER[place] for place in sorted(_PLACES, key=keys.__getitem__))


def _small_seeds(chance: random.Random) -> Deals:
    """A good shuffle from seeds of 16 bits."""
    while True:
        again = random.Random(chance.getrandbits(16))
        yield _fair(again), _cut(again)


def _from_the_last(chance: random.Random) -> Deals:
    """The pack of the deal before with 54 swaps, not enough to forget it."""
    pack = bytearray(_fair(chance))
    while True:
        for _ in range(54):
            one, other = int(chance.random() * PACK_SIZE), int(chance.random() * PACK_SIZE)
            pack[one], pack[other] = pack[other], pack[one]
        yield bytes(pack), _cut(chance)


def _cut_in_the_middle(chance: random.Random) -> Deals:
    """Cuts as people make them, seldom near an end."""
    while True:
        yield _fair(chance), 22 + int((chance.random() + chance.random()) * 21)


def _cut_by_the_pack(chance: random.Random) -> Deals:
    """The cut made from the word that chose the last card of the pack."""
    while True:
        pack = _fair(chance)
        yield pack, 22 + pack[-1] % 42


class Wrong(NamedTuple):
    """A mistaken shuffle, and how many deals it takes to find it."""

    deals: int
    source: Callable[[random.Random], Deals]


_FEW: Final = 3_000

WRONG: Final = {
    # Only the first two cards of the pack show it: each stays twice as often as it should.
    "Fisher-Yates that stops one swap early": Wrong(20_000, _swaps(_FAIR_PLACES[:-1])),
    "Fisher-Yates that leaves out the last card": Wrong(_FEW, _swaps(_FAIR_PLACES[1:])),
    "a swap of every place with any place": Wrong(
        _FEW, _swaps([(place, PACK_SIZE) for place in _PLACES])
    ),
    "Sattolo's cycle, a limit one too low": Wrong(
        _FEW, _swaps([(last, last) for last, _ in _FAIR_PLACES])
    ),
    "eight-bit words modulo the limit": Wrong(_FEW, _each(_byte_words)),
    "one riffle": Wrong(_FEW, _each(_riffle)),
    "the top card stays": Wrong(_FEW, _each(_top_stays)),
    "jokers in the lower half": Wrong(_FEW, _each(_jokers_low)),
    "each quarter shuffled by itself": Wrong(_FEW, _each(_quarters)),
    "a stable sort by eight-bit keys": Wrong(_FEW, _each(_sorted_by_keys)),
    "a seed of 16 bits": Wrong(_FEW, _small_seeds),
    "54 swaps of the pack before": Wrong(_FEW, _from_the_last),
    "a cut near the middle": Wrong(_FEW, _cut_in_the_middle),
    "a cut made from the pack": Wrong(_FEW, _cut_by_the_pack),
}
