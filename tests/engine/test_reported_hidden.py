"""Reported faults, sections H and I: hidden cards, seeds, what a state remembers."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace

import pytest

from burraco.engine import (
    DRAW_STOCK,
    PRESETS,
    DealState,
    Discard,
    MatchSetup,
    Phase,
    Seed,
    View,
    advance,
    apply,
    bag,
    commitment,
    legal,
    match_view,
    start_match,
    view,
)
from burraco.engine.cards import holds
from burraco.engine.events import CardDrawn
from tests.support.playing import add, discard, play, step
from tests.support.scenes import cards, rules_of, scene, seat
from tests.support.walks import opening, walk

ALL = tuple(PRESETS)
POZZETTO = "As Ks Qh Jh 9c 8c 7s 6d 5h 4d 3c"
OTHER_POZZETTO = "Ad Kd Qd Jc 9d 8h 7c 6s 5s 4h 3d"


def _seen(state: DealState, name: str) -> View:
    return view(state, seat(name), 1, (0, 0))


@pytest.mark.parametrize("name", ALL)
def test_92_a_seat_is_told_its_own_cards_only(name: str) -> None:
    for state, action in walk(rules_of(name), 92):
        after = apply(state, action)
        for event in after.events:
            told = bag(event.seen_by(seat("E")).cards)
            assert holds(after.state.hands[seat("E")], told)
            assert event.seen_by(None).cards == ()


@pytest.mark.parametrize("name", ALL)
def test_94_equal_for_states_that_differ_in_hidden_cards(name: str) -> None:
    first = scene(
        rules=name, north="7h 7d 7c Kd", east="9s", south="8s", west="Js", stock="4c 5c 6c 7s"
    )
    second = scene(
        rules=name, north="7h 7d 7c Kd", east="Jk", south="9s", west="2h", stock="7s 4c 6c 5c"
    )
    assert _seen(first, "N") == _seen(second, "N")
    assert _seen(first, "N").legal == _seen(second, "N").legal


@pytest.mark.parametrize("name", ALL)
def test_95_hidden_from_the_others_before_and_after_the_end(name: str) -> None:
    state = scene(
        rules=name,
        north="9d",
        east="Kc",
        ew="3h..9h",
        taken="EW",
        stock="Th 4s 5s 6s",
        pozzetti=(POZZETTO,),
    )
    taken = play(state, discard("9d"))
    ended = play(taken, DRAW_STOCK, add(1, "Th"), discard("Kc"))
    for now in (taken, ended):
        for viewer in (None, 1, 2, 3):
            shown = view(now, viewer, 1, (0, 0))
            assert shown.counts[0] == 11
            assert not set(cards(POZZETTO)) & set(shown.hand)


@pytest.mark.parametrize("name", ALL)
def test_97_a_drawn_card_is_told_to_the_drawer(name: str) -> None:
    state = scene(rules=name, phase=Phase.DRAW, north="Kd", stock="Ts 3d 4d 5d")
    after, events = step(state, DRAW_STOCK)
    assert [event.fact for event in events] == [CardDrawn(seat("N"))]
    assert events[0].seen_by(seat("N")).cards == cards("Ts")
    assert all(events[0].seen_by(viewer).cards == () for viewer in (None, 1, 2, 3))
    assert _seen(after, "N").drawn == cards("Ts")[0]
    assert _seen(after, "S").drawn is None


_DEAL_42 = """
from burraco.engine import Seed, preset, MatchSetup, start_match, show_cards
from burraco.engine.deal import first_dealer
seed = Seed((42).to_bytes(80, "big"), b"")
match = start_match(MatchSetup(preset("classic"), seed, first_dealer(seed), 0, False)).match
print(match.dealer, match.turn, match.layout)
"""


def test_103_one_seed_is_one_deal_in_every_process() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", _DEAL_42],
            env={**os.environ, "PYTHONHASHSEED": salt, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for salt in ("0", "1")
    }
    assert len(printed) == 1
    assert "Card(" in printed.pop()


def test_104_the_seed_is_in_no_view() -> None:
    setup = MatchSetup(rules_of("classic"), Seed(bytes(80), b"a"), 0, 0, False)
    match = start_match(setup).match
    elsewhere = replace(match, setup=replace(setup, seed=Seed(bytes(range(80)), b"b")))
    for viewer in (None, 0, 1, 2, 3):
        assert match_view(match, viewer) == match_view(elsewhere, viewer)
    assert not {"seed", "layout", "stock_cards"} & {field.name for field in fields(View)}


def test_104_a_commitment_tells_secrets_apart() -> None:
    rules = rules_of("classic")
    secrets = [bytes(79) + bytes([last]) for last in range(4)]
    assert len({commitment("m1", rules, secret) for secret in secrets}) == 4


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            lambda: scene(phase=Phase.DRAW), lambda: scene(phase=Phase.PLAY), id="112-has-drawn"
        ),
        pytest.param(lambda: scene(barred="8d"), scene, id="112-barred-card"),
        pytest.param(lambda: scene(passive=7), lambda: scene(passive=6), id="112-passive-turns"),
        pytest.param(lambda: scene(idle=True), scene, id="112-passive-so-far"),
        pytest.param(lambda: scene(must_meld=True), scene, id="112-duty-to-meld"),
        pytest.param(lambda: scene(last_turn=True), scene, id="112-last-turn"),
        pytest.param(
            lambda: scene(taken="NS", unopened={"N": POZZETTO}, pozzetti=(OTHER_POZZETTO,)),
            lambda: scene(taken="NS", north=POZZETTO, pozzetti=(OTHER_POZZETTO,)),
            id="112-unseen-pozzetto",
        ),
        pytest.param(
            lambda: scene(taken="NS", pozzetti=(OTHER_POZZETTO,)),
            lambda: scene(taken="NS", pozzetti=(POZZETTO,)),
            id="112-pozzetto-left",
        ),
    ],
)
def test_turn_facts_are_part_of_the_state(
    one: Callable[[], DealState], other: Callable[[], DealState]
) -> None:
    assert one() == one()
    assert hash(one()) == hash(one())
    assert one() != other()


@pytest.mark.parametrize("name", ALL)
def test_113_replay_rebuilds_every_prefix(name: str) -> None:
    live = [(state.facts, action) for state, action in walk(rules_of(name), 113)]
    state = opening(rules_of(name), 113)
    for facts, action in live:
        assert state.facts == facts
        state = advance(state, action)


@pytest.mark.parametrize("name", ALL)
def test_118_a_discard_is_always_there(name: str) -> None:
    for state, _ in walk(rules_of(name), 118):
        if state.phase is Phase.PLAY and not state.must_meld:
            assert any(isinstance(action, Discard) for action in legal(state))


@pytest.mark.parametrize("name", ALL)
def test_118_two_wilds_in_the_hand(name: str) -> None:
    state = scene(rules=name, north="Jk1 2s", taken="NS")
    assert set(legal(state)) == {discard("Jk1"), discard("2s")}
