"""Laws: what is legal is all there is, compared with a slow reading of the rules."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from burraco.engine import (
    PRESETS,
    TAKE_PILE,
    Add,
    Card,
    DealState,
    LayMeld,
    Phase,
    Ruleset,
    advance,
    bag,
    classify,
    legal,
)
from burraco.engine.melds import is_allowed
from tests.support import brute
from tests.support.dense import dense_scene
from tests.support.walks import TABLES, walk

NUMBERS = st.integers(0, 2**32 - 1)
RULES = st.sampled_from(list(PRESETS.values()))
# Every part of a hand of nine is tried in some hundred states of a test.
_MOST_CARDS = 9
_MOST_STATES = 6


def _same_moves(state: DealState) -> bool:
    actions = legal(state)
    found = {brute.move_of(action) for action in actions}
    return len(found) == len(actions) and found == brute.moves(brute.position_of(state))


@given(rules=st.sampled_from(TABLES), number=NUMBERS)
def test_in_played_deals(rules: Ruleset, number: int) -> None:
    """Where hands are small enough; what E46 and E49 forbid later follows from the pile taken."""
    compared = 0
    for state, action in walk(rules, number):
        reach = state.hand_size(state.turn) + len(state.pile) * (state.phase is Phase.DRAW)
        if reach <= _MOST_CARDS and compared < _MOST_STATES:
            compared += 1
            assert _same_moves(state)
        if action == TAKE_PILE:
            after = brute.position_of(advance(state, action))
            assert after == brute.taking(brute.position_of(state))


@given(rules=RULES, number=NUMBERS)
def test_in_dense_scenes(rules: Ruleset, number: int) -> None:
    for step in range(3):
        assert _same_moves(dense_scene(rules, number + step, _MOST_CARDS - 2))


def _nearly_a_run(chance: Random) -> brute.Names:
    """A run of three to fourteen places with up to three of them given to wilds or to a stray."""
    suit, length = chance.choice("shdc"), chance.randint(3, 14)
    low = chance.randrange(15 - length)
    names = [rank + suit for rank in "A23456789TJQKA"[low : low + length]]
    for _ in range(chance.randrange(4)):
        names[chance.randrange(length)] = chance.choice(("Jk", "2" + suit, "2h", "As", "7d"))
    return tuple(sorted(names))


@given(rules=RULES, number=NUMBERS)
def test_long_melds(rules: Ruleset, number: int) -> None:
    """Kind, wilds and the longest stretch of naturals, or that it is none."""
    chance = Random(number)
    for _ in range(40):
        names = _nearly_a_run(chance)
        if any(names.count(name) > 2 and name != "Jk" for name in names):
            continue
        slow = brute.meld_of(rules, names)
        quick = classify(bag(map(Card.parse, names)))
        if quick is None or not is_allowed(quick, rules):
            assert slow is None
        else:
            assert slow is not None
            assert (quick.kind.value, quick.wilds) == (slow.kind, slow.wilds)
            assert slow.kind == "set" or quick.run == slow.run


def _lines(state: DealState, depth: int) -> int:
    """How many sequences of actions the engine finds within the turn, to a depth."""
    if not depth:
        return 1
    return sum(
        _lines(advance(state, action), depth - 1)
        if isinstance(action, LayMeld | Add) and action.bag != state.hands[state.turn]
        else 1
        for action in legal(state)
    )


def _lines_slowly(position: brute.Position, depth: int) -> int:
    if not depth:
        return 1
    return sum(
        _lines_slowly(position.after(move), depth - 1)
        if move[0] in {"lay", "add"} and move[2] != position.hand
        else 1
        for move in brute.moves(position)
    )


@given(rules=RULES, number=NUMBERS)
def test_counts_of_lines_to_depth_three(rules: Ruleset, number: int) -> None:
    state = dense_scene(rules, number, _MOST_CARDS - 3)
    assert _lines(state, 3) == _lines_slowly(brute.position_of(state), 3)
