"""Laws: what is legal is all there is, compared with the reference in scenes full of melds."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from burraco.engine import PRESETS, Card, Ruleset, bag, classify
from burraco.engine.melds import is_allowed
from tests.reference.adapter import knobs_of, table_of
from tests.reference.cards import Cards, in_order
from tests.reference.counts import DEPTH, count_in_engine, count_in_reference
from tests.reference.differential import compare_position
from tests.support.brute import best_reading
from tests.support.dense import dense_scene

NUMBERS = st.integers(0, 2**32 - 1)
RULES = st.sampled_from(list(PRESETS.values()))
_CARDS = 9
_CARDS_OF_COUNTS = 5


@given(rules=RULES, number=NUMBERS)
def test_in_dense_scenes(rules: Ruleset, number: int) -> None:
    for step in range(3):
        compare_position(dense_scene(rules, number + step, _CARDS), knobs_of(rules), None)


def _nearly_a_run(chance: Random) -> Cards:
    """A run of three to fourteen places with up to three of them given to wilds or to a stray."""
    suit, length = chance.choice("shdc"), chance.randint(3, 14)
    low = chance.randrange(15 - length)
    names = [rank + suit for rank in "A23456789TJQKA"[low : low + length]]
    for _ in range(chance.randrange(4)):
        names[chance.randrange(length)] = chance.choice(("Jk", "2" + suit, "2h", "As", "7d"))
    return in_order(names)


@given(rules=RULES, number=NUMBERS)
def test_long_melds(rules: Ruleset, number: int) -> None:
    """Kind, wilds and the longest stretch of naturals, or that it is none."""
    chance = Random(number)
    for _ in range(40):
        names = _nearly_a_run(chance)
        if any(names.count(name) > 2 and name != "Jk" for name in names):
            continue
        slow = best_reading(names, two_two_joker=rules.two_two_joker)
        quick = classify(bag(map(Card.parse, names)))
        if quick is None or not is_allowed(quick, rules):
            assert slow is None or (slow.kind == "set" and slow.of not in rules.set_ranks)
        else:
            assert slow is not None
            assert (quick.kind.value, quick.wilds) == (slow.kind, slow.wilds)
            assert slow.kind == "set" or quick.run == slow.run


@given(rules=RULES, number=NUMBERS)
def test_counts_of_lines_to_depth_three(rules: Ruleset, number: int) -> None:
    state = dense_scene(rules, number, _CARDS_OF_COUNTS)
    table = table_of(state, knobs_of(rules))
    assert count_in_engine(state, DEPTH) == count_in_reference(table, DEPTH)
