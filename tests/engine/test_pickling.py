"""Values travel between processes, whether the engine is compiled or not."""

import copy
import pickle

import pytest

from burraco.engine import (
    DRAW_STOCK,
    PRESETS,
    TAKE_PILE,
    Action,
    Cut,
    MatchSetup,
    Meld,
    Seed,
    apply,
    classify,
    legal,
    score,
    start_match,
)
from burraco.engine.state import DealState
from tests.support.playing import add, discard, lay
from tests.support.walks import walk


@pytest.mark.parametrize(
    "action",
    [DRAW_STOCK, TAKE_PILE, lay("7h 7d 2s"), add(2, "7c 7c"), discard("Jk"), Cut(30)],
    ids=repr,
)
def test_actions_travel(action: Action) -> None:
    there = pickle.loads(pickle.dumps(action))
    assert there == action
    assert repr(there) == repr(action)
    assert copy.deepcopy(action) == action


def test_a_meld_arrives_as_the_one_object_for_its_cards() -> None:
    meld = classify(lay("3h 4h Jk 6h").bag)
    assert isinstance(meld, Meld)
    assert pickle.loads(pickle.dumps(meld)) is meld
    assert copy.deepcopy(meld) is meld


@pytest.mark.parametrize("name", PRESETS)
def test_states_travel(name: str) -> None:
    for state, _ in walk(PRESETS[name], 4):
        there: DealState = pickle.loads(pickle.dumps(state))
        assert there == state
        assert there.melds == state.melds


def test_steps_scores_and_matches_travel() -> None:
    state, _ = next(walk(PRESETS["classic"], 4))
    step = apply(state, legal(state)[0])
    begun = start_match(MatchSetup(PRESETS["fibur"], Seed(bytes(80), b""), 0, 0, False))
    for value in (step, score(state), begun):
        assert pickle.loads(pickle.dumps(value)) == value
