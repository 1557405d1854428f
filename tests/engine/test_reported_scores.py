"""Reported faults, section C: classes and scores of deals and matches."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from burraco.engine import (
    DRAW_STOCK,
    PRESETS,
    DealState,
    End,
    EndedBy,
    Match,
    MatchSetup,
    Phase,
    Ruleset,
    Seed,
    match_view,
    score,
    start_match,
)
from burraco.engine import play as play_match
from burraco.engine.cards import POINTS
from burraco.engine.match import DealResult
from burraco.engine.rules import BURRACO_LENGTH, HAND_SIZE, POZZETTO_SIZE
from tests.support.playing import add, discard, play, totals
from tests.support.scenes import meld, rules_of, scene, seat

ALL = tuple(PRESETS)


@pytest.mark.parametrize(
    ("text", "classic", "fibur"),
    [
        pytest.param("Jk1=3s 4s..Ts", 180, 230, id="43-wild-low"),
        pytest.param("3s..9s Jk1", 175, 225, id="43-wild-high"),
        pytest.param("Jk1 4s..9s", 170, 170, id="43-six-naturals"),
        pytest.param("3s 4s 5s Jk1 7s..Ts", 180, 180, id="44-wild-inside"),
        pytest.param("3s..9s Jk1 Js", 185, 235, id="44-seven-beside-the-wild"),
        pytest.param("3s 4s Jk1=5s 6s..9s", 170, 170, id="46-before"),
        pytest.param("3s 4s Jk1 6s..9s 5s", 175, 225, id="46-the-seventh-natural"),
        pytest.param("3s 4s 2s=5s 6s..9s", 160, 160, id="46-own-two-away"),
        pytest.param("3s 4s 2s 6s..9s 5s", 265, 265, id="46-own-two-at-home"),
    ],
)
def test_points_with_bonus(text: str, classic: int, fibur: int) -> None:
    laid = meld(text)
    points = [laid.points + laid.bonus(rules_of(name)) for name in ALL]
    assert points == [classic, fibur, classic, fibur]


@pytest.mark.parametrize("name", ALL)
def test_49_taken_but_unplayed_pozzetto(name: str) -> None:
    """Eleven cards worth 95, counted once, and no 100 beside."""
    state = scene(
        rules=name,
        north="9d",
        east="Kc",
        ew="3h..9h",
        taken="EW",
        stock="Th 4s 5s 6s",
        pozzetti=("As Ks Qh Jh 9c 8c Td 7s 6d 5h 4d",),
    )
    after = play(state, discard("9d"), DRAW_STOCK, add(1, "Th"), discard("Kc"))
    assert after.end == End(EndedBy.CLOSED, seat("E"))
    assert totals(after) == (-95, 55 + 200 + 100)


@pytest.mark.parametrize(
    ("name", "points"), [("classic", (-70, -80)), ("fibur", (30, 20)), ("online", (-70, -80))]
)
def test_50_nobody_took_one(name: str, points: tuple[int, int]) -> None:
    state = scene(
        rules=name,
        phase=Phase.OVER,
        ns="9h Th Jh, 9s Ts Js",
        north="9d Td Jd",
        ew="9c Tc Jc Qc",
        west="Kd Kh",
        end=End(EndedBy.STOCK, None),
    )
    assert totals(state) == points


def _closing_match(rules: Ruleset, deal: DealState, before: tuple[int, int]) -> Match:
    """A match with earlier deals worth ``before``, in which North is about to close with Kd."""
    setup = MatchSetup(rules, Seed(bytes(80), b""), seat("W"), 0, False)
    earlier = DealResult(seat("W"), End(EndedBy.STOCK, None), before)
    return replace(start_match(setup).match, deal=deal, number=2, results=(earlier,))


@pytest.mark.parametrize("target", [1210, 2000])
def test_52_a_deal_is_added_once(target: int) -> None:
    rules = rules_of("classic").with_knobs(target=target)
    deal = scene(rules=rules, north="Kd", south="Jk Jk", ns="4h..9h Jk", taken="NS EW")
    ended = play_match(_closing_match(rules, deal, (1000, 0)), discard("Kd")).match
    assert ended.is_over is (target == 1210)
    for _ in range(2):
        shown_now = match_view(ended, 0)
        assert shown_now is not None
        before = shown_now.totals[0] + (shown_now.points or (0, 0))[0]
        assert (ended.totals, before) == ((1210, 0), 1210)


@pytest.mark.parametrize(
    ("before", "winner"),
    [
        pytest.param((1665, 2100), 1, id="53-both-over-the-line"),
        pytest.param((1675, 2020), None, id="53-tie-plays-on"),
        pytest.param((1655, 1990), 0, id="53-exactly-2000"),
    ],
)
def test_end_of_a_match(before: tuple[int, int], winner: int | None) -> None:
    deal = scene(north="Kd", ns="3h..9h", taken="NS EW")
    ended = play_match(_closing_match(rules_of("classic"), deal, before), discard("Kd")).match
    assert (ended.is_over, ended.winner) == (winner is not None, winner)


# How the table of rules §9 writes the value of a knob.
WORDS: dict[str, Callable[[Ruleset], str]] = {
    "suit_order": lambda rules: " ".join(rules.suit_order),
    "cut": lambda rules: "physical" if rules.physical_cut else "none",
    "pile_requires_meld": lambda rules: "yes" if rules.pile_requires_meld else "no",
    "rediscard_single": lambda rules: {"forbid_unless_twin": "unless twin"}.get(
        rules.rediscard_single, rules.rediscard_single.value
    ),
    "set_ranks": lambda rules: "A and 3" if rules.set_ranks == "A3" else "all",
    "second_set_of_rank": lambda rules: "allow" if rules.second_set_of_rank else "forbid",
    "two_two_joker": lambda rules: str(rules.two_two_joker).lower(),
    "pozzetto_seen": lambda rules: {
        "own_next_turn": "own next turn",
        "partner_discard": "partner's discard",
    }[rules.pozzetto_seen],
    "close_needs": lambda rules: rules.close_needs.value,
    "stock_end": lambda rules: rules.stock_end.value.replace("_", " "),
    "stalemate_turns": lambda rules: str(rules.stalemate_turns),
    "semiclean_bonus": lambda rules: str(rules.semiclean_bonus),
    "semiclean_set": lambda rules: (
        rules.semiclean_set.value.replace("_", " ") if rules.semiclean_bonus else "\u2013"
    ),
    "clean_bonus, dirty_bonus, closing_bonus": lambda rules: (
        f"{rules.clean_bonus}, {rules.dirty_bonus}, {rules.closing_bonus}"
    ),
    "no_pozzetto_penalty": lambda rules: str(rules.no_pozzetto_penalty),
    "no_pozzetto_waived_if_none": lambda rules: str(rules.no_pozzetto_waived_if_none).lower(),
    "match ends": lambda rules: (
        f"target {rules.target}" if rules.target else f"{rules.deals} deals, victory points"
    ),
}


def _knob_table() -> dict[str, list[str]]:
    """The rows of rules §9 without emphasis and the numbers of decisions."""
    page = Path(__file__).parents[2] / "docs" / "rules" / "README.md"
    rows = {}
    for line in page.read_text().partition("| knob |")[2].splitlines():
        cells = [
            re.sub(r"[*`]|\([^)]*\)", "", cell).replace("8 or at", "at").strip()
            for cell in line.split("|")[1:-1]
        ]
        if len(cells) == 6 and not cells[0].startswith("-"):
            rows[cells[0]] = [cells[2] if cell == "=" else cell for cell in cells[2:]]
    return rows


@pytest.mark.parametrize("knob", WORDS)
def test_55_the_rules_page_says_what_the_engine_does(knob: str) -> None:
    assert _knob_table()[knob] == [WORDS[knob](rules_of(name)) for name in ALL]


def test_55_every_row_of_the_page_is_compared() -> None:
    assert set(_knob_table()) == set(WORDS)
    assert (HAND_SIZE, POZZETTO_SIZE, BURRACO_LENGTH) == (11, 11, 7)
    assert set(POINTS) - {0} == {30, 20, 15, 10, 5}


@pytest.mark.parametrize("name", ALL)
def test_56_a_whole_deal(name: str) -> None:
    state = scene(
        rules=name,
        north="4c",
        south="9d 2h",
        ns="5h..Jh, Ks Ks' Kh",
        ew="Qs Ks As Jk1",
        east="Jk2",
        west="As'",
        taken="NS",
    )
    after = play(state, discard("4c"))
    assert totals(after) == (55 + 200 + 30 + 100 - 30, 65 - 45 - 100)
    alone = play(scene(rules=name, north="4c", ns="As..7s", taken="NS"), discard("4c"))
    assert score(alone)[0].total == 60 + 200 + 100
