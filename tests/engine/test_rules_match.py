"""Rules §7 to §9: scoring a deal, the match, knobs and presets."""

from dataclasses import fields, replace

import pytest

from burraco.engine import (
    DRAW_STOCK,
    PRESETS,
    DealState,
    End,
    EndedBy,
    IllegalAction,
    Match,
    MatchSetup,
    MatchStep,
    Phase,
    Reason,
    Ruleset,
    Seed,
    Unreadable,
    match_view,
    preset,
    score,
    start_match,
)
from burraco.engine import play as play_match
from burraco.engine.cards import PACK
from burraco.engine.events import DealEnded, DealStarted, MatchEnded
from burraco.engine.match import DealResult, adjudicate
from burraco.engine.rules import Rediscard
from tests.support.playing import add, discard, play, totals
from tests.support.scenes import SEATS, rules_of, scene, seat

ALL = tuple(PRESETS)
SEED = Seed(bytes(range(80)), b"")
CLOSED = End(EndedBy.CLOSED, 0)
# What NS and EW get for the deal of `_about_to_close`: a clean burraco and the closing, nothing.
CLOSING = (45 + 200 + 100, 0)


def _about_to_close(rules: Ruleset) -> DealState:
    return scene(rules=rules, north="Kd", ns="3h..9h", taken="NS EW")


def _finish(rules: str | Ruleset, before: tuple[int, int], deals: int = 1) -> MatchStep:
    """Close a deal in a match whose finished deals, ``deals`` of them, sum up to ``before``."""
    known = rules_of(rules)
    earlier = (DealResult(3, CLOSED, before), *[DealResult(3, CLOSED, (0, 0))] * (deals - 1))
    match = replace(
        start_match(MatchSetup(known, SEED, seat("W"), 0, False)).match,
        deal=_about_to_close(known),
        number=deals + 1,
        results=earlier,
    )
    return play_match(match, discard("Kd"))


def _finished(rules: str | Ruleset, before: tuple[int, int], deals: int = 1) -> Match:
    return _finish(rules, before, deals).match


@pytest.mark.parametrize("name", ALL)
def test_R64_cards_in_melds(name: str) -> None:
    state = scene(rules=name, ns="Ah Ad Jk, 9h Th Jh", ew="3h 3d 3c", taken="NS EW")
    assert [side.melds for side in score(state)] == [15 + 15 + 30 + 30, 15]


@pytest.mark.parametrize("name", ALL)
def test_R65_minus_cards_in_both_hands(name: str) -> None:
    state = scene(rules=name, north="Jk 2s", south="As Kd", west="9h 7c", taken="NS EW")
    assert [side.hands for side in score(state)] == [-(30 + 20 + 15 + 10), -(10 + 5)]


@pytest.mark.parametrize(
    ("name", "semiclean"),
    [("classic", 100), ("fibur", 150), ("international", 100), ("online", 150)],
)
def test_R66_R67_burraco_bonuses(name: str, semiclean: int) -> None:
    state = scene(
        rules=name, ns="3h..9h, 4s..9s Jk", ew="3c..9c Jk, 4d 5d 6d 7d 8d 9d", taken="NS EW"
    )
    assert [side.burrachi for side in score(state)] == [200 + 100, semiclean]


def test_R66_for_each_burraco_by_its_class_when_the_deal_ends() -> None:
    state = scene(north="Jk Kd", ns="3h..9h, 3s..9s", taken="NS EW")
    after = play(state, add(1, "Jk"), discard("Kd"))
    assert score(after)[0].burrachi == 100 + 200


@pytest.mark.parametrize("name", ALL)
def test_R68_closing_bonus(name: str) -> None:
    after = play(_about_to_close(rules_of(name)), discard("Kd"))
    assert [side.closing for side in score(after)] == [100, 0]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("by", [EndedBy.STOCK, EndedBy.STALEMATE, EndedBy.ADJUDICATED])
def test_E4_only_for_a_closing(name: str, by: EndedBy) -> None:
    state = scene(rules=name, phase=Phase.OVER, ns="3h..9h", taken="NS EW", end=End(by, None))
    assert [side.closing for side in score(state)] == [0, 0]


@pytest.mark.parametrize("name", ALL)
def test_R69_own_pozzetto_not_taken(name: str) -> None:
    state = scene(rules=name, phase=Phase.OVER, taken="EW", end=CLOSED)
    assert [side.pozzetto for side in score(state)] == [-100, 0]


@pytest.mark.parametrize("name", ALL)
def test_R70_all_together(name: str) -> None:
    state = scene(
        rules=name,
        north="Kd",
        south="Jk 2h",
        east="As",
        ns="3h..9h, 4s 5s 6s",
        ew="Ah Ad Ac",
        taken="NS",
    )
    assert totals(play(state, discard("Kd"))) == (45 + 15 - 50 + 200 + 100, 45 - 15 - 100)


def test_every_part_of_a_score_is_a_multiple_of_five() -> None:
    bonuses = ("clean_bonus", "dirty_bonus", "semiclean_bonus", "closing_bonus")
    knobs = (*bonuses, "no_pozzetto_penalty")
    points = {getattr(rules, knob) for rules in PRESETS.values() for knob in knobs}
    assert all(value % 5 == 0 for value in points | {card.points for card in PACK})


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dealer", SEATS)
def test_R17_the_deal_passes_to_the_left(name: str, dealer: str) -> None:
    match = start_match(MatchSetup(preset(name), SEED, seat(dealer), 0, False)).match
    match = replace(match, deal=_about_to_close(preset(name)))
    following = play_match(match, discard("Kd")).match
    assert (following.number, following.dealer) == (2, (seat(dealer) + 1) % 4)
    assert following.deal is not None
    assert following.deal.dealer == following.dealer
    assert following.deal.turn == (following.dealer + 1) % 4


@pytest.mark.parametrize(
    ("before", "winner"),
    [
        pytest.param((1655, 0), 0, id="R71-exactly-2000"),
        pytest.param((1655, 1990), 0, id="R71-2000-against-1990"),
        pytest.param((1665, 2100), 1, id="R72-both-reach-it-the-higher-wins"),
        pytest.param((-345, 2000), 1, id="R71-the-side-that-did-not-close"),
    ],
)
def test_end_of_a_match(before: tuple[int, int], winner: int) -> None:
    step = _finish("classic", before)
    match = step.match
    points = before[0] + CLOSING[0], before[1]
    assert (match.is_over, match.winner, match.totals, match.turn) == (True, winner, points, None)
    assert step.events[-1].fact == MatchEnded(points, winner)


@pytest.mark.parametrize(
    "before",
    [
        pytest.param((1650, 1995), id="R71-nobody-has-2000"),
        pytest.param((1675, 2020), id="E64-equal-totals"),
        pytest.param((-900, -400), id="R71-totals-below-zero"),
    ],
)
def test_another_deal(before: tuple[int, int]) -> None:
    step = _finish("classic", before)
    match = step.match
    assert (match.is_over, match.winner, match.number) == (False, None, 3)
    assert match.totals == (before[0] + CLOSING[0], before[1])
    assert isinstance(step.events[-2].fact, DealEnded)
    assert isinstance(step.events[-1].fact, DealStarted)
    assert match.deal is not None
    assert match.deal.melds == ((), ())


def test_E64_only_a_complete_deal_is_looked_at() -> None:
    """2000 on paper, with a burraco on the table, ends nothing while the deal runs."""
    known = rules_of("classic")
    match = replace(
        start_match(MatchSetup(known, SEED, seat("W"), 0, False)).match,
        deal=scene(north="Kd 9c", east="9s", ns="3h..9h", taken="NS EW"),
        results=(DealResult(3, CLOSED, (1995, 0)),),
        number=2,
    )
    after = play_match(match, discard("9c")).match
    assert not after.is_over
    assert after.totals == (1995, 0)


def test_R71_a_small_target_in_a_small_match() -> None:
    small = rules_of("classic").with_knobs(target=345)
    match = replace(
        start_match(MatchSetup(small, SEED, 0, 0, False)).match, deal=_about_to_close(small)
    )
    assert play_match(match, discard("Kd")).match.winner == 0


@pytest.mark.parametrize(("before", "is_over"), [((1655, 0), False), ((1660, 0), True)])
def test_R71_online_target(before: tuple[int, int], is_over: bool) -> None:
    assert _finished("online", before).is_over is is_over


@pytest.mark.parametrize("name", ["fibur", "international"])
@pytest.mark.parametrize(("deals", "is_over"), [(1, False), (2, False), (3, True)])
def test_R71_four_deals(name: str, deals: int, is_over: bool) -> None:
    assert _finished(name, (3000, 0), deals).is_over is is_over


def test_R72_four_deals_may_end_equal() -> None:
    step = _finish("fibur", (0, 345), 3)
    assert (step.match.is_over, step.match.winner) == (True, None)
    assert step.events[-1].fact == MatchEnded((345, 345), None)


def test_R71_nothing_is_played_after_the_end() -> None:
    match = _finished("classic", (1655, 0))
    for action in (DRAW_STOCK, discard("Kd")):
        with pytest.raises(IllegalAction) as caught:
            play_match(match, action)
        assert caught.value.reason is Reason.MATCH_OVER
    with pytest.raises(IllegalAction):
        adjudicate(match)


def test_totals_before_the_deal_in_the_view() -> None:
    match = _finished("classic", (1000, 20))
    shown = match_view(match, 0)
    assert shown is not None
    assert (shown.totals, shown.deal) == ((1345, 20), 3)
    over = match_view(_finished("classic", (1655, 20)), 0)
    assert over is not None
    assert (over.totals, over.points) == ((1655, 20), CLOSING)


def test_adjudication_scores_the_cards_as_they_lie() -> None:
    match = replace(
        start_match(MatchSetup(rules_of("classic"), SEED, 0, 0, False)).match,
        deal=scene(north="Kd", ns="3h..9h", taken="NS EW"),
    )
    step = adjudicate(match)
    assert [event.fact for event in step.events] == [
        DealEnded(EndedBy.ADJUDICATED, None, (235, 0)),
        MatchEnded((235, 0), 0),
    ]
    assert (step.match.is_over, step.match.totals) == (True, (235, 0))


def test_adjudication_before_the_cut() -> None:
    waiting = start_match(MatchSetup(rules_of("classic"), SEED, 0, 0, True)).match
    assert match_view(waiting, 0) is None
    assert adjudicate(waiting).match.is_over


@pytest.mark.parametrize(("deals", "dealer"), [(-1, 0), (0, 4), (0, -1)])
def test_a_match_that_can_not_begin(deals: int, dealer: int) -> None:
    with pytest.raises(Unreadable, match="no match begins"):
        start_match(MatchSetup(rules_of("classic"), SEED, dealer, deals, False))


KNOBS: list[tuple[str, tuple[object, ...]]] = [
    ("suit_order", ("shdc", "hdcs", "hdcs", "hdcs")),
    ("physical_cut", (True, False, False, False)),
    ("pile_requires_meld", (False, False, True, False)),
    ("rediscard_single", ("allow", "forbid_unless_twin", "forbid", "forbid")),
    ("set_ranks", ("A3456789TJQK", "A3456789TJQK", "A3", "A3456789TJQK")),
    ("second_set_of_rank", (True, False, False, True)),
    ("two_two_joker", (True, False, False, False)),
    ("pozzetto_seen", ("own_next_turn", "partner_discard", "partner_discard", "own_next_turn")),
    ("close_needs", ("any", "any", "clean", "any")),
    ("stock_end", ("at_once", "after_discard", "after_discard", "after_discard")),
    ("stalemate_turns", (8, 8, 8, 8)),
    ("semiclean_bonus", (0, 150, 0, 150)),
    ("semiclean_set", ("exactly_8", "exactly_8", "exactly_8", "at_least_8")),
    ("clean_bonus", (200, 200, 200, 200)),
    ("dirty_bonus", (100, 100, 100, 100)),
    ("closing_bonus", (100, 100, 100, 100)),
    ("no_pozzetto_penalty", (100, 100, 100, 100)),
    ("no_pozzetto_waived_if_none", (False, True, False, False)),
    ("target", (2000, 0, 0, 2005)),
    ("deals", (0, 4, 4, 0)),
    ("players", (4, 4, 4, 4)),
]


@pytest.mark.parametrize(("knob", "values"), KNOBS, ids=[knob for knob, _ in KNOBS])
def test_knobs_of_the_presets(knob: str, values: tuple[object, ...]) -> None:
    assert tuple(getattr(preset(name), knob) for name in ALL) == values


def test_every_knob_is_in_the_table() -> None:
    assert {field.name for field in fields(Ruleset)} == {"name", *(knob for knob, _ in KNOBS)}


@pytest.mark.parametrize(
    "knobs",
    [
        {"target": 0},
        {"target": 2000, "deals": 4},
        {"target": -5},
        {"deals": -1},
        {"target": 1_000_005},
        {"suit_order": "shd"},
        {"set_ranks": "A2"},
        {"set_ranks": "AA"},
        {"clean_bonus": 201},
        {"dirty_bonus": -5},
        {"closing_bonus": 10_005},
        {"stalemate_turns": -1},
        {"players": 1},
        {"players": 5},
        {"players": True},
        {"players": "2"},
        {"no_such_knob": 1},
        {"name": "house"},
        {"rediscard_single": "maybe"},
        {"target": "2000"},
        {"two_two_joker": 1},
    ],
    ids=repr,
)
def test_a_combination_that_makes_no_game(knobs: dict[str, int | str]) -> None:
    with pytest.raises(Unreadable):
        rules_of("classic").with_knobs(**knobs)


def test_single_knobs_are_changed() -> None:
    changed = rules_of("classic").with_knobs(rediscard_single="forbid", two_two_joker=False)
    assert changed.rediscard_single is Rediscard.FORBID
    assert not changed.two_two_joker
    assert changed.content_hash != rules_of("classic").content_hash


def test_an_unknown_preset() -> None:
    with pytest.raises(Unreadable, match="classic, fibur, international, online"):
        preset("canasta")


def test_a_name_is_no_knob() -> None:
    renamed = replace(rules_of("classic"), name="house")
    assert renamed.content_hash == rules_of("classic").content_hash
    assert len({preset(name).content_hash for name in ALL}) == 4
