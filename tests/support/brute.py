"""What is a meld, found by trying everything: it checks the book that the reference looks it up in.

Written from docs/rules alone. A sequence is tried in every window with every choice of places for
its wild cards, a hand is cut into all its parts.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product

from tests.reference.cards import JOKER, SUITS, Cards, is_wild
from tests.reference.melds import Reading

# Low ace, two, three … king, high ace.
_WINDOW = "A23456789TJQKA"


def best_reading(cards: Cards, *, two_two_joker: bool) -> Reading | None:
    """The reading with the fewest wilds, then the longest stretch of naturals (rules §3)."""
    readings = [*_as_set(cards), *_as_sequence(cards, two_two_joker)]
    return min(readings, key=lambda one: (one.wilds, -one.run), default=None)


def _as_set(cards: Cards) -> Iterator[Reading]:
    naturals = [card for card in cards if not is_wild(card)]
    wilds = len(cards) - len(naturals)
    one_rank = len({card[0] for card in naturals}) == 1
    if one_rank and 3 <= len(cards) <= 9 and wilds <= 1 and len(naturals) >= 2:
        yield Reading("set", naturals[0][0], wilds, 0)


def _as_sequence(cards: Cards, two_two_joker: bool) -> Iterator[Reading]:
    held = Counter(cards)
    plain = [card for card in cards if not is_wild(card)]
    # Saves time and no more: no window has room for these.
    if len(set(plain)) < len(plain) or len(cards) - len(plain) > 3:
        return
    for suit in SUITS:
        if any(card[1] != suit for card in plain):
            continue
        for low in range(len(_WINDOW) - len(cards) + 1):
            window = range(low, low + len(cards))
            for wilds in range(3):
                for holes in combinations(window, wilds):
                    run = _run_of_naturals(held, suit, window, holes, two_two_joker)
                    if run is not None:
                        yield Reading("sequence", suit, wilds, run)


def _run_of_naturals(
    held: Counter[str], suit: str, window: range, holes: tuple[int, ...], two_two_joker: bool
) -> int | None:
    """Length of the longest stretch of naturals if the cards fill the window, else None."""
    places = [at for at in window if at not in holes]
    naturals = Counter(_WINDOW[at] + suit for at in places)
    if len(window) < 3 or naturals - held or len(naturals) < len(places):  # R26, R33
        return None
    stand_ins = sorted((held - naturals).elements())
    if not all(map(is_wild, stand_ins)):
        return None
    if len(holes) == 2 and not (
        two_two_joker and "2" + suit in naturals and stand_ins == sorted(["2" + suit, JOKER])
    ):  # R36
        return None
    return _longest(places)


def _longest(places: list[int]) -> int:
    longest = length = 0
    for at, place in enumerate(places):
        length = length + 1 if at and places[at - 1] + 1 == place else 1
        longest = max(longest, length)
    return longest


def parts(hand: Cards) -> Iterator[Cards]:
    """Every part of a hand but the empty one, in order, each once."""
    counts = sorted(Counter(hand).items())
    for numbers in product(*(range(count + 1) for _, count in counts)):
        part = tuple(
            card for (card, _), number in zip(counts, numbers, strict=True) for _ in range(number)
        )
        if part:
            yield part
