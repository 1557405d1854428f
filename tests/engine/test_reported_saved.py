"""Reported faults of what is written and read again: cases 76 and 154."""

from itertools import islice

import pytest

from burraco.engine import PRESETS, Action, DealState, Ruleset, Unreadable, apply, legal
from burraco.engine.bgn import parse, write_scene
from burraco.engine.bgn_scene import read_scene
from burraco.v1 import actions_pb2
from burraco.wire import action_from_wire, action_to_wire
from tests.support.scenes import left_over, melds, scene
from tests.support.walks import TABLES, walk

POZZETTO = "As Ks Qh Jh 9c 8c 7s 6d 5h 4d 3c"
STATES = 10_000
RUNS = ("345", "678", "9TJ", "QKA")
SEQUENCES = [" ".join(rank + suit for rank in run) for suit in "shdc" for run in RUNS]
FIFTEEN_MELDS = ", ".join(SEQUENCES[:15])


@pytest.mark.parametrize("name", PRESETS)
def test_76_a_pozzetto_of_ten_cards_is_not_loaded(name: str) -> None:
    state = scene(rules=name, north="9s 9h", taken="NS", pozzetti=(POZZETTO,))
    text = write_scene(state, {})
    (whole,) = parse(text)
    assert read_scene(whole) == state
    (short,) = parse(text.replace("2:As", "2:"))
    with pytest.raises(Unreadable, match="a pozzetto of 10 cards: it has 11"):
        read_scene(short)


def _all_come_back(state: DealState) -> int:
    """Each legal action is one message and comes back from it; how many there are."""
    actions = legal(state)
    messages = {_sent(action) for action in actions}
    assert len(messages) == len(set(actions)) == len(actions)
    assert [_received(_sent(action)) for action in actions] == actions
    return len(actions)


def _sent(action: Action) -> bytes:
    return action_to_wire(action).SerializeToString(deterministic=True)


def _received(message: bytes) -> Action:
    return action_from_wire(actions_pb2.Action.FromString(message))


@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: f"{rules.name}-{rules.players}")
def test_154_no_two_actions_are_one_on_the_wire(rules: Ruleset) -> None:
    """Actions have no numbers here: a message names the cards, and the meld they are added to."""
    each = STATES // len(TABLES)
    states = [state for number in range(6) for state, _ in walk(rules, number)]
    assert len(states) >= each
    for state in islice(states, each):
        assert _all_come_back(state)


@pytest.mark.parametrize("name", PRESETS)
def test_154_a_hand_of_forty_beside_fifteen_melds(name: str) -> None:
    laid = [card for meld in melds(FIFTEEN_MELDS) for card in meld.cards]
    hand = " ".join(map(str, left_over(laid)[-40:]))
    state = scene(rules=name, north=hand, ns=FIFTEEN_MELDS, taken="NS EW", pozzetti=())
    assert _all_come_back(state) > 100
    for action in legal(state):
        apply(state, action)
