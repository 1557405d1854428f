"""Rules §1 and §2: the cards, the seats and the deal."""

from collections import Counter
from dataclasses import replace

import pytest

from burraco.engine import (
    DRAW_STOCK,
    PRESETS,
    Card,
    Cut,
    IllegalAction,
    MatchSetup,
    Phase,
    Reason,
    Seed,
    Unreadable,
    lay_out,
    open_deal,
    play,
    preset,
    shuffled,
    start_match,
    unpack,
)
from burraco.engine.cards import CARDS, PACK
from burraco.engine.seating import draw_strength, rank_players, seats_from_ranking
from burraco.engine.state import left_of
from tests.support.playing import discard
from tests.support.scenes import SEATS, cards, scene, seat

SEED = Seed(bytes(80), b"")


def test_R2_four_players_in_two_fixed_partnerships() -> None:
    sides = preset("classic").sides_as_dealt
    assert [sides[seat(name)] for name in SEATS] == [0, 1, 0, 1]
    assert [SEATS[left_of(seat(name), 4)] for name in SEATS] == ["E", "S", "W", "N"]


def test_R3_two_packs_and_four_jokers() -> None:
    faces = {rank + suit: 2 for rank in "A23456789TJQK" for suit in "shdc"}
    assert len(PACK) == 108
    assert Counter(map(str, PACK)) == {**faces, "Jk": 4}


def test_R3_the_two_copies_are_one_card() -> None:
    first, second = cards("7h 7h'")
    assert first == second
    assert hash(first) == hash(second)


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("classic", "shdc"),
        ("fibur", "hdcs"),
        ("international", "hdcs"),
        ("online", "hdcs"),
    ],
)
def test_R4_R5_order_for_the_seat_draw(name: str, order: str) -> None:
    highest_first = ["Jk", *(rank + suit for rank in "2AKQJT9876543" for suit in order)]
    suits = preset(name).suit_order
    drawn = sorted(CARDS, key=lambda card: draw_strength(card, suits), reverse=True)
    assert list(map(str, drawn)) == highest_first
    assert len({draw_strength(card, suits) for card in CARDS}) == 53


@pytest.mark.parametrize(
    ("ranks", "value"),
    [
        pytest.param("2", 20, id="R8-two-also-a-natural-one"),
        pytest.param("A", 15, id="R9-ace"),
        pytest.param("KQJT98", 10, id="R10-king-to-eight"),
        pytest.param("76543", 5, id="R11-seven-to-three"),
    ],
)
def test_value_of_a_rank(ranks: str, value: int) -> None:
    assert {Card.parse(rank + suit).points for rank in ranks for suit in "shdc"} == {value}


def test_R7_a_joker_is_thirty() -> None:
    assert Card.parse("Jk").points == 30


def test_wild_cards_are_jokers_and_twos() -> None:
    assert Counter(str(card) for card in PACK if card.is_wild) == {
        "Jk": 4,
        "2s": 2,
        "2h": 2,
        "2d": 2,
        "2c": 2,
    }


def _ranked(drawn: str, again: str = "") -> str:
    """The players a, b, c, d from the highest; who draws again takes the next card."""
    following = iter(cards(again))
    first = cards(drawn)
    ranking = rank_players(first, lambda _player: next(following), "shdc")
    return "".join("abcd"[player] for player in ranking)


@pytest.mark.parametrize(
    ("drawn", "again", "ranking"),
    [
        pytest.param("Kd 5s 9h 3c", "", "acbd", id="R12-by-rank"),
        pytest.param("2c As Jk Kh", "", "cabd", id="R12-joker-two-ace-king"),
        pytest.param("9c 9d 9h 9s", "", "dcba", id="R13-by-suit"),
        pytest.param("Jk Jk 9h 3c", "Kd 5s", "abcd", id="E62-two-jokers-draw-again"),
        pytest.param("Jk Jk 9h 3c", "5s Kd", "bacd", id="E62-the-other-way-round"),
        pytest.param("4s 9h 4s Kd", "3c 2d", "dbca", id="E62-equal-low-cards-keep-their-place"),
        pytest.param("Jk Jk Jk 3c", "7s 7s 8d Kd Qd", "cabd", id="E62-equal-again"),
    ],
)
def test_ranking_of_the_seat_draw(drawn: str, again: str, ranking: str) -> None:
    assert _ranked(drawn, again) == ranking


@pytest.mark.parametrize("dealer", range(4))
def test_R12_to_R16_seats_by_the_draw(dealer: int) -> None:
    """The lowest deals, the highest sits at the dealer's left, clockwise d, a, c, b."""
    high, second, third, low = 3, 0, 2, 1
    players = seats_from_ranking((high, second, third, low), dealer)
    at = [players[(dealer + step) % 4] for step in range(4)]
    assert at == [low, high, third, second]
    sides = preset("classic").sides_as_dealt
    assert sides[players.index(high)] == sides[players.index(second)]
    assert sides[players.index(low)] == sides[players.index(third)]


def test_E62_the_example_seats_the_three_of_clubs_as_dealer() -> None:
    drawn = cards("Jk Jk 9h 3c")
    following = iter(cards("Kd 5s"))
    ranking = rank_players(drawn, lambda _player: next(following), "shdc")
    assert ranking == (0, 1, 2, 3)
    assert seats_from_ranking(ranking, seat("W"))[seat("W")] == 3


def _numbered_pack() -> tuple[Card, ...]:
    """A pack in an order that tells places apart as well as two copies allow."""
    return (*CARDS[:52], *CARDS[52:] * 4, *reversed(CARDS[:52]))


@pytest.mark.parametrize("cut", [22, 40, 63])
@pytest.mark.parametrize("dealer", SEATS)
def test_R18_to_R25_places_of_the_cut_pack(cut: int, dealer: str) -> None:
    d = _numbered_pack()
    layout = lay_out(d, cut, seat(dealer))
    first = left_of(seat(dealer), 4)
    for turn in range(4):
        hand = tuple(d[cut + turn + 4 * number] for number in range(11))
        assert layout.hands[(first + turn) % 4] == hand
    assert layout.upcard == d[cut + 44]
    assert layout.pozzetti[0] == tuple(d[cut - 1 - 2 * number] for number in range(11))
    assert layout.pozzetti[1] == tuple(d[cut - 2 - 2 * number] for number in range(11))
    assert layout.stock == (*d[cut + 45 :], *d[: cut - 22])
    assert len(layout.stock) == 41


@pytest.mark.parametrize("cut", [22, 40, 63])
def test_R18_to_R25_all_cards_are_dealt(cut: int) -> None:
    layout = lay_out(_numbered_pack(), cut, 0)
    dealt = [card for pile in (*layout.hands, *layout.pozzetti) for card in pile]
    assert Counter([*dealt, layout.upcard, *layout.stock]) == Counter(PACK)


@pytest.mark.parametrize("cut", [1, 21, 64, 107, -22])
def test_R19_a_cut_lifts_22_and_leaves_45(cut: int) -> None:
    with pytest.raises(IllegalAction) as caught:
        lay_out(_numbered_pack(), cut, 0)
    assert (caught.value.reason, caught.value.rule) == (Reason.CUT_OUT_OF_RANGE, "R19")


@pytest.mark.parametrize("dealer", SEATS)
def test_R18_the_player_at_the_dealers_right_cuts(dealer: str) -> None:
    asked = start_match(MatchSetup(preset("classic"), SEED, seat(dealer), 1, True)).match
    assert asked.turn == asked.cutter == (seat(dealer) + 3) % 4
    assert asked.deal is None
    cut = play(asked, Cut(40)).match
    assert cut.layout == lay_out(_pack_of(cut.number), 40, seat(dealer))


def _pack_of(number: int) -> tuple[Card, ...]:
    return shuffled(SEED, number)[0]


@pytest.mark.parametrize(("size", "nearest"), [(21, "/22"), (64, "/63")])
def test_R19_the_cutter_is_told_the_bounds(size: int, nearest: str) -> None:
    asked = start_match(MatchSetup(preset("classic"), SEED, 0, 1, True)).match
    with pytest.raises(IllegalAction, match="at least 22 cards") as caught:
        play(asked, Cut(size))
    bounds = {"smallest": "22", "largest": "63"}
    assert caught.value.facts == {"cut": str(size), **bounds, "nearest": nearest}
    assert play(asked, Cut(22)).match.deal is not None


def test_R18_nobody_plays_before_the_cut() -> None:
    asked = start_match(MatchSetup(preset("classic"), SEED, 0, 2, True)).match
    with pytest.raises(IllegalAction) as caught:
        play(asked, DRAW_STOCK)
    assert (caught.value.reason, caught.value.rule) == (Reason.MUST_CUT_FIRST, "R18")


def test_R18_every_deal_is_cut() -> None:
    cut = play(start_match(MatchSetup(preset("classic"), SEED, 0, 2, True)).match, Cut(22)).match
    closing = scene(north="Kd", ns="3h..9h", taken="NS")
    following = play(replace(cut, deal=closing), discard("Kd")).match
    assert (following.number, following.deal, following.turn) == (2, None, 0)


@pytest.mark.parametrize("name", ["fibur", "international", "online"])
def test_presets_without_a_cut_ask_for_none(name: str) -> None:
    with pytest.raises(Unreadable, match="no cut"):
        start_match(MatchSetup(preset(name), SEED, 0, 1, True))


@pytest.mark.parametrize("upcard", ["Jk", "2d", "7h"])
def test_E50_the_upcard_stays_whatever_it_is(upcard: str) -> None:
    d = list(PACK)
    place = 22 + 44
    found = d.index(Card.parse(upcard))
    d[place], d[found] = d[found], d[place]
    deal = open_deal(preset("classic"), seat("W"), lay_out(d, 22, seat("W")))
    assert deal.pile == cards(upcard)


def test_E57_pozzetto_1_gets_the_first_card_and_lies_first() -> None:
    d = _numbered_pack()
    layout = lay_out(d, 30, 0)
    assert layout.pozzetti[0][0] == d[29]
    deal = open_deal(preset("classic"), 0, layout)
    assert unpack(deal.pozzetti[0]) == tuple(sorted(layout.pozzetti[0]))


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("dealer", SEATS)
def test_R42_the_player_at_the_dealers_left_begins(name: str, dealer: str) -> None:
    deal = open_deal(preset(name), seat(dealer), lay_out(PACK, 22, seat(dealer)))
    assert deal.turn == left_of(seat(dealer), 4)
    assert deal.phase is Phase.DRAW
    assert [deal.hand_size(at) for at in range(4)] == [11, 11, 11, 11]
