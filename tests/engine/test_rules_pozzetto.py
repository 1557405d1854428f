"""Rules §5 and decisions F: the pozzetto, who gets it, when, and who may see it."""

import pytest

from burraco.engine import (
    DRAW_STOCK,
    PRESETS,
    TAKE_PILE,
    DealState,
    Discard,
    EndedBy,
    Phase,
    Reason,
    View,
    bag,
    legal,
    score,
    view,
)
from burraco.engine.events import PozzettoOpened, PozzettoTaken
from tests.support.playing import add, discard, lay, pass_turns, play, refusal, step, totals
from tests.support.scenes import SEATS, cards, melds, scene, seat

ALL = tuple(PRESETS)
FIRST = "As Ks Qh Jh 9c 8c 7s 6d 5h 4d 3c"
SECOND = "Ad Kd Qd Jc 9d 8h 7c 6s 5s 4h 3d"


def _seen(state: DealState, name: str) -> View:
    return view(state, seat(name), 1, (0, 0))


@pytest.mark.parametrize("name", ALL)
def test_R48_R49_one_for_each_side_in_order(name: str) -> None:
    state = scene(rules=name, north="Kc", east="9s", south="9h 9d", pozzetti=(FIRST, SECOND))
    north = play(state, discard("Kc"))
    assert (north.taken, len(north.pozzetti)) == ((True, False), 1)
    south = play(pass_turns(north, 1), DRAW_STOCK, discard("9h"))
    assert (south.taken, south.pozzetti) == ((True, False), (bag(cards(SECOND)),))


def test_E57_the_first_to_run_out_takes_pozzetto_1() -> None:
    state = scene(turn="E", east="Kc", south="9s 8s", pozzetti=(FIRST, SECOND))
    east = play(state, discard("Kc"))
    assert east.unopened[seat("E")] == bag(cards(FIRST))
    south = scene(
        turn="S", south="Kc", pozzetti=(SECOND,), taken="EW", unopened={"E": FIRST}, west="9s"
    )
    assert play(south, discard("Kc")).unopened[seat("S")] == bag(cards(SECOND))


@pytest.mark.parametrize("name", ALL)
def test_R50_R51_E53_direct(name: str) -> None:
    """Hand Jc Qc Kc, draws Ac, lays all four: the pozzetto at once, the turn goes on."""
    state = scene(
        rules=name,
        phase=Phase.DRAW,
        north="Jc Qc Kc",
        stock="Ac 3d 4d 5d 6d",
        pozzetti=(FIRST, SECOND),
    )
    drawn = play(state, DRAW_STOCK)
    after, events = step(drawn, lay("Jc Qc Kc Ac"))
    assert after.hands[0] == bag(cards(FIRST))
    assert (after.turn, after.phase, after.taken) == (seat("N"), Phase.PLAY, (True, False))
    assert events[-1].fact == PozzettoTaken(seat("N"), direct=True)
    assert events[-1].seen_by(seat("N")).cards == tuple(sorted(cards(FIRST)))
    assert events[-1].seen_by(seat("S")).cards == ()
    assert _seen(after, "N").hidden == 0
    assert play(after, discard("4d")).turn == seat("E")


@pytest.mark.parametrize("name", ALL)
def test_R50_direct_by_an_addition(name: str) -> None:
    state = scene(rules=name, north="7c", ns="4c 5c 6c", pozzetti=(FIRST, SECOND))
    after = play(state, add(1, "7c"), add(1, "3c 8c"))
    assert after.melds[0] == melds("3c..8c")


@pytest.mark.parametrize("name", ALL)
def test_R52_R53_on_the_discard(name: str) -> None:
    after, events = step(scene(rules=name, north="Kc", pozzetti=(FIRST, SECOND)), discard("Kc"))
    assert (after.turn, after.phase) == (seat("E"), Phase.DRAW)
    assert after.taken == (True, False)
    assert after.hand_size(seat("N")) == 11
    assert events[-1].fact == PozzettoTaken(seat("N"), direct=False)
    assert all(events[-1].seen_by(viewer).cards == () for viewer in (None, 0, 1, 2, 3))


@pytest.mark.parametrize("name", ["classic", "fibur", "online"])
@pytest.mark.parametrize("wild", ["Jk", "2h"])
def test_E54_with_a_wild_as_last_card(name: str, wild: str) -> None:
    after = play(scene(rules=name, north=wild, east="Kc 9d", pile="4c"), discard(wild))
    assert (after.taken, after.end) == ((True, False), None)
    east = play(after, TAKE_PILE)
    assert east.hands[seat("E")] == bag(cards(f"Kc 9d 4c {wild}"))


def _taken_on_the_discard(name: str) -> DealState:
    state = scene(
        rules=name,
        north="Kc",
        east="9s 8s",
        south="9h 8h",
        west="9d 8d",
        pozzetti=(FIRST, SECOND),
        stock="Th Td Ts Tc 4s 4h 5d 6c 7d",
    )
    return play(state, discard("Kc"))


@pytest.mark.parametrize(
    ("name", "hidden_turns"), [("classic", 3), ("online", 3), ("fibur", 2), ("international", 2)]
)
def test_E55_hidden_until(name: str, hidden_turns: int) -> None:
    """Until the owner's next turn, or until the partner has discarded."""
    state = _taken_on_the_discard(name)
    for _ in range(hidden_turns):
        assert [_seen(state, viewer).counts[0] for viewer in SEATS] == [11] * 4
        assert (_seen(state, "N").hand, _seen(state, "N").hidden) == ((), 11)
        assert _seen(state, "N").unopened == (True, False, False, False)
        state = pass_turns(state, 1)
    assert _seen(state, "N").hand == tuple(sorted(cards(FIRST)))
    assert _seen(state, "N").hidden == 0
    assert _seen(state, "S").counts[0] == 11


@pytest.mark.parametrize(("name", "turns"), [("classic", 3), ("fibur", 2)])
def test_E55_the_owner_alone_is_shown_the_cards(name: str, turns: int) -> None:
    state = pass_turns(_taken_on_the_discard(name), turns - 1)
    drawn = play(state, DRAW_STOCK)
    _, events = step(drawn, Discard(drawn.drawn))
    opened = [event for event in events if isinstance(event.fact, PozzettoOpened)]
    assert [event.fact for event in opened] == [PozzettoOpened(seat("N"))]
    assert opened[0].seen_by(seat("N")).cards == tuple(sorted(cards(FIRST)))
    assert all(opened[0].seen_by(viewer).cards == () for viewer in (None, 1, 2, 3))


def test_E55_opened_before_the_draw() -> None:
    state = pass_turns(_taken_on_the_discard("classic"), 3)
    assert (state.turn, state.phase) == (seat("N"), Phase.DRAW)
    assert len(_seen(state, "N").hand) == 11


@pytest.mark.parametrize("name", ALL)
def test_E56_closed_before_it_is_opened(name: str) -> None:
    """The eleven cards count minus once; the 100 for a pozzetto not taken does not apply."""
    state = scene(
        rules=name, turn="E", east="Kc", ew="3h..9h", taken="NS EW", unopened={"N": FIRST}
    )
    after = play(state, discard("Kc"))
    assert after.end is not None
    assert after.end.by is EndedBy.CLOSED
    north_south = score(after)[0]
    assert north_south.hands == -(15 + 10 + 10 + 10 + 10 + 10 + 5 + 5 + 5 + 5 + 5)
    assert north_south.pozzetto == 0
    assert totals(after) == (-90, 45 + 200 + 100)


@pytest.mark.parametrize("name", ALL)
def test_E58_a_side_never_gets_a_second(name: str) -> None:
    state = scene(rules=name, turn="S", south="Kc", ns="3h..8h", taken="NS", pozzetti=(SECOND,))
    assert refusal(state, discard("Kc")).reason is Reason.CLOSE_NO_BURRACO
    melding = scene(rules=name, turn="S", south="9h", ns="3h..8h", taken="NS")
    assert refusal(melding, add(1, "9h")).reason is Reason.DEAD_END
    closing = scene(rules=name, turn="S", south="Kc", ns="3h..9h", taken="NS", pozzetti=(SECOND,))
    after = play(closing, discard("Kc"))
    assert after.end is not None
    assert after.end.closer == seat("S")
    assert after.pozzetti == (bag(cards(SECOND)),)


@pytest.mark.parametrize("name", ALL)
def test_E59_a_pozzetto_nobody_took_counts_for_nobody(name: str) -> None:
    state = scene(rules=name, north="Kc", ns="3h..9h", taken="NS", pozzetti=(SECOND,))
    assert totals(play(state, discard("Kc"))) == (45 + 200 + 100, -100)


@pytest.mark.parametrize(
    ("name", "after_the_draw", "held", "penalty"),
    [
        ("classic", [], 25, 100),
        ("fibur", [discard("5h")], 20, 0),
        ("international", [discard("5h")], 20, 100),
        ("online", [discard("5h")], 20, 100),
    ],
)
def test_E60_neither_side_took_one(
    name: str, after_the_draw: list[Discard], held: int, penalty: int
) -> None:
    state = scene(
        rules=name,
        phase=Phase.DRAW,
        north="9d Kd",
        ns="Ah Ad Ac",
        ew="3h 3d 3c",
        stock="5h 6h 7h",
    )
    ended = play(state, DRAW_STOCK, *after_the_draw)
    assert ended.end is not None
    assert totals(ended) == (45 - held - penalty, 15 - penalty)


@pytest.mark.parametrize("name", ALL)
def test_E60_one_side_took_one(name: str) -> None:
    state = scene(rules=name, north="Kc", ns="3h..9h", taken="NS", ew="Ah Ad Ac", east="9d")
    assert totals(play(state, discard("Kc")))[1] == 45 - 10 - 100


@pytest.mark.parametrize("name", ["fibur", "international", "online"])
def test_E65_the_last_discard_runs_the_hand_out(name: str) -> None:
    state = scene(
        rules=name,
        phase=Phase.DRAW,
        north="Jc Qc Kc",
        stock="9d 3d 4d",
        pozzetti=(FIRST, SECOND),
        ew="3h 3d 3c",
    )
    drawn = play(state, DRAW_STOCK)
    assert drawn.last_turn
    after = play(drawn, lay("Jc Qc Kc"), discard("9d"))
    assert after.end is not None
    assert after.end.by is EndedBy.STOCK
    assert after.taken == (True, False)
    assert legal(after) == []
    assert totals(after) == (30 - 90, 15 - 100)
