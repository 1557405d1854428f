"""What is played for a seat that does not answer: always something legal, and nothing foolish."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burraco.engine import (
    DRAW_STOCK,
    PRESETS,
    TAKE_PILE,
    Action,
    DealState,
    Discard,
    Phase,
    Ruleset,
    View,
    advance,
    legal,
    view,
)
from burraco.engine.standin import default_action, greedy_action
from tests.support.playing import add, discard, lay, play
from tests.support.scenes import scene
from tests.support.walks import LONGEST, opening, walk

ALL = tuple(PRESETS)
NUMBERS = st.integers(0, 2**32 - 1)
RULES = st.sampled_from(list(PRESETS.values()))


def _seen(state: DealState) -> View:
    return view(state, state.turn, 1, (0, 0))


def _default(state: DealState) -> Action:
    return default_action(_seen(state))


def _greedy(state: DealState) -> Action:
    return greedy_action(_seen(state))


@given(rules=RULES, number=NUMBERS)
def test_118_the_default_is_always_legal(rules: Ruleset, number: int) -> None:
    for state, _ in walk(rules, number):
        action = _default(state)
        assert action in legal(state)
        if state.phase is Phase.PLAY and not state.must_meld:
            assert isinstance(action, Discard)


@given(rules=RULES, number=NUMBERS)
def test_a_deal_of_defaults_ends(rules: Ruleset, number: int) -> None:
    state = opening(rules, number)
    while state.end is None:
        state = advance(state, _default(state))
    assert len(state.stock) == 2


@given(rules=RULES, number=NUMBERS)
def test_a_deal_of_stand_ins_ends(rules: Ruleset, number: int) -> None:
    state = opening(rules, number)
    for _ in range(LONGEST):
        if state.end is not None:
            return
        action = _greedy(state)
        assert action in legal(state)
        state = advance(state, action)
    raise AssertionError("stand-ins play for ever")


@pytest.mark.parametrize("name", ALL)
def test_the_default_draws_and_discards_what_it_drew(name: str) -> None:
    state = scene(rules=name, phase=Phase.DRAW, north="7h 9d", stock="Kc 3d 4d 5d")
    assert _default(state) == DRAW_STOCK
    assert _default(play(state, DRAW_STOCK)) == discard("Kc")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("drawn", ["Jk", "2c"])
def test_the_default_gives_no_wild_away(name: str, drawn: str) -> None:
    state = scene(rules=name, phase=Phase.DRAW, north="2s 9d", stock=f"{drawn} 3d 4d 5d")
    assert _default(play(state, DRAW_STOCK)) == discard("9d")


@pytest.mark.parametrize("name", ALL)
def test_118_two_wilds_and_nothing_else(name: str) -> None:
    state = scene(rules=name, phase=Phase.DRAW, north="2s", stock="Jk 3d 4d 5d", taken="NS")
    assert _default(play(state, DRAW_STOCK)) in {discard("Jk"), discard("2s")}


def test_the_default_without_a_stock_takes_the_pile() -> None:
    assert _default(scene(phase=Phase.DRAW, north="7h", stock="", pile="4c")) == TAKE_PILE


def test_the_default_does_the_duty_of_E49() -> None:
    state = scene(rules="international", phase=Phase.DRAW, north="Ah Ad 9s Td", pile="Ac")
    assert _default(play(state, TAKE_PILE)) == lay("Ah Ad Ac")


@pytest.mark.parametrize("name", ALL)
def test_the_stand_in_takes_a_pile_that_fits(name: str) -> None:
    fits = scene(rules=name, phase=Phase.DRAW, north="Kd 9d", ns="4h 5h 6h", pile="Jc 7h")
    assert _greedy(fits) == TAKE_PILE
    assert _greedy(play(fits, TAKE_PILE)) == add(1, "7h")
    other = scene(rules=name, phase=Phase.DRAW, north="Kd 9d", ns="4h 5h 6h", pile="7h Jc")
    assert _greedy(other) == DRAW_STOCK


@pytest.mark.parametrize("name", ALL)
def test_the_stand_in_lays_the_longest_meld(name: str) -> None:
    assert _greedy(scene(rules=name, north="4h 5h 6h 7h 9d Kc")) == lay("4h 5h 6h 7h")


@pytest.mark.parametrize("name", ALL)
def test_the_stand_in_keeps_wilds_and_pairs(name: str) -> None:
    """The dearest card that stands alone goes."""
    assert _greedy(scene(rules=name, north="Jk 4h 5h 9c Ks", taken="NS EW")) != discard("Jk")
    assert _greedy(scene(rules=name, north="4h 5h Ks 9c")) == discard("Ks")
