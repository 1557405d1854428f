"""Scenes in Burraco Game Notation, and melds as they are shown."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burraco.engine import (
    PRESETS,
    Add,
    Card,
    DealState,
    Phase,
    advance,
    bag,
    classify,
    parse_cards,
    preset,
)
from burraco.engine.bgn import judge_block, parse, replay, write_scene
from burraco.engine.bgn_scene import read_scene
from burraco.engine.cards import UNKNOWN
from burraco.engine.melds import Kind
from burraco.engine.notation import places, read_cards, write_cards, write_meld
from burraco.engine.state import End, EndedBy
from tests.support.blocks import random_deal, scene_of, state_of, verdict
from tests.support.dense import dense_scene
from tests.support.scenes import scene

CASES = Path(__file__).parents[1] / "cases"
NAMES = tuple(PRESETS)

numbers = st.integers(0, 2**32)


def test_missing_tags_mean_empty() -> None:
    state = state_of('Turn "N play"')
    assert (state.hands, state.pile, state.stock) == ((0, 0, 0, 0), (), ())
    assert (state.melds, state.taken, state.rules.name) == (((), ()), (False, False), "classic")
    assert (state.barred, state.drawn, state.must_meld, state.idle, state.passive) == (
        -1, -1, False, False, 0,
    )  # fmt: skip


def test_r50_run_out_without_a_named_pozzetto_takes_unknown_cards() -> None:
    tags = ('Turn "N play"', 'Hands "N:JcQcKcAc S:3d"')
    turns = "1N M1=JcQcKcAc P!(7s7h7d7c8s8h8d8c9s9h9d) M2=7s7h7d -7c"
    (block,) = parse(scene_of(*tags, turns=turns))
    state = replay(block).final
    assert state.hands[0] == bag(parse_cards("8s8h8d8c9s9h9d"))
    # J Q K A 45, three sevens 15; 8 8 8 8 9 9 9 70 and 3d 5 held; no pozzetto for EW.
    assert verdict(scene_of(*tags, turns=turns)) == "ok * NS -15 EW -100"


def test_r52_unknown_pozzetto_is_filled_in_on_the_discard() -> None:
    turns = "1N -Jc P.(7s7h7d7c8s8h8d8c9s9h9d)"
    (block,) = parse(scene_of('Turn "N play"', 'Hands "N:Jc"', turns=turns))
    assert replay(block).final.unopened[0] == bag(parse_cards("7s7h7d7c8s8h8d8c9s9h9d"))


def test_unknown_cards_become_those_that_are_shown() -> None:
    tags = ('Turn "E draw"', 'Stock "*20"', 'Pile "4c"', 'Hands "E:*11 S:*11"')
    (block,) = parse(scene_of(*tags, turns="1E +7h M1=7h7d7c -9c\n1S +?? -Kd"))
    state = replay(block).final
    assert judge_block(block).is_ok
    assert write_cards(state.pile) == "4c9cKd"
    assert (state.hand_size(1), state.hand_size(2)) == (8, 11)


def test_r3_unknown_card_is_not_a_third_copy() -> None:
    tags = ('Turn "E draw"', 'Stock "*20"', 'Pile "4c"', 'Hands "N:7h7h"')
    assert verdict(scene_of(*tags, turns="1E +7h")) == 'refused 1E "+7h": TOO_MANY_COPIES (R3)'


def test_e11_unknown_last_card_may_close_once_the_side_has_its_burraco() -> None:
    tags = ('Turn "N play"', 'Hands "N:7h7d7c??"', 'Pozzetto "NS taken"')
    burraco = 'Melds "NS: 3h4h5h6h7h8h9h"'
    assert verdict(scene_of(*tags, burraco, turns="1N M2=7h7d7c")).startswith("ok * NS ")
    assert verdict(scene_of(*tags, burraco, turns="1N M2=7h7d7c -Kc #")).startswith("ok NS ")
    shorter = 'Melds "NS: 3h4h5h6h7h8h"'
    found = verdict(scene_of(*tags, shorter, turns="1N M2=7h7d7c"))
    assert found == 'refused 1N "M2=7h7d7c": DEAD_END (E11)'


def test_e49_unknown_cards_may_take_the_pile() -> None:
    tags = ('Rules "international"', 'Turn "E draw"', 'Pile "Ac"', 'Hands "E:*5"', 'Stock "*9"')
    found = verdict(scene_of(*tags, turns="1E ^(Ac) M1=AcAhAd -9s"))
    assert found == "ok * NS -100 EW -55"
    late = verdict(scene_of(*tags, turns="1E ^(Ac) -9s"))
    assert late == 'refused 1E "-9s": MUST_MELD_AFTER_PILE (E49)'


@pytest.mark.parametrize(("rules", "word"), [("fibur", "ok"), ("online", "refused")])
def test_e46_unknown_cards_may_hold_the_twin(rules: str, word: str) -> None:
    tags = (f'Rules "{rules}"', 'Turn "E draw"', 'Pile "8d"', 'Hands "E:*5"', 'Stock "*9"')
    assert verdict(scene_of(*tags, turns="1E ^(8d) -8d")).split()[0] == word


def test_e55_unopened_pozzetto_may_be_unknown() -> None:
    state = state_of('Turn "N play"', 'Pozzetto "EW unopened E"')
    assert (state.taken, state.hand_size(1), len(state.pozzetti)) == ((False, True), 11, 1)


@pytest.mark.parametrize(
    ("tags", "left", "taken"),
    [
        pytest.param(('Pozzetti "1:- 2:-"',), 0, (True, True), id="both"),
        pytest.param(('Pozzetto "NS taken, EW taken"',), 0, (True, True), id="both-named"),
        pytest.param(('Pozzetti "1:- 2:*11"', 'Pozzetto "EW taken"'), 1, (False, True), id="one"),
        pytest.param(('Pozzetti "2:*11"',), 2, (False, False), id="none"),
    ],
)
def test_r49_pozzetti_left(tags: tuple[str, ...], left: int, taken: tuple[bool, bool]) -> None:
    state = state_of('Turn "N play"', *tags)
    assert (len(state.pozzetti), state.taken) == (left, taken)


def test_case_89_nothing_to_draw_is_over() -> None:
    state = state_of('Turn "E draw"', 'Stock "5c6c"')
    assert (state.phase, state.end) == (Phase.OVER, End(EndedBy.STOCK, None))


def test_e49_pile_that_may_not_be_taken_and_no_stock_is_over() -> None:
    tags = ('Rules "international"', 'Turn "E draw"', 'Hands "E:9s"', 'Pile "4c"')
    assert state_of(*tags).phase is Phase.OVER
    assert state_of(*tags[1:]).phase is Phase.DRAW


def test_e65_two_cards_in_the_stock_are_the_last_turn() -> None:
    tags = ('Turn "N play"', 'Hands "N:KdQd"')
    assert state_of('Rules "fibur"', *tags, 'Stock "5c6c"').last_turn
    assert not state_of('Rules "fibur"', *tags, 'Stock "5c6c7c"').last_turn
    assert not state_of('Rules "classic"', *tags, 'Stock "5c6c"').last_turn


def test_e65_the_last_turn_may_close() -> None:
    tags = ('Melds "NS: 6s7s8s, 3h4h5h6h7h8h9h"', 'Hands "N:9sKd"', 'Pozzetto "NS taken"')
    more = ('Turn "N draw"', 'Pile "4c"', 'Stock "Ts4c5c"')
    # Melds 45 + 20 + 20, burraco 200, closing 100; EW has no pozzetto.
    text = scene_of('Rules "fibur"', *tags, *more, turns="1N +Ts M1+9sTs -Kd #")
    assert verdict(text) == "ok NS 385 EW -100"
    # E1: in classic the draw ends it, and 9s Kd Ts are held.
    assert verdict(scene_of(*tags, *more, turns="1N +Ts")) == "ok NS 235 EW -100"


@pytest.mark.parametrize(
    ("tags", "turns", "expected"),
    [
        pytest.param(
            ('Hands "N:7h7d7cJk"', 'Melds "NS: 3h4h5h6h7h8h9h"', 'Pozzetto "NS taken"'),
            "1N M2=7h7d7c", 'refused 1N "M2=7h7d7c": DEAD_END (E11)', id="E11-wild-left",
        ),
        pytest.param(
            ('Hands "N:7h7d7cJk"', 'Melds "NS: 3h4h5h6h7h8h9h"', 'Pozzetto "NS taken"'),
            "1N M2=7h7dJk -7c #", "ok NS 385 EW -100", id="E11-natural-left",
        ),
        pytest.param(
            ('Hands "N:Kc"', 'Melds "NS: 3h4h5h6h7h8h"', 'Pozzetto "NS taken"'),
            "1N -Kc", 'refused 1N "-Kc": CLOSE_NO_BURRACO (E10)', id="case-85",
        ),
        pytest.param(
            ('Hands "N:TcKh"', 'Melds "NS: 6cJk8c"'),
            "1N M1+Tc", 'refused 1N "M1+Tc": NOT_CONSECUTIVE (E34)', id="E34",
        ),
        pytest.param(
            ('Hands "N:7cTcKh"', 'Melds "NS: 6cJk=7c8c"'),
            "1N M1+7cTc -Kh", "ok * NS 60 EW -100", id="E34-together",
        ),
    ],
)  # fmt: skip
def test_scene(tags: tuple[str, ...], turns: str, expected: str) -> None:
    assert verdict(scene_of('Turn "N play"', *tags, turns=turns)) == expected


def test_result_of_a_scene_is_compared() -> None:
    tags = ('Turn "N play"', 'Hands "N:Kc"', 'Result "NS 0 EW 0"')
    assert verdict(scene_of(*tags)) == "differs * NS -110 EW -100, the file says NS 0 EW 0"


def test_what_a_seat_has_done_goes_there_and_back() -> None:
    facts = state_of('Turn "N play drew ?? barred 8d must-meld idle"', 'Passive "7"')
    assert (str(Card(facts.barred)), facts.must_meld, facts.idle) == ("8d", True, True)
    assert (facts.drawn, facts.passive) == (UNKNOWN, 7)
    _goes_there_and_back(facts)


def test_rules_with_changed_knobs_go_there_and_back() -> None:
    rules = preset("fibur").with_knobs(stalemate_turns=0, two_two_joker=True, set_ranks="A3")
    state = scene(rules=rules, north="7h")
    text = write_scene(state, {})
    assert 'Rules "fibur set_ranks=A3 two_two_joker=yes stalemate_turns=0"' in text
    (block,) = parse(text)
    assert read_scene(block).rules == rules


@given(name=st.sampled_from(NAMES), number=numbers)
def test_every_state_of_a_deal_is_a_scene(name: str, number: int) -> None:
    for state in random_deal(preset(name), number).states[::5]:
        _goes_there_and_back(state)


@given(name=st.sampled_from(NAMES), number=numbers)
def test_dense_scenes_go_there_and_back(name: str, number: int) -> None:
    _goes_there_and_back(dense_scene(preset(name), number, most_cards=8))


def _goes_there_and_back(state: DealState) -> None:
    text = write_scene(state, {"Event": "x"})
    (block,) = parse(text)
    assert read_scene(block) == state
    assert judge_block(block).is_ok
    assert write_scene(read_scene(block), {"Event": "x"}) == text


def test_the_last_state_of_every_case_deal_is_a_scene() -> None:
    for name in NAMES:
        for block in parse((CASES / f"deals-{name}.bgn").read_text()):
            _goes_there_and_back(replay(block).final)


@pytest.mark.parametrize(
    ("cards", "shown"),
    [
        pytest.param("9c Tc Jk", "Jk=8c9cTc", id="R36-free-low"),
        pytest.param("Ac 3c 2d", "Ac2d=2c3c", id="R36-gap-at-the-two"),
        pytest.param("As 2s Jk", "As2sJk=3s", id="E18-high-beside-a-low-ace"),
        pytest.param("Ks As 2s", "2s=QsKsAs", id="E23"),
        pytest.param("2s 3s 4s 5s 6s 7s 9s", "3s4s5s6s7s2s=8s9s", id="E20"),
        pytest.param("2s 3s 4s 5s", "2s3s4s5s", id="R35-at-home"),
        pytest.param("Ac 2c 3c 2s 5c", "Ac2c3c2s=4c5c", id="E17"),
        pytest.param("2s 2s Jk", "2s2s=3sJk=4s", id="E14"),
        pytest.param("2s 2s Jk 4s", "2s2s=3s4sJk=5s", id="E14-four"),
        pytest.param("2s 3s 2s Jk", "2s3s2s=4sJk=5s", id="E14-three"),
        pytest.param("5d 6d 7d 8d Jk Td", "5d6d7d8dJk=9dTd", id="E33"),
        pytest.param("4h 5h 6h 7h 8h Jk", "Jk=3h4h5h6h7h8h", id="E35"),
        pytest.param("Jk Kd Ad", "Jk=QdKdAd", id="E31"),
        pytest.param("7c 2s 7h 7h", "7h7h7c2s", id="R29-set"),
    ],
)
def test_meld_as_shown(cards: str, shown: str) -> None:
    meld = classify(bag(parse_cards(cards)))
    assert meld is not None
    assert write_meld(meld) == shown
    assert bag(read_cards(shown)) == meld.bag


@given(number=numbers)
def test_shown_sequences_rise_card_by_card(number: int) -> None:
    for meld in dense_scene(preset("classic"), number, most_cards=3).melds[0]:
        shown = places(meld)
        assert bag(place.card for place in shown) == meld.bag
        if meld.kind is Kind.SEQUENCE:
            ranks = [place.stands_for.rank for place in shown]
            assert all(high == (low + 1) % 13 for low, high in pairwise(ranks))
            assert sum(place.card != place.stands_for for place in shown) == meld.wilds


def test_added_cards_are_shown_where_they_lie() -> None:
    tags = ('Turn "N play"', 'Hands "N:2h7cKd"', 'Melds "NS: 3c4c5c"')
    state = state_of(*tags)
    grown = advance(state, Add(0, parse_cards("7c2h")))
    assert write_scene(grown, {}).count("NS: 3c4c5c2h=6c7c") == 1
