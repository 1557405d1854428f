"""Reported faults, sections D to G: turns, pozzetti, closing, stock."""

import pytest

from burraco.engine import (
    DRAW_STOCK,
    PRESETS,
    TAKE_PILE,
    DealState,
    Discard,
    End,
    EndedBy,
    Event,
    Phase,
    Reason,
    Seed,
    View,
    apply,
    legal,
    score,
    unpack,
    view,
)
from burraco.engine.cards import size
from burraco.engine.deal import draw_seats
from burraco.engine.events import DealEnded, PileTaken
from tests.support.playing import add, discard, lay, pass_turns, play, refusal, step
from tests.support.scenes import SEATS, bag_of, cards, rules_of, scene, seat
from tests.support.walks import opening, walk

ALL = tuple(PRESETS)
NO_DUTY = ("classic", "fibur", "online")
LATER = ("fibur", "international", "online")
POZZETTO = "As Ks Qh Jh 9c 8c 7s 6d 5h 4d 3c"


def _seen(state: DealState, name: str) -> View:
    return view(state, seat(name), 1, (0, 0))


@pytest.mark.parametrize("name", ALL)
def test_58_the_turn_reaches_every_seat(name: str) -> None:
    state = scene(
        rules=name, turn="E", phase=Phase.DRAW, north="9s", east="9h", south="9d", west="9c"
    )
    assert [pass_turns(state, number).turn for number in range(8)] == [1, 2, 3, 0, 1, 2, 3, 0]


@pytest.mark.parametrize("name", ALL)
def test_59_every_player_sits_in_one_seat(name: str) -> None:
    for number in range(50):
        seats = draw_seats(Seed(number.to_bytes(80, "big"), b""), rules_of(name))
        assert sorted(seats) == [0, 1, 2, 3]
        assert rules_of(name).sides_as_dealt == (0, 1, 0, 1)


@pytest.mark.parametrize("name", ALL)
def test_61_the_action_picked_is_the_action_played(name: str) -> None:
    state = scene(rules=name, north="9d Td Jd Kc 4s", ns="6s 7s 8s")
    for picked in legal(state):
        if isinstance(picked, Discard):
            assert play(state, picked).pile[-1] == picked.card


@pytest.mark.parametrize(
    ("hand", "pile", "thrown", "allowed_in"),
    [
        pytest.param("3c 4h 9s", "8d", "8d", {"classic"}, id="62-the-card-itself"),
        pytest.param("8d' 4h 9s", "8d", "8d", {"classic", "fibur"}, id="62-twin-held"),
        pytest.param("8d' 4h 9s", "8d", "8d'", {"classic", "fibur"}, id="62-the-twin-itself"),
        pytest.param("3c 4h 9s", "8d Kc", "Kc", set(NO_DUTY), id="62-of-two-cards"),
    ],
)
@pytest.mark.parametrize("name", NO_DUTY)
def test_giving_back_the_pile(
    name: str, hand: str, pile: str, thrown: str, allowed_in: set[str]
) -> None:
    state = scene(rules=name, phase=Phase.DRAW, north=hand, pile=pile)
    taken = play(state, TAKE_PILE)
    if name in allowed_in:
        assert play(taken, discard(thrown)).pile == cards(thrown)
    else:
        assert refusal(taken, discard(thrown)).reason is Reason.REDISCARD_SINGLE


@pytest.mark.parametrize("name", NO_DUTY)
def test_64_the_pile_and_the_hand_are_two_things(name: str) -> None:
    state = scene(rules=name, phase=Phase.DRAW, north="9s Th", pile="4c 5c Kd")
    taken, events = step(state, TAKE_PILE)
    assert events[0].fact == PileTaken(seat("N"), cards("4c 5c Kd"))
    after = play(taken, discard("Kd"))
    assert after.hands[0] == bag_of("9s Th 4c 5c")
    assert after.pile == cards("Kd")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("at", SEATS)
def test_65_after_the_deal_is_over(name: str, at: str) -> None:
    ended = scene(
        rules=name,
        turn=at,
        phase=Phase.OVER,
        north="Kd",
        ns="3h..9h",
        taken="NS",
        end=End(EndedBy.CLOSED, seat("N")),
    )
    for action in (DRAW_STOCK, TAKE_PILE, lay("4c 5c 6c"), add(1, "Th"), discard("Kd")):
        assert refusal(ended, action).reason is Reason.DEAL_OVER


@pytest.mark.parametrize(
    ("hand", "is_legal"),
    [
        pytest.param("Ah Ad", False, id="67-would-leave-none"),
        pytest.param("Ah Ad 9s", False, id="67-would-leave-one"),
        pytest.param("Ah Ad 9s Td", True, id="67-would-leave-two"),
    ],
)
def test_duty_to_meld_meets_the_dead_end(hand: str, is_legal: bool) -> None:
    state = scene(
        rules="international", phase=Phase.DRAW, north=hand, pile="Ac", taken="NS", ns="4h..9h Jk"
    )
    if not is_legal:
        assert refusal(state, TAKE_PILE).reason is Reason.PILE_REQUIRES_MELD
        return
    taken = play(state, TAKE_PILE)
    assert refusal(taken, discard("9s")).reason is Reason.MUST_MELD_AFTER_PILE
    assert play(taken, lay("Ah Ad Ac"), discard("9s")).turn == seat("E")


@pytest.mark.parametrize("name", ALL)
def test_70_one_pozzetto_for_a_side(name: str) -> None:
    state = scene(
        rules=name, turn="S", south="7c 8c", ns="4c 5c 6c", taken="NS", pozzetti=(POZZETTO,)
    )
    assert refusal(state, add(1, "7c 8c")).reason is Reason.DEAD_END
    assert state.pozzetti == (bag_of(POZZETTO),)


@pytest.mark.parametrize("name", ALL)
def test_71_eleven_cards_each(name: str) -> None:
    state = scene(
        rules=name, north="7c", east="7d", ns="4c 5c 6c", ew="4d 5d 6d", stock="Th 4s 5s 6s"
    )
    north = play(state, add(1, "7c"))
    assert (size(north.hands[0]), len(north.pozzetti)) == (11, 1)
    east = play(play(north, Discard(unpack(north.hands[0])[0])), DRAW_STOCK, add(1, "7d"))
    after = play(east, discard("Th"))
    assert (after.hand_size(seat("E")), len(after.pozzetti)) == (11, 0)


@pytest.mark.parametrize("name", NO_DUTY)
def test_73_no_pozzetto_while_a_card_is_left(name: str) -> None:
    state = scene(rules=name, phase=Phase.DRAW, north="4s 5s", pile="Kh 6s")
    melded = play(state, TAKE_PILE, lay("4s 5s 6s"))
    assert (melded.taken, melded.hands[0]) == ((False, False), bag_of("Kh"))
    assert play(melded, discard("Kh")).taken == (True, False)


@pytest.mark.parametrize("name", ALL)
def test_74_a_wild_fetches_the_pozzetto(name: str) -> None:
    state = scene(rules=name, phase=Phase.DRAW, north="Jk1", ns="6c 7c 8c", stock="5c 4s 5s 6s")
    after = play(state, DRAW_STOCK, add(1, "5c"), discard("Jk1"))
    assert (after.taken, after.end, after.turn) == ((True, False), None, seat("E"))


@pytest.mark.parametrize(
    ("name", "hidden_turns"), [("classic", 3), ("online", 3), ("fibur", 2), ("international", 2)]
)
def test_77_seen_in_its_time(name: str, hidden_turns: int) -> None:
    state = scene(rules=name, north="Kc", east="9s", south="9h", west="9d", pozzetti=(POZZETTO,))
    state = play(state, discard("Kc"))
    for _ in range(hidden_turns):
        shown = _seen(state, "N")
        assert (shown.hand, shown.hidden, shown.counts[0], shown.legal) == ((), 11, 11, ())
        state = pass_turns(state, 1)
    assert _seen(state, "N").hand == tuple(sorted(cards(POZZETTO)))


@pytest.mark.parametrize("name", ALL)
def test_77_closed_meanwhile(name: str) -> None:
    state = scene(rules=name, north="9d", east="Kc", ew="3h..9h", taken="EW", stock="Th 4s 5s 6s")
    taken = play(state, discard("9d"))
    held = taken.hand_points(0)
    after = play(taken, DRAW_STOCK, add(1, "Th"), discard("Kc"))
    assert (score(after)[0].hands, score(after)[0].pozzetto) == (-held, 0)
    assert _seen(after, "N").hidden == 11


@pytest.mark.parametrize("name", NO_DUTY)
def test_79_one_card_left_that_may_not_go(name: str) -> None:
    state = scene(rules=name, north="5s 5h 5d Kc", taken="NS")
    assert refusal(state, lay("5s 5h 5d")).facts["why"] == "CLOSE_NO_BURRACO"


@pytest.mark.parametrize("name", ALL)
def test_80_a_hand_of_two_is_not_frozen(name: str) -> None:
    after = play(scene(rules=name, north="Kc 3d", taken="NS"), discard("Kc"))
    assert (after.hands[0], after.turn) == (bag_of("3d"), seat("E"))


@pytest.mark.parametrize("name", ALL)
def test_82_the_meld_that_makes_the_burraco(name: str) -> None:
    state = scene(rules=name, north="9h Th Jh Kc", ns="5h 6h 7h 8h", taken="NS")
    after = play(state, add(1, "9h Th Jh"), discard("Kc"))
    assert after.end == End(EndedBy.CLOSED, seat("N"))
    assert score(after)[0].closing == 100


@pytest.mark.parametrize("name", NO_DUTY)
def test_83_a_burraco_of_an_earlier_turn(name: str) -> None:
    state = scene(rules=name, north="5s 5h 5d Kc", ns="3c..9c", taken="NS")
    after = play(state, lay("5s 5h 5d"), discard("Kc"))
    assert after.end == End(EndedBy.CLOSED, seat("N"))


@pytest.mark.parametrize("name", ALL)
def test_85_no_closing_without_a_burraco(name: str) -> None:
    state = scene(rules=name, north="Kc", ns="3h..8h, 4c 5c 6c", taken="NS")
    assert refusal(state, discard("Kc")).reason is Reason.CLOSE_NO_BURRACO
    assert state.phase is Phase.PLAY


@pytest.mark.parametrize("name", ALL)
def test_86_the_end_says_why(name: str) -> None:
    """A deal played out by drawing and discarding ends with the stock, and nobody closed it."""
    state = opening(rules_of(name), 86)
    events: tuple[Event, ...] = ()
    while state.end is None:
        drawn = apply(state, DRAW_STOCK)
        state, events = drawn.state, drawn.events
        if state.end is None:
            thrown = apply(state, Discard(state.drawn))
            state, events = thrown.state, thrown.events
    facts = [event.fact for event in events if isinstance(event.fact, DealEnded)]
    assert [(fact.by, fact.closer) for fact in facts] == [(EndedBy.STOCK, None)]
    assert len(state.stock) == 2


def _stock_of_three(name: str) -> DealState:
    return scene(
        rules=name,
        turn="E",
        phase=Phase.DRAW,
        east="9s Kd",
        south="9d",
        ew="6s 7s 8s, 3h..9h",
        taken="EW",
        stock="Ts 3d 4d",
    )


def test_88_last_two_cards_at_once() -> None:
    after = play(_stock_of_three("classic"), DRAW_STOCK)
    assert after.end == End(EndedBy.STOCK, None)
    assert score(after)[1].hands == -30


@pytest.mark.parametrize("name", LATER)
def test_88_last_two_cards_after_the_discard(name: str) -> None:
    drawn = play(_stock_of_three(name), DRAW_STOCK)
    assert play(drawn, discard("Kd")).end == End(EndedBy.STOCK, None)
    closed = play(drawn, add(1, "9s Ts"), discard("Kd"))
    assert closed.end == End(EndedBy.CLOSED, seat("E"))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("number", range(3))
def test_89_there_is_always_something_to_draw(name: str, number: int) -> None:
    for state, _ in walk(rules_of(name), number):
        assert legal(state)
        if state.phase is Phase.DRAW:
            assert len(state.stock) > 2
            assert state.pile
