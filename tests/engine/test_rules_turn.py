"""Rules §4 and decisions E: the turn, the stock and the discard pile."""

import pytest

from burraco.engine import (
    DRAW_STOCK,
    PRESETS,
    TAKE_PILE,
    Action,
    Cut,
    DealState,
    Phase,
    Reason,
    bag,
    legal,
    unpack,
)
from tests.support.playing import add, discard, lay, pass_turns, play, refusal
from tests.support.scenes import SEATS, cards, meld, scene, seat

ALL = tuple(PRESETS)


def _hand(state: DealState, name: str) -> tuple[str, ...]:
    return tuple(map(str, unpack(state.hands[seat(name)])))


@pytest.mark.parametrize("name", ALL)
def test_R42_play_goes_clockwise(name: str) -> None:
    state = scene(
        rules=name, turn="E", phase=Phase.DRAW, north="9s Kd", east="9h Kc", south="9d", west="9c"
    )
    seats = [pass_turns(state, number).turn for number in range(8)]
    assert [SEATS[at] for at in seats] == list("ESWNESWN")


@pytest.mark.parametrize("name", ALL)
def test_R44_the_top_card_of_the_stock(name: str) -> None:
    state = scene(rules=name, phase=Phase.DRAW, north="Kd", stock="Ts 3d 4d 5d", pile="4c")
    after = play(state, DRAW_STOCK)
    assert _hand(after, "N") == ("Ts", "Kd")
    assert after.stock == cards("3d 4d 5d")
    assert after.pile == cards("4c")
    assert after.phase is Phase.PLAY


@pytest.mark.parametrize("name", ["classic", "fibur", "online"])
def test_R44_E48_or_the_whole_pile(name: str) -> None:
    state = scene(rules=name, phase=Phase.DRAW, north="Kd", stock="Ts 3d 4d 5d", pile="4c 5h 9s")
    after = play(state, TAKE_PILE)
    assert bag(cards("Kd 4c 5h 9s")) == after.hands[0]
    assert after.pile == ()
    assert after.stock == cards("Ts 3d 4d 5d")


@pytest.mark.parametrize("action", [lay("7h 7d 7c"), add(1, "7s"), discard("7h")], ids=repr)
def test_R44_first_a_draw(action: Action) -> None:
    state = scene(phase=Phase.DRAW, north="7h 7d 7c 7s", ns="4s 5s 6s")
    refused = refusal(state, action)
    assert (refused.reason, refused.rule) == (Reason.MUST_DRAW_FIRST, "R44")


@pytest.mark.parametrize("first", [DRAW_STOCK, TAKE_PILE], ids=repr)
@pytest.mark.parametrize("second", [DRAW_STOCK, TAKE_PILE], ids=repr)
def test_E51_the_choice_is_final(first: Action, second: Action) -> None:
    after = play(scene(phase=Phase.DRAW, north="Kd 9c", pile="4c 5h"), first)
    refused = refusal(after, second)
    assert (refused.reason, refused.rule) == (Reason.ALREADY_DRAWN, "E51")


@pytest.mark.parametrize("phase", [Phase.DRAW, Phase.PLAY])
def test_E51_no_cut_within_a_deal(phase: Phase) -> None:
    assert refusal(scene(phase=phase, north="Kd 9c"), Cut(40)).reason is Reason.CUT_NOT_ASKED


def test_E3_there_is_always_a_choice_to_begin_with() -> None:
    assert set(legal(scene(phase=Phase.DRAW, north="Kd", pile="4c"))) == {DRAW_STOCK, TAKE_PILE}


def test_E3_an_empty_pile_can_not_be_taken() -> None:
    """No play gets there; a scene made by hand is told plainly."""
    state = scene(phase=Phase.DRAW, north="Kd", pile="")
    assert refusal(state, TAKE_PILE).reason is Reason.PILE_EMPTY
    empty = scene(phase=Phase.DRAW, north="Kd", pile="4c", stock="")
    assert refusal(empty, DRAW_STOCK).reason is Reason.STOCK_EMPTY


@pytest.mark.parametrize("name", ALL)
def test_R45_any_number_of_melds_in_any_order(name: str) -> None:
    state = scene(rules=name, north="3h 3d 3c 7s 9d Td Jd Kc 4h", ns="4s 5s 6s")
    actions: list[Action] = [lay("3h 3d 3c"), add(1, "7s"), lay("9d Td Jd")]
    after = play(state, *actions)
    other = play(state, actions[2], actions[1], actions[0])
    assert set(after.melds[0]) == set(other.melds[0])
    assert after.hands == other.hands
    assert after.phase is Phase.PLAY


@pytest.mark.parametrize("name", ALL)
def test_R45_R46_none_is_fine_and_a_discard_ends_the_turn(name: str) -> None:
    after = play(scene(rules=name, north="7h 7d 7c Kd", pile="4c"), discard("Kd"))
    assert after.pile == cards("4c Kd")
    assert _hand(after, "N") == ("7h", "7d", "7c")
    assert (after.turn, after.phase) == (seat("E"), Phase.DRAW)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("wild", ["Jk", "2s"])
def test_R47_a_wild_may_be_discarded(name: str, wild: str) -> None:
    after = play(scene(rules=name, north=f"{wild} 9d Kc", taken="NS"), discard(wild))
    assert after.pile[-1:] == cards(wild)


def test_R46_only_a_card_of_the_hand() -> None:
    refused = refusal(scene(north="Kd 9c"), discard("9d"))
    assert refused.reason is Reason.CARD_NOT_IN_HAND
    assert refused.facts == {"card": "9d", "nearest": "-Kd"}


def test_E52_nothing_follows_the_discard() -> None:
    after = play(scene(north="7h 7d 7c 9d Kd", east="9s"), discard("Kd"))
    assert refusal(after, lay("7h 7d 7c")).reason is Reason.MUST_DRAW_FIRST
    assert refusal(after, discard("9d")).reason is Reason.MUST_DRAW_FIRST
    assert set(legal(after)) == {DRAW_STOCK, TAKE_PILE}


@pytest.mark.parametrize(
    ("name", "hand", "is_legal"),
    [
        pytest.param("classic", "9s Kd", True, id="E46-classic"),
        pytest.param("fibur", "9s Kd", False, id="E46-fibur"),
        pytest.param("fibur", "4c' 9s Kd", True, id="E61-fibur-with-the-twin"),
        pytest.param("online", "9s Kd", False, id="E46-online"),
        pytest.param("online", "4c' 9s Kd", False, id="E61-online-with-the-twin"),
    ],
)
def test_discarding_the_single_card_taken(name: str, hand: str, is_legal: bool) -> None:
    state = scene(rules=name, turn="S", phase=Phase.DRAW, south=hand, pile="4c")
    taken = play(state, TAKE_PILE)
    if is_legal:
        assert play(taken, discard("4c")).pile == cards("4c")
        return
    refused = refusal(taken, discard("4c"))
    assert (refused.reason, refused.rule) == (Reason.REDISCARD_SINGLE, "E46")
    assert play(taken, discard("Kd")).pile == cards("Kd")


def test_E46_international_after_the_duty_is_done() -> None:
    state = scene(
        rules="international", phase=Phase.DRAW, north="9s Kd 5c 6c 7c", ns="8s 9s Ts", pile="4c"
    )
    taken = play(state, TAKE_PILE, lay("5c 6c 7c"))
    assert refusal(taken, discard("4c")).reason is Reason.REDISCARD_SINGLE
    assert play(taken, discard("Kd")).pile == cards("Kd")


@pytest.mark.parametrize("name", ["fibur", "online"])
def test_E46_the_bar_lasts_for_the_turn_only(name: str) -> None:
    state = scene(
        rules=name, phase=Phase.DRAW, north="9s Kd", east="9h", south="9d", west="9c", pile="4c"
    )
    later = pass_turns(play(state, TAKE_PILE, discard("Kd")), 3)
    assert play(later, DRAW_STOCK, discard("4c")).pile[-1:] == cards("4c")


@pytest.mark.parametrize("name", ["fibur", "online"])
def test_E61_a_meld_that_leaves_only_the_barred_card(name: str) -> None:
    state = scene(rules=name, phase=Phase.DRAW, north="7h 7d 7c", pile="4c")
    taken = play(state, TAKE_PILE)
    refused = refusal(taken, lay("7h 7d 7c"))
    assert (refused.reason, refused.rule) == (Reason.DEAD_END, "E61")
    assert refused.facts == {"why": "REDISCARD_SINGLE", "left": "4c", "nearest": "-7h"}
    classic = play(scene(phase=Phase.DRAW, north="7h 7d 7c", pile="4c"), TAKE_PILE)
    assert play(classic, lay("7h 7d 7c"), discard("4c")).taken == (True, False)


def test_E61_a_meld_that_leaves_only_the_barred_twins() -> None:
    taken = play(
        scene(rules="online", phase=Phase.DRAW, north="7h 7d 7c 4c'", pile="4c"), TAKE_PILE
    )
    assert refusal(taken, lay("7h 7d 7c")).rule == "E61"


@pytest.mark.parametrize("jokers", ["Jk", "Jk Jk", "Jk Jk Jk"])
def test_E61_a_meld_that_leaves_only_barred_jokers(jokers: str) -> None:
    state = scene(
        rules="online", phase=Phase.DRAW, north=f"9d Td Jd {jokers}", ns="4s 5s 6s", pile="Jk"
    )
    taken = play(state, TAKE_PILE)
    assert refusal(taken, lay("9d Td Jd")).rule == "E61"
    assert play(taken, lay("9d Td Jk"), discard("Jd")).turn == seat("E")


def test_E61_a_pile_that_leaves_only_barred_cards_is_not_taken() -> None:
    state = scene(rules="online", phase=Phase.DRAW, north="4c'", pile="4c", taken="NS")
    refused = refusal(state, TAKE_PILE)
    assert (refused.reason, refused.rule) == (Reason.DEAD_END, "E61")
    assert legal(state) == [DRAW_STOCK]


@pytest.mark.parametrize("name", ["classic", "fibur", "online"])
@pytest.mark.parametrize("thrown", ["4c", "9h"])
def test_E47_after_two_or_more_any_of_them(name: str, thrown: str) -> None:
    state = scene(rules=name, phase=Phase.DRAW, north="9s Kd", pile="4c 9h")
    assert play(state, TAKE_PILE, discard(thrown)).pile == cards(thrown)


def test_E47_international_any_of_them_after_the_meld() -> None:
    state = scene(rules="international", phase=Phase.DRAW, north="Ah Ad Kd Qs", pile="Ac 9h")
    after = play(state, TAKE_PILE, lay("Ah Ad Ac"))
    assert play(after, discard("9h")).pile == cards("9h")


@pytest.mark.parametrize(
    ("hand", "melds"),
    [
        pytest.param("Ah Ad 9s", "", id="E49-would-leave-one-card"),
        pytest.param("Ah Ad", "", id="E49-would-leave-none"),
        pytest.param("9s Td Kh", "", id="E49-nothing-to-meld"),
        pytest.param("9s Td Kh", "Ah Ad As", id="E49-rank-of-sets-but-wrong-card"),
    ],
)
def test_E49_taking_is_refused(hand: str, melds: str) -> None:
    state = scene(
        rules="international",
        phase=Phase.DRAW,
        north=hand,
        ns=melds,
        pile="Qc" if melds else "Ac",
        taken="NS",
    )
    refused = refusal(state, TAKE_PILE)
    assert (refused.reason, refused.rule) == (Reason.PILE_REQUIRES_MELD, "E49")
    assert legal(state) == [DRAW_STOCK]


def test_E49_taking_obliges_to_meld() -> None:
    state = scene(
        rules="international", phase=Phase.DRAW, north="Ah Ad 9s Td", pile="Ac", taken="NS"
    )
    taken = play(state, TAKE_PILE)
    refused = refusal(taken, discard("9s"))
    assert (refused.reason, refused.rule) == (Reason.MUST_MELD_AFTER_PILE, "E49")
    assert legal(taken) == [lay("Ah Ad Ac")]
    after = play(taken, lay("Ah Ad Ac"), discard("9s"))
    assert after.pile == cards("9s")


def test_E49_an_addition_does_too() -> None:
    state = scene(
        rules="international", phase=Phase.DRAW, north="9s Td", ns="5c 6c 7c", pile="Qh 8c"
    )
    after = play(state, TAKE_PILE, add(1, "8c"), discard("Qh"))
    assert after.melds[0] == (meld("5c..8c"),)


@pytest.mark.parametrize("name", ["classic", "fibur", "online"])
def test_E49_no_duty_elsewhere(name: str) -> None:
    state = scene(rules=name, phase=Phase.DRAW, north="9s Td", pile="Ac", taken="NS")
    assert play(state, TAKE_PILE, discard("Td")).turn == seat("E")


@pytest.mark.parametrize("name", ALL)
def test_E2_taking_the_pile_never_ends_a_deal(name: str) -> None:
    """Stock three, East takes four cards, melds, discards: play goes on."""
    state = scene(
        rules=name,
        turn="E",
        phase=Phase.DRAW,
        east="9d Td Kh",
        pile="4c 6s Jd Qh",
        stock="3s 4s 5s",
    )
    after = play(state, TAKE_PILE, lay("9d Td Jd"), discard("Kh"))
    assert after.end is None
    assert (after.turn, len(after.stock)) == (seat("S"), 3)
