"""Rollouts: a deal played to its end is the same deal played step by step."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burraco.engine import PRESETS, Action, DealState, apply, legal
from burraco.engine.rollout import RandomPolicy, random_action, rollout
from tests.support.walks import LONGEST, opening

_SEEDS = st.integers(0, 2**64 - 1)


@pytest.mark.parametrize("name", PRESETS)
@given(seed=_SEEDS, number=st.integers(0, 1000))
def test_a_rollout_is_apply_step_by_step(name: str, seed: int, number: int) -> None:
    start = opening(PRESETS[name], number)
    chosen: list[Action] = []
    choose = RandomPolicy(seed)

    def policy(state: DealState) -> Action:
        chosen.append(choose(state))
        return chosen[-1]

    end = rollout(start, policy, LONGEST)
    state = start
    for action in chosen:
        assert action in legal(state)
        state = apply(state, action).state
    assert state == end
    assert end.end is not None


@given(seed=_SEEDS)
def test_the_same_seed_gives_the_same_end(seed: int) -> None:
    start = opening(PRESETS["classic"], 7)
    before = start.facts
    first, second = (rollout(start, RandomPolicy(seed), LONGEST) for _ in range(2))
    assert first == second
    assert start.facts == before


def test_seeds_lead_to_different_ends() -> None:
    start = opening(PRESETS["classic"], 7)
    assert len({rollout(start, RandomPolicy(seed), LONGEST) for seed in range(50)}) == 50


@pytest.mark.parametrize("limit", [0, 1, 2, 9])
def test_a_rollout_stops_at_its_limit(limit: int) -> None:
    state = start = opening(PRESETS["classic"], 3)
    choose = RandomPolicy(5)
    for _ in range(limit):
        state = apply(state, choose(state)).state
    assert rollout(start, RandomPolicy(5), limit) == state


def test_a_deal_that_is_over_stays_as_it_is() -> None:
    over = rollout(opening(PRESETS["classic"], 3), RandomPolicy(5), LONGEST)
    assert rollout(over, RandomPolicy(6), LONGEST) == over


@given(number=st.integers(0, 1000), bits=st.integers(0, 2**32 - 1))
def test_random_bits_choose_a_legal_action(number: int, bits: int) -> None:
    state = opening(PRESETS["classic"], number)
    assert random_action(state, bits) in legal(state)


def test_random_bits_choose_every_action_equally_often() -> None:
    start = opening(PRESETS["classic"], 1)
    state = apply(start, legal(start)[0]).state
    actions = legal(state)
    steps = 2**32 // (100 * len(actions))
    chosen = [random_action(state, at * steps) for at in range(100 * len(actions))]
    assert all(chosen.count(action) in (99, 100, 101) for action in actions)
