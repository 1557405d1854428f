"""Engine against reference: random deals, scenes and matches of every preset, compared all along.

Here 16 parts of ``DEALS`` numbers, four parts for each preset; each number is one whole deal, one
random scene played to its end, and for every twentieth a short match, with 4, 4, 2 and 3 players by
turns. The whole set of legal moves is compared at every step, however large the hand; refusals at
three in ten, and wherever few cards are left in the hand or the deal is over. BURRACO_DEALS asks
for more, and ``python -m tests.reference.fuzz`` runs as long as one likes.
"""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from burraco.engine import PRESETS, Card, Ruleset, classify
from burraco.engine.bgn import parse
from burraco.engine.bgn_scene import read_scene
from burraco.engine.growth import adds
from burraco.engine.rules import seated
from burraco.engine.seating import rank_players, seats_from_ranking
from tests.reference import knobs
from tests.reference.adapter import FAULT_OF, bag_of, knobs_of
from tests.reference.cards import JOKER, PACK, in_order, without
from tests.reference.deals import compare_number, compare_scene, rules_for
from tests.reference.differential import Disagreement, compare_position
from tests.reference.fuzz import compare_numbers, run
from tests.reference.knobs import Knobs
from tests.reference.match import seats
from tests.reference.melds import grown_melds, new_melds
from tests.reference.shrink import shrunk

DEALS = int(os.environ.get("BURRACO_DEALS", "2000"))
PARTS = 4
EACH = DEALS // (PARTS * len(PRESETS))


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("preset", PRESETS)
def test_they_agree(preset: str, part: int) -> None:
    report = compare_numbers(range(part * EACH, (part + 1) * EACH), preset)
    assert not report.fault, report.fault
    assert report.met["deals"] == report.met["scenes"] == EACH
    assert report.met["states with near misses"] > 0.3 * report.met["states"]


# No deal comes to these: a draw leaves two cards in the stock, a turn one in the pile (E3).
_NEVER_MET = {"no stock", "no pile"}


def test_refusals_of_every_kind_are_compared() -> None:
    unmet = set(FAULT_OF.values()) - _NEVER_MET
    for number in range(_ENOUGH):
        chance = Random(number)
        rules = rules_for(chance, None, 2 + number % 3)
        unmet -= set(compare_scene(rules, knobs_of(rules), chance))
        if not unmet:
            return
    raise AssertionError(f"not met: {sorted(unmet)}")


def test_E33_cards_join_together_of_which_none_could_join_alone() -> None:
    # One suit stands for all, and a joker does whatever a two of another suit does.
    cards = in_order(card for card in PACK if card[1] == "s" or card == JOKER)
    sequences = [meld for meld, reading in new_melds(cards) if reading.kind == "sequence"]
    seen = 0
    for base in sequences:
        meld = classify(_bag(base))
        assert meld is not None
        additions = [more for more, _ in grown_melds(base, without(cards, base))]
        alone = {more[0] for more in additions if len(more) == 1}
        for more in additions:
            if alone.isdisjoint(more):
                found = [action.bag for action in adds(PRESETS["classic"], _bag(more), (meld,))]
                assert _bag(more) in found, (base, more)
                seen += 1
    assert seen


_bag = cache(bag_of)


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_those_of_the_table(preset: str) -> None:
    assert knobs_of(PRESETS[preset]) == knobs.PRESETS[preset]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("preset", PRESETS)
def test_H15_presets_are_seated_alike(preset: str, players: int) -> None:
    seated_rules = seated(PRESETS[preset], players)
    assert knobs_of(seated_rules) == knobs.seated(knobs.PRESETS[preset], players)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("suit_order", ["shdc", "hdcs"])
def test_R12_E62_H2_seats_are_drawn_alike(suit_order: str, players: int) -> None:
    chance = Random(suit_order)
    for _ in range(500):
        # A few faces only, so that many have to draw again.
        faces = chance.sample(PACK, chance.choice([3, 6, 100]))
        drawn = [[chance.choice(faces) for _ in range(40)] for _ in range(players)]
        try:
            expected = seats(drawn, suit_order)
        except IndexError:
            continue
        ranking = _ranked([list(map(Card.parse, cards)) for cards in drawn], suit_order)
        assert seats_from_ranking(ranking, 0) == expected


def _ranked(drawn: list[list[Card]], suit_order: str) -> tuple[int, ...]:
    """The engine's ranking, with each player's cards in the order drawn."""
    first = [cards.pop(0) for cards in drawn]
    return rank_players(first, lambda player: drawn[player].pop(0), suit_order)


# A reference with one knob read wrongly stands for an engine with that fault.
_FAULTS: list[tuple[str, str, bool | int | str]] = [
    ("international", "pile_requires_meld", False),
    ("classic", "pile_requires_meld", True),
    ("online", "rediscard_single", "forbid_unless_twin"),
    ("fibur", "rediscard_single", "allow"),
    ("fibur", "set_ranks", "A456789TJQK"),
    ("fibur", "second_set_of_rank", True),
    ("classic", "two_two_joker", False),
    ("online", "two_two_joker", True),
    ("classic", "pozzetto_seen", "partner_discard"),
    ("fibur", "pozzetto_seen", "own_next_turn"),
    ("international", "close_needs", "any"),
    ("classic", "close_needs", "clean"),
    ("classic", "stock_end", "after_discard"),
    ("online", "stock_end", "at_once"),
    ("classic", "stalemate_turns", 7),
    ("fibur", "semiclean_bonus", 145),
    ("online", "semiclean_set", "exactly_8"),
    ("fibur", "semiclean_set", "at_least_8"),
    ("classic", "clean_bonus", 195),
    ("classic", "dirty_bonus", 95),
    ("classic", "closing_bonus", 95),
    ("classic", "no_pozzetto_penalty", 95),
    ("fibur", "no_pozzetto_waived_if_none", False),
]
_ENOUGH = 400


def _with_fault(knob: str, value: bool | int | str) -> Callable[[Ruleset], Knobs]:
    return lambda rules: replace(knobs_of(rules), **{knob: value})  # type: ignore[arg-type]


# Faults that the rules for pairs and for players alone have ways of their own to hide.
_FAULTS_OF_THREE: list[tuple[str, str, bool | int | str]] = [
    ("fibur", "pozzetto_seen", "own_next_turn"),
    ("fibur", "no_pozzetto_waived_if_none", False),
    ("classic", "no_pozzetto_penalty", 110),
    ("classic", "closing_bonus", 110),
    ("classic", "target", 600),
]


def _found(
    preset: str, knob: str, value: bool | int | str, players: int | None = None
) -> Disagreement:
    for number in range(_ENOUGH):
        try:
            compare_number(number, preset, players, _with_fault(knob, value))
        except Disagreement as found:
            return found
    raise AssertionError(f"{knob}={value} makes no difference in {_ENOUGH} deals")


@pytest.mark.parametrize(("preset", "knob", "value"), _FAULTS)
def test_a_planted_fault_is_found(preset: str, knob: str, value: bool | int | str) -> None:
    assert _found(preset, knob, value).text


@pytest.mark.parametrize(("preset", "knob", "value"), _FAULTS_OF_THREE)
def test_a_planted_fault_is_found_with_three_players(
    preset: str, knob: str, value: bool | int | str
) -> None:
    assert _found(preset, knob, value, 3).text


def test_a_fault_is_shrunk_to_a_scene_that_shows_it() -> None:
    found = _found("classic", "two_two_joker", False)
    wrong = _with_fault("two_two_joker", False)(found.state.rules)
    small = shrunk(found, wrong)
    assert small is not None
    (block,) = parse(str(small)[str(small).index("[BGN") :])
    scene = read_scene(block)
    with pytest.raises(Disagreement):
        compare_position(scene, wrong, None)
    cards = sum(map(scene.hand_size, range(len(scene.hands)))) + sum(
        len(meld.cards) for meld in sum(scene.melds, ())
    )
    assert cards <= 8


def test_a_long_run_counts_what_it_met(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(2, 1, "classic", None, 1) == 0
    printed = capsys.readouterr()
    assert printed.err.startswith("2 of 2 deals")
    assert "2 deals" in [line.strip() for line in printed.out.splitlines()]


def test_counters_of_two_runs_are_alike() -> None:
    first, second = (compare_number(20, None) for _ in range(2))
    assert isinstance(first, Counter)
    assert first == second
