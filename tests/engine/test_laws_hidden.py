"""Laws: what a seat is shown does not depend on anything that is hidden from it."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from burraco.engine import (
    Action,
    DealState,
    Ruleset,
    SeenEvent,
    apply,
    legal,
    unpack,
    view,
)
from burraco.engine.events import DealEnded
from tests.support.hidden import cards_accounted, redealt
from tests.support.walks import TABLES, walk

NUMBERS = st.integers(0, 2**32 - 1)
RULES = st.sampled_from(TABLES)


def _viewers(state: DealState) -> tuple[int | None, ...]:
    return None, *range(len(state.hands))


@given(rules=RULES, number=NUMBERS)
def test_a_view_does_not_change_when_hidden_cards_do(rules: Ruleset, number: int) -> None:
    chance = Random(number)
    for at, (state, _) in enumerate(walk(rules, number)):
        viewers = _viewers(state)
        viewer = viewers[at % len(viewers)]
        other = redealt(state, viewer, chance)
        mine, theirs = (view(one, viewer, 1, (0, 0)) for one in (state, other))
        assert mine == theirs
        assert mine.legal == theirs.legal


@given(rules=RULES, number=NUMBERS)
def test_a_view_has_all_that_its_seat_decides_on(rules: Ruleset, number: int) -> None:
    for state, _ in walk(rules, number):
        shown = view(state, state.turn, 1, (0, 0))
        assert set(shown.legal) == set(legal(state))
        assert shown.is_my_turn
        for waiting in (seat for seat in _viewers(state) if seat != state.turn):
            other = view(state, waiting, 1, (0, 0))
            assert (other.legal, other.is_my_turn) == ((), False)
            assert (other.drawn, other.barred, other.must_meld) == (None, None, False)


@given(rules=RULES, number=NUMBERS)
def test_a_view_counts_every_card(rules: Ruleset, number: int) -> None:
    """What a seat sees and what it does not see are 108 cards."""
    for state, _ in walk(rules, number):
        for viewer in _viewers(state):
            shown = view(state, viewer, 1, (0, 0))
            assert cards_accounted(shown) == 108
            own = () if viewer is None else unpack(state.hands[viewer])
            assert shown.hand == own


def _seen(state: DealState, action: Action, viewer: int | None) -> list[object]:
    """The events of an action as a viewer sees them; the points at the end tell of all hands."""
    return [
        (event.fact.by, event.fact.closer) if isinstance(event.fact, DealEnded) else shown
        for event in apply(state, action).events
        for shown in [event.seen_by(viewer)]
    ]


@given(rules=RULES, number=NUMBERS)
def test_events_tell_nothing_that_is_hidden(rules: Ruleset, number: int) -> None:
    chance = Random(number)
    for at, (state, action) in enumerate(walk(rules, number)):
        viewers = _viewers(state)
        for viewer in (viewers[at % len(viewers)], state.turn):
            other = redealt(state, viewer, chance, action)
            if action in legal(other):
                assert _seen(state, action, viewer) == _seen(other, action, viewer)


@given(rules=RULES, number=NUMBERS)
def test_only_one_seat_has_the_secret_of_an_event(rules: Ruleset, number: int) -> None:
    for state, action in walk(rules, number):
        for event in apply(state, action).events:
            told = [viewer for viewer in _viewers(state) if event.seen_by(viewer).cards]
            assert len(told) <= 1
            assert None not in told
            assert event.seen_by(None) == SeenEvent(event.fact, ())
