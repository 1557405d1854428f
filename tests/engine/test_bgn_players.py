"""Notation of two and three players: deals, scenes alone and paired, views, and their faults."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burraco.engine import PRESETS, Add, Ruleset, bag, parse_cards, preset, view
from burraco.engine.bgn import (
    judge_block,
    parse,
    read_deal,
    replay,
    write_deal,
    write_scene,
)
from burraco.engine.bgn_replay import round_after
from burraco.engine.bgn_scene import read_scene
from burraco.engine.bgn_tags import write_rules
from burraco.engine.bgn_view import seen_deal, write_seen
from burraco.engine.cards import UNKNOWN, count, size
from burraco.engine.scoring import deal_points
from tests.support.blocks import Played, random_deal, scene_of, state_of, verdict

rulesets = st.builds(
    lambda name, players: preset(name).with_knobs(players=players),
    st.sampled_from(tuple(PRESETS)),
    st.sampled_from([4, 2, 3]),
)
numbers = st.integers(0, 2**32)

TWO = 'Rules "classic players=2"'
THREE = 'Rules "classic players=3"'


@given(rules=rulesets, number=numbers)
def test_every_deal_goes_there_and_back(rules: Ruleset, number: int) -> None:
    """Written and read again: the same score, the same state with the same hash, the same text."""
    played = random_deal(rules, number)
    text = write_deal(played.record, {"North": "a"})
    (block,) = parse(text)
    assert judge_block(block).is_ok
    final = replay(block).final
    assert (final, hash(final)) == (played.states[-1], hash(played.states[-1]))
    assert final.facts == played.states[-1].facts
    assert deal_points(final) == deal_points(played.states[-1])
    assert read_deal(block) == played.record
    assert write_deal(read_deal(block), {"North": "a"}) == text


@given(rules=rulesets, number=numbers)
def test_every_state_on_the_way_is_a_scene(rules: Ruleset, number: int) -> None:
    for state in random_deal(rules, number).states[::7]:
        text = write_scene(state, {})
        (block,) = parse(text)
        assert read_scene(block) == state
        assert judge_block(block).is_ok
        assert write_scene(read_scene(block), {}) == text


@given(rules=rulesets, number=numbers, seat=st.sampled_from([0, 1, 2, 3, None]))
def test_every_deal_as_one_saw_it(rules: Ruleset, number: int, seat: int | None) -> None:
    seat = None if seat is None else seat % rules.players
    played = random_deal(rules, number)
    text = write_seen(seen_deal(played.record, seat), {})
    assert verdict(text).startswith("ok ")
    (block,) = parse(text)
    seen, final = (view(state, seat, 1, ()) for state in (replay(block).final, played.states[-1]))
    assert (seen.hand, seen.hidden, seen.counts) == (final.hand, final.hidden, final.counts)
    assert (seen.melds, seen.pile, seen.sides) == (final.melds, final.pile, final.sides)
    assert (seen.turn, seen.phase, seen.end) == (final.turn, final.phase, final.end)
    assert (seen.taken, seen.unopened, seen.stock) == (final.taken, final.unopened, final.stock)


@given(number=numbers, players=st.sampled_from([2, 3]))
def test_numbers_of_turns_go_up_at_the_left_of_the_dealer(number: int, players: int) -> None:
    record = random_deal(preset("classic").with_knobs(players=players), number).record
    (block,) = parse(write_deal(record, {}))
    first = (record.dealer + 1) % players
    for at, turn in enumerate(block.turns):
        assert (turn.number, turn.seat) == (1 + at // players, (first + at) % players)
    assert round_after(7, replay(block).start) == 8


def test_r42_two_pass_the_turn_between_them() -> None:
    tags = (TWO, 'Turn "E draw"', 'Hands "N:7h E:8h9h"', 'Stock "KdKcQdQc"', 'Scores "N 5 E -10"')
    text = scene_of(*tags, turns="1E +Kd -8h\n1N ^(8h) -7h")
    # N holds 8h and E holds 9h Kd; nobody has a pozzetto.
    assert verdict(text) == "ok * N -110 E -120"
    said = scene_of(*tags, 'Result "N -105 E -120"', turns="1E +Kd -8h\n1N ^(8h) -7h")
    assert verdict(said) == "differs * N -110 E -120, the file says N -105 E -120"
    state = state_of(*tags)
    assert (state.dealer, state.sides, len(state.hands)) == (0, (0, 1), 2)


def test_three_alone() -> None:
    state = state_of(THREE, 'Turn "S play"', 'Melds "N: 7h7d7c E: JdQdKd S: 3s4s5s, 8s8h8d"')
    assert state.sides == (0, 1, 2)
    assert [len(melds) for melds in state.melds] == [1, 1, 2]
    assert [count(pozzetto, UNKNOWN) for pozzetto in state.pozzetti] == [18, 11]
    assert (state.dealer, state.taken) == (1, (False, False, False))


def test_h6_who_takes_the_first_is_alone_and_the_others_are_a_pair() -> None:
    tags = (THREE, 'Turn "E play"', 'Hands "E:JcQcKcAc"', 'Melds "N: 7h7d7c S: 3s4s5s"')
    (block,) = parse(scene_of(*tags, turns="1E M1=JcQcKcAc P!(*18)"))
    state = replay(block).final
    assert (state.sides, state.taken) == ((0, 1, 0), (False, True, False))
    assert 'Melds "NS: 7h7d7c, 3s4s5s E: JcQcKcAc"' in write_scene(state, {})
    assert 'Pozzetto "E taken"' in write_scene(state, {})
    # E 45. The pair: 15 + 15 and no pozzetto, -70, halved -35 each.
    assert verdict(scene_of(*tags, turns="1E M1=JcQcKcAc P!(*18)")) == "ok * N -35 E 45 S -35"


@pytest.mark.parametrize(
    ("taking", "sides", "taken", "left"),
    [
        pytest.param("E taken", (0, 1, 0), (False, True, False), [11], id="H6-east"),
        pytest.param("N taken", (0, 1, 1), (True, False, False), [11], id="H6-north"),
        pytest.param("NE taken, S taken", (0, 0, 2), (True, False, True), [], id="H8-both"),
        pytest.param("NS taken, E unopened E", (0, 1, 0), (True, True, False), [], id="E55"),
    ],
)
def test_paired(
    taking: str, sides: tuple[int, ...], taken: tuple[bool, ...], left: list[int]
) -> None:
    state = state_of(THREE, 'Turn "N play"', f'Pozzetto "{taking}"')
    assert (state.sides, state.taken) == (sides, taken)
    assert [size(pozzetto) for pozzetto in state.pozzetti] == left
    if "unopened" in taking:
        assert count(state.unopened[1], UNKNOWN) == 18


def test_e55_the_eleven_of_a_pair_is_not_opened() -> None:
    cards = "7s7h7d7c8s8h8d8c9s9h9d"
    state = state_of(THREE, 'Turn "N play"', f'Pozzetto "ES unopened S:{cards}, N taken"')
    assert state.unopened == (0, 0, bag(parse_cards(cards)))


def test_h10_three_pozzetti_leave_everybody_alone() -> None:
    state = state_of(
        THREE, 'Turn "N play"', 'Pozzetti "1:- 2:*11 3:*11"', 'Pozzetto "E unopened E"'
    )
    assert state.sides == (0, 1, 2)
    assert state.taken == (False, True, False)
    assert [size(pozzetto) for pozzetto in (*state.pozzetti, state.unopened[1])] == [11, 11, 11]
    gone = state_of(THREE, 'Turn "N play"', 'Pozzetti "1:- 2:- 3:-"')
    assert (gone.taken, gone.pozzetti) == ((True, True, True), ())


@pytest.mark.parametrize(
    ("tags", "told"),
    [
        pytest.param((TWO, 'Turn "S play"'), "2:8: cannot read 'S play'", id="no-south"),
        pytest.param(
            (TWO, 'Dealer "S"', 'Turn "N play"'), "2:10: no seat 'S': N or E", id="dealer"
        ),
        pytest.param(
            (TWO, 'Turn "N play"', 'Result "NS 5 EW 5"'),
            "3:10: cannot read 'NS 5 EW 5': points are written N 200 E 655, or *",
            id="result-of-two",
        ),
        pytest.param(
            (THREE, 'Turn "N play"', 'Scores "N 5 E 5"'),
            "3:10: cannot read 'N 5 E 5': points are written N 200 E 655 S 100, or *",
            id="scores-of-three",
        ),
        pytest.param(
            (THREE, 'Turn "N play"', 'Melds "NS: 7h7d7c"'),
            "3:9: 'NS: 7h7d7c' belongs to none of N|E|S",
            id="H6-nobody-is-paired",
        ),
        pytest.param(
            (THREE, 'Turn "N play"', 'Pozzetto "NS taken"'),
            "3:12: one player took the first pozzetto",
            id="H6-pair-without-a-lone-player",
        ),
        pytest.param(
            (THREE, 'Turn "N play"', 'Pozzetto "N taken, E taken"'),
            "3:12: one player took the first pozzetto",
            id="H6-two-alone",
        ),
        pytest.param(
            (THREE, 'Turn "N play"', 'Pozzetto "N taken, NE taken"'),
            "3:21: no side NE: N, ES",
            id="H6-not-the-pair",
        ),
        pytest.param(
            (THREE, 'Turn "N play"', 'Pozzetti "1:- 2:-"'),
            "3:12: the tag Pozzetto has to say who took the first alone",
            id="H6-both-gone",
        ),
        pytest.param(
            (THREE, 'Turn "N play"', 'Pozzetti "1:*11 2:*11"'),
            "3:14: a pozzetto of 11 cards: it has 18",
            id="eleven-for-eighteen",
        ),
        pytest.param(
            (TWO, 'Dealer "N"', 'Deal "N:*11 E:*11 P1:*11 P2:*11 U:7h K:*41"'),
            "3:41: K: has 41 cards, it takes 63",
            id="stock-of-two",
        ),
        pytest.param(
            (THREE, 'Dealer "N"', 'Deal "N:*11 E:*11 S:*11 P1:*11 P2:*11 P3:*11 U:7h K:*40"'),
            "3:54: K: has 40 cards, it takes 41",
            id="stock-of-three",
        ),
        pytest.param(
            (THREE, 'Dealer "N"', 'Deal "N:*11 E:*11 P1:*18 P2:*11 U:7h K:*45"'),
            "3:8: the deal has no S:",
            id="no-hand",
        ),
    ],
)
def test_faults_are_told_with_their_place(tags: tuple[str, ...], told: str) -> None:
    assert verdict(scene_of(*tags)).startswith(f"unreadable deal.bgn:{told}")


@pytest.mark.parametrize(
    ("name", "knobs", "written"),
    [
        pytest.param("classic", {"players": 3}, "classic players=3", id="own-target"),
        pytest.param("fibur", {"players": 3}, "fibur players=3", id="no-number-of-deals"),
        pytest.param("fibur", {"players": 2}, "fibur players=2", id="two"),
        pytest.param(
            "classic", {"players": 3, "target": 2000}, "classic target=2000 players=3", id="target"
        ),
    ],
)
def test_rules_go_there_and_back(name: str, knobs: dict[str, int], written: str) -> None:
    rules = preset(name).with_knobs(**knobs)
    assert write_rules(rules) == written
    assert state_of(f'Rules "{written}"', 'Turn "N play"').rules == rules


@pytest.mark.parametrize("lone", [0, 1, 2])
def test_h7_joined_melds_keep_their_numbers_for_everybody(lone: int) -> None:
    """A deal in which the pair went on with its melds: whole, in the middle, and as each saw it."""
    played = _paired_deal(lone)
    text = write_deal(played.record, {})
    (block,) = parse(text)
    assert judge_block(block).is_ok
    assert replay(block).final == played.states[-1]
    for state in played.states:
        (scene,) = parse(write_scene(state, {}))
        assert read_scene(scene) == state
    for seat in (0, 1, 2, None):
        seen = write_seen(seen_deal(played.record, seat), {})
        assert verdict(seen).startswith("ok ")
        assert re.findall(r"M\d+[=+]\S+", seen) == re.findall(r"M\d+[=+]\S+", text)


def _paired_deal(lone: int) -> Played:
    """The first random deal in which ``lone`` came to play alone and the others added to melds."""
    rules = preset("classic").with_knobs(players=3)
    # Even numbers deal 18 and 11.
    for number in range(0, 400, 2):
        played = random_deal(rules, number)
        at = sum(state.sides == rules.sides_as_dealt for state in played.states)
        later = played.record.moves[at:]
        added = any(isinstance(move.action, Add) and move.seat != lone for move in later)
        if added and played.states[-1].sides.count(lone) == 1 and played.states[at].taken[lone]:
            return played
    raise AssertionError("no such deal")
