"""Reported faults, sections A and B: new melds, additions and moving wilds."""

from itertools import permutations
from random import Random

import pytest

from burraco.engine import PRESETS, LayMeld, Reason, Unreadable, advance, legal, unpack
from tests.support.playing import add, lay, play, refusal, shown, verdict
from tests.support.scenes import cards, meld, scene

ALL = tuple(PRESETS)
REFUSED = "refused"


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("2s 2h 2c", REFUSED, id="1-three-twos"),
        pytest.param("2s 2s' 2h 2h' 2c 2d 2d'", REFUSED, id="1-seven-twos"),
        pytest.param("Jk1 Jk2 Jk3", REFUSED, id="1-three-jokers"),
        pytest.param("Qs Qs' Ks", REFUSED, id="2-a-rank-twice"),
        pytest.param("Js Qs Jk1", "sequence dirty none 50 0", id="4-two-and-a-joker"),
        pytest.param("Kh Ah 2h 3h", REFUSED, id="5-around-the-ace"),
        pytest.param("Qh Kh Ah", "sequence clean none 35 0", id="5-high-ace"),
        pytest.param("Ah 2h 3h", "sequence clean none 40 0", id="5-low-ace"),
        pytest.param("2s..8s", "sequence clean clean 55 200", id="7-natural-two"),
        pytest.param("5s 6s 6s' 8s", REFUSED, id="8-twin-in-a-gap"),
        pytest.param("7s 8s 8s'", REFUSED, id="8-twin-at-the-end"),
        pytest.param("2s Ks As", "sequence dirty none 45 0", id="10-two-beside-a-high-ace"),
        pytest.param("5h 2s Jk1", REFUSED, id="11-one-natural-two-wilds"),
        pytest.param("5h 7h Jk1", "sequence dirty none 40 0", id="11-gap-with-a-wild"),
        pytest.param("3s 5s 6s", REFUSED, id="13-gap-without-a-wild"),
        pytest.param("3s 5s 7s Jk1", REFUSED, id="13-two-gaps-one-wild"),
        pytest.param("3s 5s 6s Jk1", "sequence dirty none 45 0", id="13-one-gap-one-wild"),
        pytest.param("Kc Kd Ad", REFUSED, id="16-ace-among-kings"),
        pytest.param("Kc Kd Ad 2s", REFUSED, id="16-ace-among-kings-with-a-wild"),
        pytest.param("2s..8s", "sequence clean clean 55 200", id="22-natural-two-is-clean"),
        pytest.param("2s..7s 2h", "sequence dirty dirty 65 100", id="22-another-two-is-wild"),
    ],
)
def test_new_meld(name: str, text: str, expected: str) -> None:
    assert verdict(name, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("2s 2s' Jk1", "sequence dirty none 70 0", id="25-opening"),
        pytest.param("2s 2h Jk1", REFUSED, id="25-two-suits"),
        pytest.param("2s 2s' Jk1 5s 6s", "sequence dirty none 80 0", id="25-two-holes"),
        pytest.param("2s 2s' Jk1 6s 7s", REFUSED, id="25-three-holes"),
        pytest.param("2s 2s' Jk1 Jk2", REFUSED, id="25-two-jokers"),
        pytest.param("5s 6s 2s' Jk1", REFUSED, id="25-no-natural-two"),
        pytest.param("7s 7h 2s Jk1", REFUSED, id="25-set"),
    ],
)
def test_two_two_joker(text: str, expected: str) -> None:
    assert verdict("classic", text) == expected
    for name in ("fibur", "international", "online"):
        assert verdict(name, text) == REFUSED


def test_25_nothing_but_its_own_cards_joins() -> None:
    assert verdict("classic", "2s 2s' Jk1", "2h") == REFUSED


@pytest.mark.parametrize("name", ALL)
def test_7_extended_from_the_two_up(name: str) -> None:
    laid = play(scene(rules=name, north="2s..8s 9d"), lay("2s 3s 4s"))
    assert laid.melds[0][0].wilds == 0
    after = play(laid, add(1, "5s 6s 7s 8s"))
    assert shown(after.melds[0][0], name) == "sequence clean clean 55 200"


@pytest.mark.parametrize("name", ALL)
def test_10_never_a_king_ace_two(name: str) -> None:
    """The two is a queen, so the ten is two places away and the jack is not."""
    assert verdict(name, "2s Ks As", "Ts") == REFUSED
    assert verdict(name, "2s Ks As", "Js") == "sequence dirty none 55 0"
    assert verdict(name, "2s Ks As", "3s") == REFUSED


@pytest.mark.parametrize("name", ALL)
def test_14_second_ace(name: str) -> None:
    state = scene(rules=name, north="As' 9d", ns="As 2s 3s 4s")
    refused = refusal(state, add(1, "As'"))
    assert (refused.reason, refused.rule) == (Reason.TWO_ACES, "E24")
    assert unpack(state.hands[0]) == cards("As 9d")


@pytest.mark.parametrize("name", ["classic", "fibur", "online"])
def test_17_two_equal_faces(name: str) -> None:
    after = play(scene(rules=name, north="7s 7s' 7h Kc"), lay("7s 7s' 7h"))
    assert after.melds[0][0].size == 3
    assert unpack(after.hands[0]) == cards("Kc")


def test_19_one_card_named_three_times() -> None:
    with pytest.raises(Unreadable, match="3 times 9d"):
        LayMeld(cards("9d 9d 9d"))
    twice = refusal(scene(north="9d 4c 5h Jk"), lay("9d 9d Jk"))
    assert twice.reason is Reason.CARD_NOT_IN_HAND
    assert twice.facts == {"card": "9d", "nearest": "-5h"}


@pytest.mark.parametrize("name", ["classic", "fibur", "online"])
def test_20_a_card_that_fits_two_melds(name: str) -> None:
    state = scene(rules=name, north="Ts 4c", ns="Td Tc Th, Js Qs Ks")
    assert play(state, add(2, "Ts")).melds[0] == (meld("Td Tc Th"), meld("Ts Js Qs Ks"))
    assert play(state, add(1, "Ts")).melds[0] == (meld("Td Tc Th Ts"), meld("Js Qs Ks"))


@pytest.mark.parametrize("name", ALL)
def test_22_a_two_in_the_hand_changes_nothing(name: str) -> None:
    state = scene(rules=name, north="2h 9d", ns="2s..8s")
    assert shown(state.melds[0][0], name) == "sequence clean clean 55 200"


@pytest.mark.parametrize(
    ("name", "second_set"), [("classic", True), ("fibur", False), ("online", True)]
)
def test_23_second_set_of_a_rank(name: str, second_set: bool) -> None:
    state = scene(rules=name, north="Kd Ks' Kh' 4c 9d", ns="Ks Kh Kc")
    if second_set:
        assert len(play(state, lay("Kd Ks' Kh'")).melds[0]) == 2
    else:
        assert refusal(state, lay("Kd Ks' Kh'")).reason is Reason.SECOND_SET_OF_RANK
    assert play(state, add(1, "Kd Ks' Kh'")).melds[0][0].size == 6
    sequences = scene(rules=name, north="5s 6s 7s 6s' 7s' 8s 9d")
    assert len(play(sequences, lay("5s 6s 7s"), lay("6s' 7s' 8s")).melds[0]) == 2


def test_23_international() -> None:
    state = scene(rules="international", north="Ad As' Ah' 4c 9d", ns="As Ah Ac")
    assert refusal(state, lay("Ad As' Ah'")).reason is Reason.SECOND_SET_OF_RANK
    assert play(state, add(1, "Ad As' Ah'")).melds[0][0].size == 6


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Jk1 Tc Jc Kc", "sequence dirty none 60 0", id="26-joker-first"),
        pytest.param("6c 7c 8c Tc Jk1", "sequence dirty none 60 0", id="26-joker-last"),
        pytest.param("2s Ks As", "sequence dirty none 45 0", id="26-two-king-ace"),
        pytest.param("As 2s Jk1 4s", "sequence dirty none 70 0", id="26-natural-two"),
    ],
)
def test_any_order(name: str, text: str, expected: str) -> None:
    orders = {" ".join(order) for order in permutations(text.split())}
    assert {verdict(name, order) for order in orders} == {expected}


@pytest.mark.parametrize("name", ALL)
def test_28_overlapping_melds(name: str) -> None:
    state = scene(rules=name, north="8c' 5c Kd Qh", ns="6c 7c 8c, 5c' 6c' 7c'")
    after = play(state, add(2, "8c'"), add(1, "5c"))
    assert after.melds[0] == (meld("5c..8c"), meld("5c..8c"))
    assert play(state, add(1, "5c"), add(2, "8c'")).melds == after.melds


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("text", "added", "expected"),
    [
        pytest.param("6c Jk1=7c 8c", "7c", "sequence dirty none 50 0", id="26-replaced"),
        pytest.param("Jk1=4d 5d..8d", "Td", "sequence dirty none 65 0", id="29-joker-moves"),
        pytest.param("Jk1 Tc Jc", "Kc", "sequence dirty none 60 0", id="29-joker-to-the-gap"),
        pytest.param("2c 5c 6c", "8c", "sequence dirty none 40 0", id="29-two-moves"),
        pytest.param("3h Jk1 5h", "4d", REFUSED, id="32-wrong-suit"),
        pytest.param("2s 3s 4s 5s", "7s", "sequence dirty none 40 0", id="34-natural-to-wild"),
        pytest.param("5d 6d 7d", "9d 8d", "sequence clean none 35 0", id="37-together"),
        pytest.param("5d 6d 7d", "Jk1 2c", REFUSED, id="37-two-wilds-together"),
        pytest.param("As..Ks", "As'", REFUSED, id="41-a-second-ace"),
        pytest.param("3s 4s 2s=5s 6s..9s", "5s", "sequence clean clean 65 200", id="47-no-flag"),
    ],
)
def test_addition(name: str, text: str, added: str, expected: str) -> None:
    assert verdict(name, text, added) == expected


@pytest.mark.parametrize("name", ALL)
def test_31_a_replaced_wild_stays(name: str) -> None:
    after = play(scene(rules=name, north="4h 9c", ns="3h Jk1 5h"), add(1, "4h"))
    assert after.melds[0] == (meld("3h 4h 5h Jk1"),)
    assert after.melds[0][0].wilds == 1
    assert unpack(after.hands[0]) == cards("9c")


@pytest.mark.parametrize("name", ALL)
def test_34_one_acting_wild(name: str) -> None:
    after = play(scene(rules=name, north="7s 9c", ns="2s 3s 4s 5s"), add(1, "7s"))
    assert after.melds[0][0].wilds == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("classic", "sequence dirty dirty 75 100"),
        ("fibur", "sequence dirty semiclean 75 150"),
        ("international", "sequence dirty dirty 75 100"),
        ("online", "sequence dirty semiclean 75 150"),
    ],
)
def test_35_twin_two_on_a_clean_burraco(name: str, expected: str) -> None:
    assert verdict(name, "2s..8s", "2s'") == expected
    joker = "sequence dirty dirty 105 100" if name == "classic" else REFUSED
    assert verdict(name, "2s..8s 2s'", "Jk1") == joker


@pytest.mark.parametrize("name", ALL)
def test_37_one_card_after_the_other(name: str) -> None:
    state = scene(rules=name, north="4d 3d 9c", ns="5d 6d 7d")
    assert play(state, add(1, "4d"), add(1, "3d")).melds[0] == (meld("3d..7d"),)


@pytest.mark.parametrize("name", ALL)
def test_38_a_trial_changes_nothing(name: str) -> None:
    state = scene(
        rules=name, north="9h Kd Ks 4c", east="9d 4s", south="9c 8c", west="8d Qd", ns="3h 4h 5h"
    )
    before = state.facts
    refusal(state, add(1, "9h"))
    legal(state)
    clone, chance = state.copy(), Random(38)
    for _ in range(50):
        clone = advance(clone, chance.choice(legal(clone))) if legal(clone) else clone
    assert state.facts == before
    assert clone.facts != before


@pytest.mark.parametrize(
    ("name", "bonus"), [("classic", 100), ("fibur", 150), ("international", 100), ("online", 150)]
)
def test_40_a_wild_on_a_clean_burraco(name: str, bonus: int) -> None:
    assert verdict(name, "5h..Jh", "Jk1").endswith(f" 85 {bonus}")


@pytest.mark.parametrize(
    ("name", "grade"),
    [
        ("classic", "dirty 150 100"),
        ("fibur", "semiclean 150 150"),
        ("international", "dirty 150 100"),
        ("online", "semiclean 150 150"),
    ],
)
def test_41_full_suit_and_a_joker(name: str, grade: str) -> None:
    assert verdict(name, "As..Ks", "Jk1") == f"sequence dirty {grade}"
