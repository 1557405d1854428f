"""Which knobs go together: what makes no game is refused with the reason (docs/rules-knobs.md)."""

import pytest

from burraco.engine import Unreadable, preset

CLASSIC = preset("classic")


@pytest.mark.parametrize(
    ("knobs", "why"),
    [
        pytest.param(
            {"semiclean_bonus": 205},
            "between dirty_bonus 100 and clean_bonus 200",
            id="above-clean",
        ),
        pytest.param({"semiclean_bonus": 95}, "or is 0 for off", id="below-dirty"),
        pytest.param(
            {"dirty_bonus": 205}, "a wild card would make a burraco worth more", id="E45-dirtying"
        ),
        pytest.param({"clean_bonus": 95}, "dirty_bonus 100 above clean_bonus 95", id="E45-clean"),
        pytest.param({"deals": 4}, "exactly one of the two is above 0", id="two-ends"),
        pytest.param({"target": 0}, "exactly one of the two is above 0", id="no-end"),
        pytest.param({"set_ranks": "2A"}, "only the ranks A3456789TJQK", id="R28-twos"),
        pytest.param({"set_ranks": "A3A"}, "names a rank twice", id="a-rank-twice"),
        pytest.param({"stalemate_turns": 101}, "0 for off, or up to 100", id="never"),
        pytest.param({"no_pozzetto_penalty": 102}, "a multiple of 5", id="no-multiple"),
        pytest.param({"deals": 1001, "target": 0}, "at most 1000 deals", id="too-long"),
    ],
)
def test_what_makes_no_game_says_why(knobs: dict[str, int | str], why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        CLASSIC.with_knobs(**knobs)


@pytest.mark.parametrize(
    "knobs",
    [
        pytest.param({"set_ranks": "", "second_set_of_rank": False}, id="no-sets"),
        pytest.param({"set_ranks": "", "close_needs": "clean"}, id="no-sets-clean-closing"),
        pytest.param({"pile_requires_meld": True, "rediscard_single": "forbid"}, id="E49-and-E61"),
        pytest.param({"stalemate_turns": 1}, id="first-passive-turn"),
        pytest.param({"clean_bonus": 0, "dirty_bonus": 0, "closing_bonus": 0}, id="cards-alone"),
        pytest.param({"semiclean_bonus": 200}, id="as-good-as-clean"),
        pytest.param({"semiclean_bonus": 100}, id="no-better-than-dirty"),
        pytest.param({"deals": 4, "target": 0}, id="both-at-once"),
    ],
)
def test_what_is_odd_may_be_a_game(knobs: dict[str, int | str | bool]) -> None:
    changed = CLASSIC.with_knobs(**knobs)
    assert {knob: getattr(changed, knob) for knob in knobs} == knobs


def test_the_order_of_ranks_tells_no_rules_apart() -> None:
    assert CLASSIC.with_knobs(set_ranks="3A") == CLASSIC.with_knobs(set_ranks="A3")
    ranks = "".join(reversed(CLASSIC.set_ranks))
    assert CLASSIC.with_knobs(set_ranks=ranks).content_hash == CLASSIC.content_hash
