"""The rules read slowly: what is a meld, and what may a seat do, found by trying everything.

Written from docs/rules alone. It shares nothing with the engine but the knobs of a ruleset: a card
is its name, a hand a sorted tuple of names, a sequence is tried in every window with every choice
of places for its wild cards.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, product

from burraco.engine import (
    DRAW_STOCK,
    Action,
    Add,
    DealState,
    Discard,
    LayMeld,
    Phase,
    Ruleset,
    unpack,
)
from burraco.engine.cards import CARDS
from burraco.engine.state import NO_CARD

Names = tuple[str, ...]
# What a seat does: the kind of action, the meld it adds to (-1 for none), and the cards.
Move = tuple[str, int, Names]

_RANKS = "A23456789TJQK"
# Low ace, two, three … king, high ace.
_WINDOW = "A23456789TJQKA"
_POINTS = {"A": 15, "2": 20, "K": 10, "Q": 10, "J": 10, "T": 10, "9": 10, "8": 10}


@dataclass(frozen=True)
class Reading:
    """One way to read cards as a meld; ``run`` is the longest stretch of naturals in a sequence."""

    kind: str
    rank: str
    wilds: int
    run: int


def is_wild(card: str) -> bool:
    """Jokers, and twos wherever they may lie."""
    return card == "Jk" or card[0] == "2"


def value(card: str) -> int:
    """R7 to R11."""
    return 30 if card == "Jk" else _POINTS.get(card[0], 5)


@cache
def best_reading(cards: Names, two_two_joker: bool) -> Reading | None:
    """The reading with the fewest wilds, then the longest stretch of naturals (rules §3)."""
    readings = [*_as_set(cards), *_as_sequence(cards, two_two_joker)]
    return min(readings, key=lambda one: (one.wilds, -one.run), default=None)


def _as_set(cards: Names) -> Iterator[Reading]:
    naturals = [card for card in cards if not is_wild(card)]
    wilds = len(cards) - len(naturals)
    one_rank = len({card[0] for card in naturals}) == 1
    if one_rank and 3 <= len(cards) <= 9 and wilds <= 1 and len(naturals) >= 2:
        yield Reading("set", naturals[0][0], wilds, 0)


def _as_sequence(cards: Names, two_two_joker: bool) -> Iterator[Reading]:
    held = Counter(cards)
    plain = [card for card in cards if not is_wild(card)]
    # Saves time and no more: no window has room for these.
    if len(set(plain)) < len(plain) or len(cards) - len(plain) > 3:
        return
    for suit in "shdc":
        if any(card[1] != suit for card in plain):
            continue
        for low in range(len(_WINDOW) - len(cards) + 1):
            window = range(low, low + len(cards))
            for wilds in range(3):
                for holes in combinations(window, wilds):
                    run = _run_of_naturals(held, suit, window, holes, two_two_joker)
                    if run is not None:
                        yield Reading("sequence", "", wilds, run)


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
        two_two_joker and "2" + suit in naturals and stand_ins == sorted(["2" + suit, "Jk"])
    ):  # R36
        return None
    return _longest(places)


def _longest(places: list[int]) -> int:
    longest = length = 0
    for at, place in enumerate(places):
        length = length + 1 if at and places[at - 1] + 1 == place else 1
        longest = max(longest, length)
    return longest


def meld_of(rules: Ruleset, cards: Names) -> Reading | None:
    """What the cards are under the rules, None for no meld."""
    found = best_reading(cards, rules.two_two_joker)
    if found is not None and found.kind == "set" and found.rank not in rules.set_ranks:
        return None
    return found


def verdict(rules: Ruleset, cards: Names) -> str:
    """As ``tests/cases`` writes it: kind, class, grade of the burraco, points, bonus."""
    found = meld_of(rules, tuple(sorted(cards)))
    if found is None:
        return "refused"
    grade = _grade(rules, cards, found)
    bonus = {
        "none": 0,
        "clean": rules.clean_bonus,
        "semiclean": rules.semiclean_bonus,
        "dirty": rules.dirty_bonus,
    }[grade]
    named = "dirty" if found.wilds else "clean"
    return f"{found.kind} {named} {grade} {sum(map(value, cards))} {bonus}"


def _grade(rules: Ruleset, cards: Names, found: Reading) -> str:
    if len(cards) < 7:
        return "none"
    if not found.wilds:
        return "clean"
    at_least = rules.semiclean_set == "at_least_8"
    eight = len(cards) >= 8 if at_least else len(cards) == 8
    semiclean = eight if found.kind == "set" else found.run >= 7
    return "semiclean" if rules.semiclean_bonus and semiclean else "dirty"


@dataclass(frozen=True)
class Position:
    """What decides the moves of a seat; ``barred`` and ``must_meld`` as E46 and E49 have it."""

    rules: Ruleset
    hand: Names
    melds: tuple[Names, ...]
    taken: bool
    pile: Names
    stock: int
    has_drawn: bool
    barred: str | None
    must_meld: bool

    def after(self, move: Move) -> "Position":
        """The position after a meld or addition that leaves cards in the hand."""
        kind, number, cards = move
        hand = tuple(sorted((Counter(self.hand) - Counter(cards)).elements()))
        if kind == "lay":
            laid = (*self.melds, cards)
        else:
            grown = tuple(sorted((*self.melds[number], *cards)))
            laid = (*self.melds[:number], grown, *self.melds[number + 1 :])
        return replace(self, hand=hand, melds=laid, must_meld=False)


def moves(position: Position) -> set[Move]:
    """Every legal move, found by trying every part of the hand."""
    if not position.has_drawn:
        return _draws(position)
    found: set[Move] = set()
    for part in parts(position.hand):
        found.update(_melds_with(position, part))
    if not position.must_meld:  # E49
        found.update(("discard", -1, (card,)) for card in _discards(position))
    return found


def _draws(position: Position) -> set[Move]:
    found: set[Move] = {("draw", -1, ())} if position.stock else set()
    if position.pile and moves(taking(position)):
        found.add(("take", -1, ()))
    return found


def taking(position: Position) -> Position:
    """The position after taking the pile, whether or not that is legal."""
    return replace(
        position,
        hand=tuple(sorted((*position.hand, *position.pile))),
        pile=(),
        has_drawn=True,
        barred=barred_card(position.rules, position.hand, position.pile),
        must_meld=position.rules.pile_requires_meld,
    )


def barred_card(rules: Ruleset, hand: Names, pile: Names) -> str | None:
    """The card that may not be discarded in the turn that takes this pile (E46, E61)."""
    if len(pile) > 1 or rules.rediscard_single == "allow":
        return None
    if rules.rediscard_single == "forbid_unless_twin" and pile[0] in hand:
        return None
    return pile[0]


def _melds_with(position: Position, part: Names) -> Iterator[Move]:
    if _may_lay(position, part):
        yield from _unless_dead_end(position, ("lay", -1, part))
    for number, base in enumerate(position.melds):
        if meld_of(position.rules, tuple(sorted((*base, *part)))) is not None:
            yield from _unless_dead_end(position, ("add", number, part))


def _may_lay(position: Position, part: Names) -> bool:
    found = meld_of(position.rules, part)
    if found is None or found.kind != "set" or position.rules.second_set_of_rank:
        return found is not None
    readings = [meld_of(position.rules, base) for base in position.melds]  # E41
    return all(one is None or one.kind != "set" or one.rank != found.rank for one in readings)


def _unless_dead_end(position: Position, move: Move) -> Iterator[Move]:
    """E11, and E61: a discard must be left, unless the hand is gone and a pozzetto is due."""
    after = position.after(move)
    if _discards(after) or not (after.hand or after.taken):
        yield move


def _discards(position: Position) -> set[str]:
    free = {card for card in position.hand if card != position.barred}
    if position.taken and len(position.hand) == 1:
        return {card for card in free if not is_wild(card) and _has_burraco(position)}
    return free


def _has_burraco(position: Position) -> bool:
    """R57: a burraco, a clean one where the rules ask for that."""
    for cards in position.melds:
        found = meld_of(position.rules, cards)
        if found and len(cards) >= 7 and (position.rules.close_needs == "any" or not found.wilds):
            return True
    return False


def parts(hand: Names) -> Iterator[Names]:
    """Every part of a hand but the empty one, as sorted names, each once."""
    counts = sorted(Counter(hand).items())
    for numbers in product(*(range(count + 1) for _, count in counts)):
        part = tuple(
            card for (card, _), number in zip(counts, numbers, strict=True) for _ in range(number)
        )
        if part:
            yield part


# From the engine's values to the names used here; nothing above looks at them.


def position_of(state: DealState) -> Position:
    """A state as the slow reading of the rules wants it."""
    side = state.sides[state.turn]
    return Position(
        rules=state.rules,
        hand=_names(unpack(state.hands[state.turn])),
        melds=tuple(_names(meld.cards) for meld in state.melds[side]),
        taken=state.taken[side],
        pile=_names(state.pile),
        stock=len(state.stock),
        has_drawn=state.phase is Phase.PLAY,
        barred=None if state.barred == NO_CARD else str(CARDS[state.barred]),
        must_meld=state.must_meld,
    )


def _names(cards: tuple[object, ...]) -> Names:
    return tuple(sorted(map(str, cards)))


def move_of(action: Action) -> Move:
    """An action of the engine as a move."""
    match action:
        case LayMeld():
            return ("lay", -1, _names(action.cards))
        case Add():
            return ("add", action.meld, _names(action.cards))
        case Discard():
            return ("discard", -1, (str(action.card),))
        case _:
            return ("draw" if action == DRAW_STOCK else "take", -1, ())
