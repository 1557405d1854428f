"""Rules §3 and decisions C and D: what is a meld, what may be added to it, and its class."""

from itertools import permutations

import pytest

from burraco.engine import PRESETS, Reason, Ruleset, apply, legal
from tests.support.playing import add, discard, lay, play, refusal, shown, verdict
from tests.support.scenes import meld, rules_of, scene

NO_SETS = rules_of("classic").with_knobs(set_ranks="")


@pytest.mark.parametrize(
    ("rules", "text", "expected"),
    [
        pytest.param("classic", "7h 7d", "refused", id="R26-two-cards"),
        pytest.param("classic", "7h 7d 7c", "set clean none 15 0", id="R28-one-rank"),
        pytest.param("classic", "7h 7d 8c", "refused", id="R28-two-ranks"),
        pytest.param("classic", "7h 7d Jk 2c", "refused", id="R29-two-wilds-in-a-set"),
        pytest.param("classic", "7h 7d Jk", "set dirty none 40 0", id="R29-one-wild"),
        pytest.param("classic", "2s 2h 2d", "refused", id="R30-no-set-of-twos"),
        pytest.param("classic", "Jk Jk Jk", "refused", id="R30-no-set-of-jokers"),
        pytest.param("classic", "7h 7h 7d", "set clean none 15 0", id="R31-both-copies"),
        pytest.param("classic", "9h Th Jh", "sequence clean none 30 0", id="R32-consecutive"),
        pytest.param("classic", "9h Th Jd", "refused", id="R32-two-suits"),
        pytest.param("classic", "9h Jh Kh", "refused", id="R32-gaps"),
        pytest.param("classic", "Kh Ah 2h 3h", "refused", id="R33-around-the-corner"),
        pytest.param("classic", "9h Jh Jk", "sequence dirty none 50 0", id="R34-one-wild"),
        pytest.param("classic", "8h Jh Jk Jk", "refused", id="R34-two-wilds"),
        pytest.param("classic", "2h 3h 4h", "sequence clean none 30 0", id="R35-natural-two"),
        pytest.param("classic", "2h 3h Jk", "sequence dirty none 55 0", id="R35-two-is-no-wild"),
        pytest.param("classic", "3h..8h", "sequence clean none 35 0", id="R40-six-cards"),
        pytest.param("classic", "3h..9h", "sequence clean clean 45 200", id="R40-seven-cards"),
        pytest.param("classic", "4h..9h Jk", "sequence dirty dirty 70 100", id="R39-a-joker"),
        pytest.param("classic", "2h..8h", "sequence clean clean 55 200", id="R38-all-natural"),
        pytest.param("classic", "2s 2s' Jk", "sequence dirty none 70 0", id="R36-opening"),
        pytest.param("fibur", "2s 2s' Jk", "refused", id="R36-off-in-fibur"),
        pytest.param("international", "2s 2s' Jk", "refused", id="R36-off-in-international"),
        pytest.param("online", "2s 2s' Jk", "refused", id="R36-off-online"),
        pytest.param("classic", "2s 2h Jk", "refused", id="E14-two-suits"),
        pytest.param("classic", "2s 3s 2s=4s Jk=5s", "sequence dirty none 75 0", id="E14-opening"),
        pytest.param("classic", "2s 3s 2h=4s Jk=5s", "refused", id="E14-another-two"),
        pytest.param("fibur", "2s 3s 2s=4s Jk=5s", "refused", id="E14-opening-in-fibur"),
        pytest.param("classic", "2c..8c", "sequence clean clean 55 200", id="E15-natural-two"),
        pytest.param("classic", "5d 6d 2d=7d", "sequence dirty none 30 0", id="E16-own-two-away"),
        pytest.param("classic", "Ac 2c 3c 2s=4c 5c", "sequence dirty none 65 0", id="E17-both"),
        pytest.param("classic", "3h 4h 2h 2h'", "sequence dirty none 50 0", id="E17-own-twin"),
        pytest.param("classic", "As 2s Jk=3s", "sequence dirty none 65 0", id="E18-joker"),
        pytest.param("classic", "5h 3h 2h 4h", "sequence clean none 35 0", id="E19-fewest-wilds"),
        pytest.param("classic", "As 2s 3s", "sequence clean none 40 0", id="E23-low-ace"),
        pytest.param("classic", "Qs Ks As", "sequence clean none 35 0", id="E23-high-ace"),
        pytest.param("classic", "2s=Qs Ks As", "sequence dirty none 45 0", id="E23-king-ace-two"),
        pytest.param("classic", "Ks 2s 3s", "refused", id="E23-king-two-three"),
        pytest.param("classic", "Ah 2h..Kh Ah", "refused", id="E24-two-aces"),
        pytest.param("classic", "Ah..Kh Jk", "sequence dirty dirty 150 100", id="E25-fourteen"),
        pytest.param("classic", "Ah..Kh Jk Jk", "refused", id="E25-fifteen"),
        pytest.param("classic", "2s 2h 2d", "refused", id="E26-twos"),
        pytest.param("classic", "Jk Jk 2c", "refused", id="E26-jokers-and-a-two"),
        pytest.param("classic", "7h 2s Jk", "refused", id="E26-one-natural"),
        pytest.param("classic", "7h 7d 2s", "set dirty none 30 0", id="E27-two-and-a-wild"),
        pytest.param("classic", "Ah Ad 2h", "set dirty none 50 0", id="E27-aces-and-a-wild"),
        pytest.param("classic", "7h 7h' 7d", "set clean none 15 0", id="E28-copies-in-a-set"),
        pytest.param("classic", "9h 9h' Th", "refused", id="E29-copies-in-a-sequence"),
        pytest.param(
            "classic", "7s 7s 7h 7h 7d 7d 7c 7c Jk", "set dirty dirty 70 100", id="E30-nine"
        ),
        pytest.param("classic", "Kd Ad Jk", "sequence dirty none 55 0", id="E31-at-the-ace"),
        pytest.param("classic", "3d 2d Jk", "sequence dirty none 55 0", id="E31-natural-two"),
        pytest.param("classic", "7h 7d", "refused", id="E44-no-partial-melds"),
        pytest.param("international", "7h 7d 7c", "refused", id="knob-set-ranks-A3-sevens"),
        pytest.param("international", "3h 3d 3c", "set clean none 15 0", id="knob-set-ranks-A3"),
        pytest.param(NO_SETS, "3h 3d 3c", "refused", id="knob-set-ranks-none"),
    ],
)
def test_new_meld(rules: str | Ruleset, text: str, expected: str) -> None:
    assert verdict(rules, text) == expected


@pytest.mark.parametrize(
    ("rules", "text", "added", "expected"),
    [
        pytest.param("classic", "2s 2s' Jk", "4s", "sequence dirty none 75 0", id="E14-add"),
        pytest.param(
            "classic", "2s..7s", "9s", "sequence dirty dirty 55 100", id="E20-natural-to-wild"
        ),
        pytest.param(
            "classic", "2s..7s 9s", "8s", "sequence clean clean 65 200", id="E21-and-back"
        ),
        pytest.param("classic", "4h 5h Jk 7h..Th", "6h", "sequence dirty dirty 80 100", id="E22"),
        pytest.param(
            "fibur", "4h 5h Jk 7h..Th", "6h", "sequence dirty semiclean 80 150", id="E22-fibur"
        ),
        pytest.param(
            "online", "4h 5h Jk 7h..Th", "6h", "sequence dirty semiclean 80 150", id="E22-online"
        ),
        pytest.param("classic", "2c=4c 5c 6c", "8c", "sequence dirty none 40 0", id="E33-two"),
        pytest.param("classic", "Jk=4d 5d..8d", "Td", "sequence dirty none 65 0", id="E33-joker"),
        pytest.param("classic", "6c Jk=7c 8c", "Tc", "refused", id="E34-wild-in-the-middle"),
        pytest.param(
            "classic", "6c Jk=7c 8c", "7c Tc", "sequence dirty none 60 0", id="E34-with-its-card"
        ),
        pytest.param("classic", "5h Jk=6h 7h", "6h", "sequence dirty none 45 0", id="E35"),
        pytest.param("classic", "5h Jk=6h 7h", "6d", "refused", id="E36-another-suit"),
        pytest.param("classic", "3h..9h", "Jk", "sequence dirty dirty 75 100", id="E45-dirtying"),
        pytest.param("classic", "3h..9h", "Ah", "refused", id="R34-no-gap-without-a-wild"),
        pytest.param("classic", "7s 7s 7h 7h 7d 7d 7c 7c Jk", "2c", "refused", id="E30-tenth"),
    ],
)
def test_addition(rules: str, text: str, added: str, expected: str) -> None:
    assert verdict(rules, text, added) == expected


@pytest.mark.parametrize(
    ("text", "reason", "rule"),
    [
        pytest.param("7h 7d", Reason.TOO_FEW_CARDS, "R26", id="R26-reason"),
        pytest.param("7h 7d 2c Jk", Reason.TOO_MANY_WILDS, "R29", id="R29-reason"),
        pytest.param("9h Th Jd", Reason.MIXED_SUITS, "R32", id="R32-reason-suits"),
        pytest.param("9h Jh Kh", Reason.NOT_CONSECUTIVE, "R32", id="R32-reason-gaps"),
        pytest.param("Kh Ah 2h 3h", Reason.NOT_CONSECUTIVE, "R33", id="R33-reason"),
        pytest.param("8h Jh Jk Jk", Reason.TOO_MANY_WILDS, "R34", id="R34-reason"),
        pytest.param("As As 2s 3s", Reason.TWO_ACES, "E24", id="E24-reason"),
        pytest.param("2s 2h 2d", Reason.ONLY_WILDS, "E26", id="E26-reason"),
        pytest.param("9h 9h Th", Reason.REPEATED_RANK, "E29", id="E29-reason"),
    ],
)
def test_reason_of_a_refused_meld(text: str, reason: Reason, rule: str) -> None:
    refused = refusal(scene(north=f"{text} Kc Qd"), lay(text))
    assert (refused.reason, refused.rule) == (reason, rule)


def test_E14_reason_names_the_knob() -> None:
    refused = refusal(scene(rules="fibur", north="2s 2s Jk 9d"), lay("2s 2s Jk"))
    assert (refused.reason, refused.rule) == (Reason.TWO_TWO_JOKER_OFF, "E14")


def test_R28_reason_lists_the_ranks_of_sets() -> None:
    refused = refusal(scene(rules="international", north="7h 7d 7c 9d"), lay("7h 7d 7c"))
    assert refused.reason is Reason.SET_RANK_NOT_ALLOWED
    assert refused.facts["allowed"] == "A3"


@pytest.mark.parametrize("name", PRESETS)
def test_R27_melds_belong_to_the_side(name: str) -> None:
    """Either partner adds to them, never the other side (E42)."""
    south = scene(rules=name, turn="S", south="7h 7c 9d", ns="4h 5h 6h", ew="4c 5c 6c")
    assert play(south, add(1, "7h")).melds[0] == (meld("4h..7h"),)
    assert refusal(south, add(1, "7c")).reason is Reason.MIXED_SUITS
    assert refusal(south, add(2, "7c")).reason is Reason.NO_SUCH_MELD


def test_E42_nobody_touches_the_other_sides_melds() -> None:
    state = scene(north="7c 9d", ew="4c 5c 6c")
    assert refusal(state, add(1, "7c")).facts == {"meld": "1", "melds": "0", "nearest": "-7c"}
    assert refusal(state, add(0, "7c")).reason is Reason.NO_SUCH_MELD


def test_E43_on_the_partners_melds_in_the_own_turn() -> None:
    state = scene(north="4h 5h 6h 9d 8s", south="7h 9c Tc", east="Ks Kd", stock="3s 4s 5s 6s 3d")
    laid = play(state, lay("4h 5h 6h"), discard("9d"))
    assert refusal(laid, add(1, "7h")).reason is Reason.MUST_DRAW_FIRST
    drawn = play(laid, legal(laid)[0], discard("Ks"))
    drawn = play(drawn, legal(drawn)[0], add(1, "7h"))
    assert drawn.melds[0] == (meld("4h..7h"),)


def test_R37_E38_melds_are_never_joined() -> None:
    state = scene(north="6c 9d Kd", ns="3c 4c 5c, 7c 8c 9c")
    assert play(state, add(1, "6c")).melds[0] == (meld("3c..6c"), meld("7c 8c 9c"))
    assert play(state, add(2, "6c")).melds[0] == (meld("3c 4c 5c"), meld("6c..9c"))


@pytest.mark.parametrize("name", PRESETS)
def test_R37_E39_E40_any_number_of_sequences_in_a_suit(name: str) -> None:
    state = scene(rules=name, north="6s 7s 8s 9s' Ts' Js' Kd", ns="5s 6s 7s")
    after = play(state, lay("6s 7s 8s"), lay("9s Ts Js"))
    assert after.melds[0] == (meld("5s 6s 7s"), meld("6s 7s 8s"), meld("9s Ts Js"))


@pytest.mark.parametrize(
    ("name", "is_legal"),
    [("classic", True), ("fibur", False), ("international", False), ("online", True)],
)
def test_E41_a_second_set_of_a_rank(name: str, is_legal: bool) -> None:
    state = scene(rules=name, north="3s 3h 3d 9d", ns="3h 3c 3c'")
    if is_legal:
        assert len(play(state, lay("3s 3h 3d")).melds[0]) == 2
    else:
        refused = refusal(state, lay("3s 3h 3d"))
        assert (refused.reason, refused.rule) == (Reason.SECOND_SET_OF_RANK, "E41")
    assert play(state, add(1, "3s 3h 3d")).melds[0] == (meld("3h 3c 3c 3s 3h 3d"),)


@pytest.mark.parametrize("name", ["fibur", "international"])
def test_E41_the_other_side_may_have_the_rank_too(name: str) -> None:
    state = scene(rules=name, north="3s 3h 3d 9d", ew="3h 3c 3c'")
    assert play(state, lay("3s 3h 3d")).melds[0] == (meld("3s 3h 3d"),)


def test_E19_the_order_of_the_cards_is_nothing() -> None:
    for order in permutations(["2h", "3h", "4h", "5h"]):
        assert verdict("classic", " ".join(order)) == "sequence clean none 35 0"


def test_E20_E21_natural_to_wild_and_back_in_play() -> None:
    state = scene(north="9s 8s Kd", ns="2s..7s")
    dirty = play(state, add(1, "9s"))
    assert not dirty.melds[0][0].is_clean
    assert play(dirty, add(1, "8s")).melds[0][0].is_clean


def test_E35_the_wild_never_returns_to_a_hand() -> None:
    after = play(scene(north="6h 9c", ns="5h Jk=6h 7h"), add(1, "6h"))
    assert after.hands[0] == scene(north="9c").hands[0]
    assert after.melds[0] == (meld("Jk 5h 6h 7h"),)


def test_E37_rearranging_is_no_action() -> None:
    refused = refusal(scene(north="9c 4d", ns="Jk=4h 5h 6h"), add(1, ""))
    assert (refused.reason, refused.rule) == (Reason.NOTHING_ADDED, "E37")


def test_E36_refused_card_of_another_suit() -> None:
    refused = refusal(scene(north="6d 9c", ns="5h Jk=6h 7h"), add(1, "6d"))
    assert (refused.reason, refused.rule) == (Reason.MIXED_SUITS, "E36")


def test_E23_an_ace_changes_ends_for_cards_of_which_none_fits_alone() -> None:
    state = scene(north="8c 9c Tc Jc Qc Kc 4d", ns="Ac 2d=2c 3c 4c 5c 6c")
    for text in ("8c", "Kc", "8c 9c Tc Jc Qc"):
        assert refusal(state, add(1, text)).reason is Reason.NOT_CONSECUTIVE
    # 15 for the ace, 20 for the two, 5 for 3 to 6, 10 for 8 to K.
    grown = play(state, add(1, "8c 9c Tc Jc Qc Kc")).melds[0][0]
    assert shown(grown, "classic") == "sequence dirty dirty 115 100"


def test_E14_both_twos_come_to_a_joker_where_neither_fits_alone() -> None:
    state = scene(north="2s 2s 3s 9d", ns="6s 7s Jk")
    for text in ("2s", "3s", "2s 2s", "2s 3s"):
        assert refusal(state, add(1, text)).reason is not Reason.DEAD_END
    grown = play(state, add(1, "2s 2s 3s")).melds[0][0]
    # 5 + 5 + 5, two twos and the joker.
    assert shown(grown, "classic") == "sequence dirty none 85 0"


def test_E34_refused_while_the_wild_is_in_the_middle() -> None:
    refused = refusal(scene(north="Tc 9d", ns="6c Jk=7c 8c"), add(1, "Tc"))
    assert (refused.reason, refused.rule) == (Reason.NOT_CONSECUTIVE, "E34")
    assert refused.facts == {"cards": "6c 8c Tc Jk", "meld": "6c 8c Jk", "nearest": "-9d"}


def test_R45_only_cards_of_the_hand_are_laid() -> None:
    refused = refusal(scene(north="7h 7d 9c"), lay("7h 7d 7c"))
    assert refused.reason is Reason.CARD_NOT_IN_HAND
    assert refused.facts == {"card": "7c", "nearest": "-7h"}


def test_semiclean_needs_seven_naturals_beside_the_wild() -> None:
    for name in ("fibur", "online"):
        assert verdict(name, "3h..9h Jk").startswith("sequence dirty semiclean")
        assert verdict(name, "3h 4h 5h Jk 7h..Th").startswith("sequence dirty dirty")


def test_E14_semiclean_where_one_of_two_readings_has_seven_naturals() -> None:
    rules = rules_of("classic").with_knobs(semiclean_bonus=150)
    # From the low ace to the seven; with the ace high there are six on either side of the gap.
    # 15 for the ace, 40 for the twos, 5 for 3 to 7, 10 for 9 to K, 30 for the joker.
    expected = "sequence dirty semiclean 160 150"
    assert verdict(rules, "As 2s 3s..7s 2s=8s 9s..Ks Jk") == expected


@pytest.mark.parametrize(
    ("name", "eight", "nine"),
    [("classic", 100, 100), ("fibur", 150, 100), ("international", 0, 0), ("online", 150, 150)],
)
def test_semiclean_sets_by_preset(name: str, eight: int, nine: int) -> None:
    eights = verdict(name, "7s 7s 7h 7h 7d 7d 7c Jk")
    nines = verdict(name, "7s 7s 7h 7h 7d 7d 7c 7c Jk")
    if name == "international":
        assert (eights, nines) == ("refused", "refused")
    else:
        assert eights.endswith(f" 65 {eight}")
        assert nines.endswith(f" 70 {nine}")


def test_R38_R39_the_class_follows_from_the_cards() -> None:
    state = scene(north="9s 8s Kd Qd", ns="2s..7s")
    one_by_one = apply(apply(state, add(1, "9s")).state, add(1, "8s")).state
    at_once = apply(state, add(1, "8s 9s")).state
    assert one_by_one.melds == at_once.melds
    assert at_once.melds[0] == (meld("2s..9s"),)
