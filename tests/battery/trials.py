"""The trials: figures of many deals, each with its exact distribution under a perfect shuffle."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from operator import eq
from typing import Final

from burraco.engine.cards import CARDS, JOKER, PACK, PACK_SIZE, POINTS
from burraco.engine.rules import CUT_LARGEST, CUT_SMALLEST
from tests.battery import FAMILY
from tests.battery.chances import of_cells, of_chi_square, of_count, of_normal, worst
from tests.battery.shuffles import Deals

HAND: Final = 11
FACES: Final = range(len(CARDS))
COPIES: Final = [PACK.count(face) for face in CARDS]
SUITS: Final = bytes(card.suit for card in CARDS)
RANKS: Final = bytes(card.rank for card in CARDS)
WILD: Final = bytes(card.is_wild for card in CARDS)
# Where the cards of each hand and pozzetto, the upcard and the stock lie in a pack that was cut.
HANDS: Final = [range(first, 4 * HAND, 4) for first in range(4)]
POZZETTI: Final = [range(PACK_SIZE - 1 - which, PACK_SIZE - 1 - 2 * HAND, -2) for which in (0, 1)]
UPCARD: Final = range(4 * HAND, 4 * HAND + 1)
STOCK: Final = range(4 * HAND + 1, PACK_SIZE - 2 * HAND)
DEALT: Final = [*HANDS, *POZZETTI, UPCARD, STOCK]


class Sample:
    """Many deals as bytes, a face a byte: ``packs`` end to end, ``turned`` with the cut on top."""

    def __init__(self, source: Deals, deals: int) -> None:
        packs, turned, cuts = bytearray(), bytearray(), bytearray()
        for pack, cut in islice(source, deals):
            packs += pack
            turned += pack[cut:] + pack[:cut]
            cuts.append(cut)
        self.deals = deals
        self.packs, self.turned, self.cuts = bytes(packs), bytes(turned), bytes(cuts)

    def rows(self) -> Iterator[bytes]:
        """The packs one by one."""
        return (self.packs[at : at + PACK_SIZE] for at in range(0, len(self.packs), PACK_SIZE))

    @cached_property
    def places(self) -> list[Counter[int]]:
        """How often each face lies at each place of the pack."""
        return [Counter(self.packs[place::PACK_SIZE]) for place in range(PACK_SIZE)]

    @cached_property
    def pairs(self) -> list[Counter[tuple[int, int]]]:
        """How often each two faces lie one behind the other, for every place of the first."""
        columns = [self.packs[place::PACK_SIZE] for place in range(PACK_SIZE)]
        return [Counter(zip(one, other, strict=True)) for one, other in pairwise(columns)]

    @cached_property
    def dealt(self) -> list[Counter[int]]:
        """How often each face came into each hand, pozzetto, to the upcard and into the stock."""
        return [
            sum((Counter(self.turned[place::PACK_SIZE]) for place in places), Counter[int]())
            for places in DEALT
        ]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a trial came to."""

    trial: str
    chance: float

    @property
    def is_rejected(self) -> bool:
        """Whether so small a p-value, among so many trials, is more than bad luck."""
        return self.chance < FAMILY / len(TRIALS)


def run(source: Deals, deals: int) -> list[Finding]:
    """All trials on so many deals."""
    sample = Sample(source, deals)
    return [Finding(name, trial(sample)) for name, trial in TRIALS.items()]


def _table(
    sample: Sample, counts: Sequence[Counter[int]], places: Sequence[int], classes: bytes
) -> float:
    """Cards by class against parts of the pack.

    Places and cards are drawn without replacement on both sides, so the chi-square is larger than
    that of independent draws by n / (n − 1).
    """
    sizes = [0] * (max(classes) + 1)
    for face in FACES:
        sizes[classes[face]] += COPIES[face]
    statistic = 0.0
    for seen, place_count in zip(counts, places, strict=True):
        by_class = [0] * len(sizes)
        for face, times in seen.items():
            by_class[classes[face]] += times
        for times, size in zip(by_class, sizes, strict=True):
            expected = sample.deals * place_count * size / PACK_SIZE
            statistic += (times - expected) ** 2 / expected
    freedom = (len(places) - 1) * (len(sizes) - 1)
    return of_chi_square(statistic * (PACK_SIZE - 1) / PACK_SIZE, freedom)


def _place_by_card(sample: Sample) -> float:
    return _table(sample, sample.places, [1] * PACK_SIZE, bytes(FACES))


def _worst_place_of_a_card(sample: Sample) -> float:
    """One card too often or too seldom at one place, which the sum over all places drowns."""
    share = sample.deals / PACK_SIZE
    return worst(
        of_count(seen[face], share * COPIES[face]) for seen in sample.places for face in FACES
    )


def _dealt_by(classes: bytes) -> Callable[[Sample], float]:
    sizes = [len(places) for places in DEALT]
    return lambda sample: _table(sample, sample.dealt, sizes, classes)


def _pozzetti_by_rank(sample: Sample) -> float:
    first, second = sample.dealt[4:6]
    rest = sum((*sample.dealt[:4], *sample.dealt[6:]), Counter[int]())
    return _table(sample, (first, second, rest), (HAND, HAND, PACK_SIZE - 2 * HAND), RANKS)


def _adjacent_suits(sample: Sample) -> float:
    """The suits of two neighbours, the jokers' their own, at each place by itself."""
    sizes = [sum(COPIES[face] for face in FACES if SUITS[face] == suit) for suit in range(5)]
    share = sample.deals / (PACK_SIZE * (PACK_SIZE - 1))
    expected = [sizes[a] * (sizes[b] - (a == b)) * share for a in range(5) for b in range(5)]
    return worst(of_cells(_suit_pairs(pairs), expected) for pairs in sample.pairs)


def _suit_pairs(pairs: Counter[tuple[int, int]]) -> list[int]:
    cells = [0] * 25
    for (one, other), times in pairs.items():
        cells[SUITS[one] * 5 + SUITS[other]] += times
    return cells


def _deviation(total: float, mean: float, variance: float, number: int) -> float:
    """P-value of a sum of so many independent figures."""
    return of_normal((total - number * mean) / math.sqrt(number * variance))


def _is_succession(one: int, other: int) -> bool:
    """Whether the other card follows in its suit, as packs do when they are new."""
    return one != JOKER and other == one + 1 and SUITS[one] == SUITS[other]


def _successions(sample: Sample) -> float:
    """Places where a card lies before the next of its suit.

    Two of them hold together with chance 1 / n(n − 1), unless they share their first or last card.
    """
    n = PACK_SIZE
    wanted = [(a, b) for a in range(n) for b in range(n) if _is_succession(PACK[a], PACK[b])]
    mean = len(wanted) / n
    together = sum(a != c and b != d for a, b in wanted for c, d in wanted)
    variance = mean + together / (n * (n - 1)) - mean**2
    seen = sum(
        times for pairs in sample.pairs for pair, times in pairs.items() if _is_succession(*pair)
    )
    return _deviation(seen, mean, variance, sample.deals)


def _rising_runs(sample: Sample) -> float:
    """Places where the pack steps down, one fewer than its rising runs."""
    n = PACK_SIZE
    below = [sum(COPIES[:face]) for face in FACES]
    steps = sum(COPIES[face] * below[face] for face in FACES)
    two = steps / (n * (n - 1))
    three = sum(COPIES[a] * COPIES[b] * below[b] for a in FACES for b in range(a)) / (
        n * (n - 1) * (n - 2)
    )
    # Two steps apart: take one pair out, then count the pairs that are left.
    left = sum(
        COPIES[a] * COPIES[b] * (steps - (n - COPIES[a]) - (n - 1 - COPIES[b]))
        for a in FACES
        for b in range(a)
    )
    apart = left / (n * (n - 1) * (n - 2) * (n - 3))
    mean = (n - 1) * two
    square = mean + 2 * (n - 2) * three + (n - 2) * (n - 3) * apart
    seen = sum(times for pairs in sample.pairs for (a, b), times in pairs.items() if a > b)
    return _deviation(seen, mean, square - mean**2, sample.deals)


def _hand_strength(sample: Sample) -> float:
    """The points of the four hands: none is stronger than another, or than it should be."""
    n, deals = PACK_SIZE, sample.deals
    mean = sum(POINTS[card] for card in PACK) / n
    spread = sum((POINTS[card] - mean) ** 2 for card in PACK) / n
    own = HAND * spread * (n - HAND) / (n - 1)
    shared = -HAND * HAND * spread / (n - 1)
    off = [
        sum(POINTS[face] * times for face, times in hand.items()) / deals - HAND * mean
        for hand in sample.dealt[:4]
    ]
    middle = sum(off) / 4
    apart = sum((one - middle) ** 2 for one in off) / (own - shared)
    return of_chi_square(deals * (apart + 4 * middle**2 / (own + 3 * shared)), 4)


def _wilds(sample: Sample) -> float:
    """How many wild cards come together in a hand or a pozzetto, hypergeometric for each of six."""
    wilds = sum(WILD[card] for card in PACK)
    every = math.comb(PACK_SIZE, HAND)
    expected = [
        sample.deals * math.comb(wilds, held) * math.comb(PACK_SIZE - wilds, HAND - held) / every
        for held in range(HAND + 1)
    ]
    marked = sample.turned.translate(WILD + bytes(256 - len(WILD)))
    starts = range(0, len(marked), PACK_SIZE)
    return worst(
        of_cells(_held(marked, starts, places), expected) for places in (*HANDS, *POZZETTI)
    )


def _held(marked: bytes, starts: range, places: range) -> list[int]:
    low, high, step = min(places), max(places) + 1, abs(places.step)
    held = Counter(marked[start + low : start + high : step].count(1) for start in starts)
    return [held[number] for number in range(HAND + 1)]


def _cuts(sample: Sample) -> float:
    sizes = range(CUT_SMALLEST, CUT_LARGEST + 1)
    share = sample.deals / len(sizes)
    return of_cells([sample.cuts.count(size) for size in sizes], [share] * len(sizes))


def _cut_by_suit(sample: Sample) -> float:
    """The cut against the suits of the two ends of the pack."""
    return worst(_cut_by_place(sample, place) for place in (0, PACK_SIZE - 1))


def _cut_by_place(sample: Sample, place: int) -> float:
    sizes = range(CUT_SMALLEST, CUT_LARGEST + 1)
    suits = sample.packs[place::PACK_SIZE].translate(SUITS + bytes(256 - len(SUITS)))
    seen = Counter(zip(sample.cuts, suits, strict=True))
    cells = [(size, suit) for size in sizes for suit in range(5)]
    of_suit = Counter(SUITS[card] for card in PACK)
    expected = [sample.deals * of_suit[suit] / PACK_SIZE / len(sizes) for _, suit in cells]
    return of_cells([seen[cell] for cell in cells], expected)


def _neighbours(sample: Sample) -> float:
    """Places that hold the same face in two deals one after the other."""
    n = PACK_SIZE
    mean = sum(copies**2 for copies in COPIES) / n
    both = sum(
        (COPIES[f] * (COPIES[g] - (f == g)) / (n * (n - 1))) ** 2 for f in FACES for g in FACES
    )
    variance = mean + n * (n - 1) * both - mean**2
    rows = sample.rows()
    same = [sum(map(eq, one, other)) for one, other in zip(rows, rows, strict=False)]
    return _deviation(sum(same), mean, variance, len(same))


def _repeated(sample: Sample) -> float:
    """Whether any pack was there before: there are some 10^158, so none will be."""
    return float(len(set(sample.rows())) == sample.deals)


TRIALS: Final[dict[str, Callable[[Sample], float]]] = {
    "place × card": _place_by_card,
    "place × card, worst of 5724": _worst_place_of_a_card,
    "neighbouring suits, worst of 107 places": _adjacent_suits,
    "cards before the next of their suit": _successions,
    "rising runs": _rising_runs,
    "hand, pozzetto, stock × card": _dealt_by(bytes(FACES)),
    "hand, pozzetto, stock × suit": _dealt_by(SUITS),
    "pozzetto × rank": _pozzetti_by_rank,
    "points of the four hands": _hand_strength,
    "wild cards in hand or pozzetto, worst of 6": _wilds,
    "cut": _cuts,
    "cut × suit at either end": _cut_by_suit,
    "same place, next deal": _neighbours,
    "a pack comes twice": _repeated,
}
