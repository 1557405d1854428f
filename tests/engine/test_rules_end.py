"""Rules §6 and decisions A and B: closing, dead ends, the end of the stock, the stalemate."""

import pytest

from burraco.engine import (
    DRAW_STOCK,
    PRESETS,
    TAKE_PILE,
    Action,
    DealState,
    Discard,
    End,
    EndedBy,
    Phase,
    Reason,
    legal,
    score,
    unpack,
)
from burraco.engine.events import DealEnded
from tests.support.playing import add, discard, lay, pass_turns, play, refusal, step, totals
from tests.support.scenes import SEATS, bag_of, cards, rules_of, scene, seat

ALL = tuple(PRESETS)
LATER = ("fibur", "international", "online")


@pytest.mark.parametrize("name", ALL)
def test_R55_to_R59_closing(name: str) -> None:
    after, events = step(scene(rules=name, north="Kd", ns="3h..9h", taken="NS"), discard("Kd"))
    assert after.end == End(EndedBy.CLOSED, seat("N"))
    assert after.phase is Phase.OVER
    assert legal(after) == []
    assert events[-1].fact == DealEnded(EndedBy.CLOSED, seat("N"), (345, -100))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("hand", "melds", "taken"),
    [
        pytest.param("Jk", "3h..9h", "NS", id="R56-not-with-a-wild"),
        pytest.param("Kd", "3h..8h", "NS", id="R57-not-without-a-burraco"),
    ],
)
def test_no_closing(name: str, hand: str, melds: str, taken: str) -> None:
    state = scene(rules=name, north=hand, ns=melds, taken=taken)
    refused = refusal(state, discard(hand))
    expected = Reason.CLOSE_WITH_WILD if hand == "Jk" else Reason.CLOSE_NO_BURRACO
    assert refused.reason is expected


@pytest.mark.parametrize("name", ALL)
def test_R58_without_the_pozzetto_it_is_no_closing(name: str) -> None:
    after = play(scene(rules=name, north="Kd", ns="3h..9h"), discard("Kd"))
    assert (after.end, after.taken) == (None, (True, False))


@pytest.mark.parametrize("burraco", ["4h..9h Jk", "7s 7s 7h 7h 7d 7d 2c"])
def test_R57_international_needs_a_clean_burraco(burraco: str) -> None:
    state = scene(rules="international", north="Kd", ns=burraco, taken="NS")
    assert refusal(state, discard("Kd")).reason is Reason.CLOSE_NO_BURRACO
    for name in ("classic", "fibur", "online"):
        closed = play(scene(rules=name, north="Kd", ns=burraco, taken="NS"), discard("Kd"))
        assert closed.end == End(EndedBy.CLOSED, seat("N"))


@pytest.mark.parametrize("name", ALL)
def test_E7_the_conditions_are_the_sides(name: str) -> None:
    """North takes the pozzetto and completes the burraco; South, on the first hand, closes."""
    state = scene(
        rules=name,
        north="9h",
        south="Kd",
        east="9s",
        ns="3h..8h",
        stock="4s Th 5s 6s 7s",
        pozzetti=("As Ks Qh Jh 9c 8c 7s 6d 5h 4d 3c",) * 2,
    )
    north = play(state, add(1, "9h"), discard("4d"))
    south = play(pass_turns(north, 1), DRAW_STOCK, add(1, "Th"), discard("Kd"))
    assert south.end == End(EndedBy.CLOSED, seat("S"))


@pytest.mark.parametrize("name", ALL)
def test_E8_the_closing_discard_is_never_a_two(name: str) -> None:
    state = scene(rules=name, north="2s", ns="3h..9h, 3s 4s 5s", taken="NS")
    refused = refusal(state, discard("2s"))
    assert (refused.reason, refused.rule) == (Reason.CLOSE_WITH_WILD, "E8")
    beside = scene(rules=name, north="2s Kd", ns="3h..9h, 3s 4s 5s", taken="NS")
    assert play(beside, add(2, "2s"), discard("Kd")).end == End(EndedBy.CLOSED, seat("N"))
    assert play(beside, discard("Kd")).end is None


@pytest.mark.parametrize("name", ALL)
def test_E9_melding_the_last_card_is_refused(name: str) -> None:
    state = scene(rules=name, north="Kd", ns="3h..9h, Td Jd Qd", taken="NS")
    refused = refusal(state, add(2, "Kd"))
    assert (refused.reason, refused.rule) == (Reason.DEAD_END, "E9")
    assert play(state, discard("Kd")).end == End(EndedBy.CLOSED, seat("N"))


@pytest.mark.parametrize("name", ALL)
def test_E10_one_card_may_go_never_both(name: str) -> None:
    state = scene(rules=name, north="8c 3d", taken="NS")
    assert set(legal(state)) == {discard("8c"), discard("3d")}
    assert unpack(play(state, discard("8c")).hands[0]) == cards("3d")
    last = refusal(scene(rules=name, north="3d", taken="NS"), discard("3d"))
    assert (last.reason, last.rule) == (Reason.CLOSE_NO_BURRACO, "E10")


@pytest.mark.parametrize("name", ["classic", "fibur", "online"])
def test_E11_dead_ends_are_refused_at_the_meld(name: str) -> None:
    state = scene(rules=name, north="7h 7d 7c Jk", ns="3h..9h", taken="NS")
    three = refusal(state, lay("7h 7d 7c"))
    assert (three.reason, three.rule) == (Reason.DEAD_END, "E11")
    assert three.facts == {"why": "CLOSE_WITH_WILD", "left": "Jk", "nearest": "M2=7h7dJk"}
    assert refusal(state, lay("7h 7d 7c Jk")).reason is Reason.DEAD_END
    after = play(state, lay("7h 7d Jk"), discard("7c"))
    assert after.end == End(EndedBy.CLOSED, seat("N"))


def test_E11_international() -> None:
    state = scene(rules="international", north="Ah Ad Ac Jk", ns="3h..9h", taken="NS")
    assert refusal(state, lay("Ah Ad Ac")).reason is Reason.DEAD_END
    assert refusal(state, lay("Ah Ad Ac Jk")).reason is Reason.DEAD_END
    after = play(state, lay("Ah Ad Jk"), discard("Ac"))
    assert after.end == End(EndedBy.CLOSED, seat("N"))
    dirty = scene(rules="international", north="Ah Ad Ac Kd", ns="4h..9h Jk", taken="NS")
    facts = {"why": "CLOSE_NO_BURRACO", "left": "Kd", "nearest": "-Kd"}
    assert refusal(dirty, lay("Ah Ad Ac")).facts == facts


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("hand", "melds", "taken", "is_legal"),
    [
        pytest.param("9d Td Jd", "", "", True, id="no-pozzetto-none-left"),
        pytest.param("9d Td Jd Jk", "", "", True, id="no-pozzetto-one-left"),
        pytest.param("9d Td Jd 4c 4s", "", "NS", True, id="two-left"),
        pytest.param("9d Td Jd Jk 2c", "", "NS", True, id="two-wilds-left"),
        pytest.param("9d Td Jd 4c", "", "NS", False, id="one-left-no-burraco"),
        pytest.param("9d Td Jd 4c", "3h..9h", "NS", True, id="one-left-that-closes"),
        pytest.param("9d Td Jd 2c", "3h..9h", "NS", False, id="one-wild-left"),
        pytest.param("9d Td Jd", "3h..9h", "NS", False, id="none-left"),
    ],
)
def test_E11_by_cards_left(name: str, hand: str, melds: str, taken: str, is_legal: bool) -> None:
    state = scene(rules=name, north=hand, ns=melds, taken=taken)
    if is_legal:
        assert legal(play(state, lay("9d Td Jd")))
    else:
        assert refusal(state, lay("9d Td Jd")).reason is Reason.DEAD_END


@pytest.mark.parametrize("name", ALL)
def test_E12_a_burraco_completed_in_the_closing_turn(name: str) -> None:
    state = scene(rules=name, north="9h Kd", ns="3h..8h", taken="NS")
    assert play(state, add(1, "9h"), discard("Kd")).end == End(EndedBy.CLOSED, seat("N"))


@pytest.mark.parametrize("name", ALL)
def test_E13_the_partners_cards_count_minus(name: str) -> None:
    state = scene(rules=name, north="Kd", south="Jk 2h As", ns="3h..9h", taken="NS")
    assert score(play(state, discard("Kd")))[0].hands == -(30 + 20 + 15)


def _stock_of_three(name: str) -> DealState:
    return scene(
        rules=name,
        phase=Phase.DRAW,
        north="9s Kd",
        ns="3h..9h, 6s 7s 8s",
        taken="NS",
        stock="Ts 3d 4d",
    )


def test_E1_R60_R61_the_stock_ends_it_at_once() -> None:
    after, events = step(_stock_of_three("classic"), DRAW_STOCK)
    assert after.end == End(EndedBy.STOCK, None)
    assert after.stock == cards("3d 4d")
    assert legal(after) == []
    first = score(after)[0]
    assert (first.hands, first.closing) == (-30, 0)
    assert isinstance(events[-1].fact, DealEnded)
    assert (events[-1].fact.by, events[-1].fact.closer) == (EndedBy.STOCK, None)


@pytest.mark.parametrize(
    "action", [DRAW_STOCK, TAKE_PILE, add(2, "9s Ts"), lay("9s Ts Kd"), discard("Kd")], ids=repr
)
def test_E1_nothing_follows(action: Action) -> None:
    ended = play(_stock_of_three("classic"), DRAW_STOCK)
    assert refusal(ended, action).reason is Reason.DEAL_OVER


@pytest.mark.parametrize("name", LATER)
def test_E1_the_drawer_finishes_the_turn_and_may_close(name: str) -> None:
    drawn = play(_stock_of_three(name), DRAW_STOCK)
    assert drawn.end is None
    added = play(drawn, add(2, "9s Ts"))
    assert added.melds[0][1].points == drawn.melds[0][1].points + 20
    after = play(added, discard("Kd"))
    assert after.end == End(EndedBy.CLOSED, seat("N"))
    assert score(after)[0].closing == 100


@pytest.mark.parametrize("name", LATER)
def test_E1_E65_or_the_deal_ends_with_the_discard(name: str) -> None:
    after = play(_stock_of_three(name), DRAW_STOCK, discard("Kd"))
    assert after.end == End(EndedBy.STOCK, None)
    assert (score(after)[0].hands, score(after)[0].closing) == (-20, 0)


@pytest.mark.parametrize("name", ALL)
def test_R60_four_cards_are_enough(name: str) -> None:
    state = scene(rules=name, phase=Phase.DRAW, north="9s Kd", east="9h", stock="Ts 3d 4d 5d")
    after = play(state, DRAW_STOCK, discard("Kd"))
    assert (after.end, after.turn, len(after.stock)) == (None, seat("E"), 3)


@pytest.mark.parametrize("name", ALL)
def test_E4_no_closing_bonus_for_the_stock(name: str) -> None:
    after = play(_stock_of_three(name), DRAW_STOCK)
    if after.end is None:
        after = play(after, discard("Kd"))
    assert [side.closing for side in score(after)] == [0, 0]


def _passive(state: DealState, number: int) -> DealState:
    """Turns that take a one-card pile and discard another card."""
    for _ in range(number):
        (top,) = state.pile
        other = next(card for card in unpack(state.hands[state.turn]) if card != top)
        state = play(state, TAKE_PILE, Discard(other))
    return state


def _idle_table(name: str, passive: int = 0) -> DealState:
    return scene(
        rules=name,
        turn="W",
        phase=Phase.DRAW,
        west="5d 9c",
        north="4c Kd",
        east="6h Jd",
        south="8s Qh",
        pile="4c",
        passive=passive,
    )


@pytest.mark.parametrize("name", ["classic", "fibur", "online"])
def test_R62_R63_E5_eight_passive_turns(name: str) -> None:
    seventh = _passive(_idle_table(name), 7)
    assert seventh.end is None
    assert seventh.passive == 7
    eighth = _passive(_idle_table(name), 8)
    assert eighth.end == End(EndedBy.STALEMATE, None)
    assert [side.closing for side in score(eighth)] == [0, 0]


def test_E5_the_example_in_its_own_cards() -> None:
    west = play(_idle_table("classic"), TAKE_PILE, Discard(cards("5d")[0]))
    north = play(west, TAKE_PILE, Discard(cards("4c")[0]))
    assert (north.pile, north.passive) == (cards("4c"), 2)


def test_E5_the_same_card_may_come_back_in_classic() -> None:
    state = _idle_table("classic")
    for _ in range(8):
        state = play(state, TAKE_PILE, discard("4c"))
    assert state.end == End(EndedBy.STALEMATE, None)


def test_E5_a_knob_turns_it_off_or_down() -> None:
    never = rules_of("classic").with_knobs(stalemate_turns=0)
    state = scene(rules=never, phase=Phase.DRAW, pile="4c", north="Kd", east="Kc", passive=90)
    assert play(state, TAKE_PILE, discard("Kd")).end is None
    two = rules_of("classic").with_knobs(stalemate_turns=2)
    state = scene(rules=two, phase=Phase.DRAW, pile="4c", north="Kd", east="Kc", passive=1)
    assert play(state, TAKE_PILE, discard("Kd")).end == End(EndedBy.STALEMATE, None)
    one = rules_of("classic").with_knobs(stalemate_turns=1)
    state = scene(rules=one, phase=Phase.DRAW, pile="4c", north="Kd", east="Kc")
    assert play(state, TAKE_PILE, discard("Kd")).end == End(EndedBy.STALEMATE, None)


@pytest.mark.parametrize("name", ["classic", "fibur", "online"])
def test_E6_a_stock_draw_resets_the_count(name: str) -> None:
    drawn = play(_idle_table(name, passive=7), DRAW_STOCK)
    after = play(drawn, discard("9c"))
    assert (drawn.passive, after.passive, after.end) == (0, 0, None)


@pytest.mark.parametrize("name", ["classic", "fibur", "online"])
@pytest.mark.parametrize("meld", [lay("9d Td Jd"), add(1, "9d")], ids=repr)
def test_E6_a_meld_resets_the_count(name: str, meld: Action) -> None:
    state = scene(
        rules=name,
        phase=Phase.DRAW,
        north="9d Td Jd Kc Qs",
        ns="6d 7d 8d",
        pile="4c",
        passive=7,
    )
    melded = play(state, TAKE_PILE, meld)
    after = play(melded, discard("Kc"))
    assert (melded.passive, after.passive, after.end) == (0, 0, None)


@pytest.mark.parametrize("name", ["classic", "fibur", "online"])
def test_E6_a_larger_pile_resets_the_count(name: str) -> None:
    state = scene(rules=name, phase=Phase.DRAW, north="Kc Qs", pile="4c 5h", passive=7)
    taken = play(state, TAKE_PILE)
    after = play(taken, discard("Kc"))
    assert (taken.passive, after.passive, after.end) == (0, 0, None)


def test_E5_a_passive_turn_never_closes() -> None:
    """It ends with as many cards as it began with."""
    state = scene(phase=Phase.DRAW, north="Kc", ns="3h..9h", taken="NS", pile="4c", passive=7)
    after = play(state, TAKE_PILE, discard("Kc"))
    assert after.end == End(EndedBy.STALEMATE, None)
    assert after.hands[0] == bag_of("4c")
    assert totals(after) == (45 + 200 - 5, -100)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("at", SEATS)
def test_R55_every_action_is_refused_once_it_is_over(name: str, at: str) -> None:
    ended = scene(
        rules=name, turn=at, phase=Phase.OVER, north="Kd", end=End(EndedBy.CLOSED, seat(at))
    )
    for action in (DRAW_STOCK, TAKE_PILE, lay("Kd Kc Kh"), add(1, "Kd"), discard("Kd")):
        assert refusal(ended, action).reason is Reason.DEAL_OVER
