"""Two and three players (docs/players.md H1 to H5): the knob, seats and the deal."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from burraco.engine import (
    DRAW_STOCK,
    Cut,
    IllegalAction,
    Match,
    MatchSetup,
    Reason,
    Ruleset,
    Unreadable,
    lay_out,
    preset,
    start_match,
)
from burraco.engine import play as play_match
from burraco.engine.cards import PACK, Card, size
from burraco.engine.match import DealResult
from burraco.engine.rules import seated
from burraco.engine.seating import rank_players, seats_from_ranking
from tests.support.players import (
    ALL,
    CLOSED,
    SEED,
    E,
    N,
    S,
    rules_for,
)
from tests.support.playing import pass_turns
from tests.support.scenes import cards


@pytest.mark.parametrize("name", ALL)
def test_three_players_play_to_1505_whatever_the_preset_says(name: str) -> None:
    rules = rules_for(name, 3)
    assert (rules.players, rules.target, rules.deals) == (3, 1505, 0)
    assert replace(rules, players=4, target=preset(name).target, deals=preset(name).deals) == (
        preset(name)
    )
    assert rules == seated(preset(name), 3)
    assert seated(rules, 3) is rules


@pytest.mark.parametrize("name", ALL)
def test_two_players_play_as_long_as_the_preset_says(name: str) -> None:
    assert rules_for(name, 2) == replace(preset(name), players=2)


@pytest.mark.parametrize(
    ("name", "knobs", "target", "deals"),
    [
        pytest.param("classic", {"target": 3000}, 3000, 0, id="target"),
        pytest.param("fibur", {"target": 1000}, 1000, 0, id="target-in-place-of-deals"),
        pytest.param("classic", {"deals": 6}, 0, 6, id="deals-in-place-of-target"),
        pytest.param("fibur", {"deals": 6}, 0, 6, id="deals"),
        pytest.param("online", {"deals": 6, "target": 0}, 0, 6, id="both"),
        pytest.param("fibur", {"deals": 0}, 1505, 0, id="no-deals"),
        pytest.param("classic", {"closing_bonus": 50}, 1505, 0, id="another-knob"),
    ],
)
def test_what_is_given_beside_three_players_stands(
    name: str, knobs: dict[str, int], target: int, deals: int
) -> None:
    for together in ({"players": 3, **knobs}, {**knobs, "players": 3}):
        rules = preset(name).with_knobs(**together)
        assert (rules.players, rules.target, rules.deals) == (3, target, deals)


@pytest.mark.parametrize(
    ("knobs", "why"),
    [
        ({"players": 5}, "players 5: a table has 2, 3 or 4"),
        ({"players": 1}, "players 1: a table has 2, 3 or 4"),
        ({"players": 3, "target": 0}, "exactly one of the two is above 0"),
        ({"players": 3, "target": 500, "deals": 2}, "exactly one of the two is above 0"),
        ({"players": 2, "deals": 6}, "exactly one of the two is above 0"),
    ],
)
def test_tables_that_are_none(knobs: dict[str, int], why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        preset("classic").with_knobs(**knobs)


def test_the_number_of_players_tells_rules_apart() -> None:
    assert len({rules_for("classic", players).content_hash for players in (2, 3, 4)}) == 3


def _waiting(rules: Ruleset, dealer: int) -> Match:
    return start_match(MatchSetup(rules, SEED, dealer, 0, True)).match


@pytest.mark.parametrize(
    ("players", "dealer", "cutter", "first"),
    [(2, N, E, E), (2, E, N, N), (3, N, S, E), (3, E, N, S), (3, S, E, N)],
)
def test_H1_left_and_right_of_the_dealer(
    players: int, dealer: int, cutter: int, first: int
) -> None:
    waiting = _waiting(rules_for("classic", players), dealer)
    assert (waiting.cutter, waiting.turn) == (cutter, cutter)
    dealt = play_match(waiting, Cut(40)).match
    assert dealt.turn == first
    assert dealt.deal is not None
    turns = [dealt.turn]
    state = dealt.deal
    for _ in range(players):
        state = pass_turns(state, 1)
        turns.append(state.turn)
    assert turns == [(first + at) % players for at in range(players + 1)]


@pytest.mark.parametrize("dealer", [2, 3])
def test_H1_nobody_deals_from_a_seat_that_is_not_there(dealer: int) -> None:
    with pytest.raises(Unreadable, match="no match begins"):
        start_match(MatchSetup(rules_for("fibur", dealer), SEED, dealer, 0, False))


@pytest.mark.parametrize(
    ("ranking", "dealer", "seats"),
    [
        pytest.param("ab", E, "ab", id="two-b-deals-from-east"),
        pytest.param("ab", N, "ba", id="two-b-deals-from-north"),
        pytest.param("abc", S, "abc", id="three-c-deals-from-south-a-at-the-left"),
        pytest.param("abc", E, "bca", id="three-c-deals-from-east"),
        pytest.param("abc", N, "cab", id="three-c-deals-from-north"),
    ],
)
def test_H2_seats_by_the_draw(ranking: str, dealer: int, seats: str) -> None:
    found = seats_from_ranking([*map(ord, ranking)], dealer)
    assert "".join(map(chr, found)) == seats


def test_H2_E62_equal_cards_draw_again() -> None:
    """The king is highest, and of the two who have a nine the one who draws the five."""
    following = iter(cards("3c 5s"))
    ranking = rank_players(cards("9h 9h Kd"), lambda _player: next(following), "shdc")
    assert ranking == (2, 1, 0)
    assert seats_from_ranking(ranking, S) == (2, 1, 0)


# A pack in which every place tells itself apart from its neighbours.
D = tuple(PACK[place * 5 % 108] for place in range(108))


def _places(*places: int) -> tuple[Card, ...]:
    return tuple(D[place] for place in places)


def test_H3_H5_two_players_with_a_cut_of_22() -> None:
    layout = lay_out(D, 22, N, 2)
    assert layout.hands == (_places(*range(23, 44, 2)), _places(*range(22, 43, 2)))
    assert layout.upcard == D[44]
    assert layout.pozzetti == (_places(*range(21, 0, -2)), _places(*range(20, -1, -2)))
    assert layout.stock == _places(*range(45, 108))


def test_H3_H5_three_players_with_18_and_11() -> None:
    """Cut 29: 28 26 … 8 and then 6 to 0 make pozzetto 1, 27 25 … 7 pozzetto 2."""
    layout = lay_out(D, 29, E, 3, (18, 11))
    south, north, east = (_places(*range(first, 62, 3)) for first in (29, 30, 31))
    assert layout.hands == (north, east, south)
    assert layout.upcard == D[62]
    assert layout.pozzetti == (
        _places(28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 5, 4, 3, 2, 1, 0),
        _places(27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7),
    )
    assert layout.stock == _places(*range(63, 108))


def test_H3_H5_three_players_with_three_of_11() -> None:
    layout = lay_out(D, 33, S, 3, (11, 11, 11))
    assert layout.hands == tuple(_places(*range(first, 66, 3)) for first in (33, 34, 35))
    assert layout.upcard == D[66]
    assert layout.pozzetti == tuple(_places(*range(first, -1, -3)) for first in (32, 31, 30))
    assert layout.stock == _places(*range(67, 108))


def test_H5_places_go_on_from_the_start_of_the_pack() -> None:
    """Cut 63 of two players: the upcard is place 85, the stock 86 to 107 and then 0 to 40."""
    layout = lay_out(D, 63, E, 2)
    assert layout.hands[N] == _places(*range(63, 85, 2))
    assert layout.upcard == D[85]
    assert layout.stock == _places(*range(86, 108), *range(41))


def test_H5_without_a_cut_pozzetti_come_from_the_end() -> None:
    layout = lay_out(D, 0, S, 3, (18, 11))
    assert layout.pozzetti[0] == _places(*range(107, 86, -2), *range(85, 78, -1))
    assert layout.pozzetti[1] == _places(*range(106, 85, -2))
    assert layout.stock == _places(*range(34, 79))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(("players", "sizes", "stock"), [(2, (11, 11), 63), (3, (18, 11), 45)])
def test_how_much_is_dealt(name: str, players: int, sizes: Sequence[int], stock: int) -> None:
    deal = start_match(MatchSetup(rules_for(name, players), SEED, 0, 0, False)).match.deal
    assert deal is not None
    assert [size(hand) for hand in deal.hands] == [11] * players
    assert tuple(map(size, deal.pozzetti)) == tuple(sizes)
    assert (len(deal.pile), len(deal.stock)) == (1, stock)
    assert deal.sides == tuple(range(players))
    assert (len(deal.melds), len(deal.taken)) == (players, players)


@pytest.mark.parametrize(
    ("players", "before", "smallest"),
    [
        pytest.param(2, (), 22, id="two"),
        pytest.param(2, ((1005, 0),), 22, id="two-beyond-1000"),
        pytest.param(3, (), 29, id="three"),
        pytest.param(3, ((0, 1005, 0),), 33, id="three-beyond-1000"),
    ],
)
def test_H4_a_cut_lifts_the_pozzetti(
    players: int, before: tuple[tuple[int, ...], ...], smallest: int
) -> None:
    results = tuple(DealResult(0, CLOSED, points) for points in before)
    waiting = replace(_waiting(rules_for("classic", players), N), results=results)
    for cut, near in ((smallest - 1, smallest), (0, smallest), (64, 63)):
        with pytest.raises(IllegalAction) as caught:
            play_match(waiting, Cut(cut))
        told = caught.value
        assert (told.reason, told.rule) == (Reason.CUT_OUT_OF_RANGE, "R19")
        assert (told.facts["smallest"], told.facts["largest"]) == (str(smallest), "63")
        assert told.nearest.tokens == f"/{near}"
    with pytest.raises(IllegalAction) as caught:
        play_match(waiting, DRAW_STOCK)
    assert caught.value.nearest.tokens == f"/{smallest}"
    for cut in (smallest, 63):
        assert play_match(waiting, Cut(cut)).match.deal is not None
