"""The values themselves: cards and bags, actions, melds, and what a view tells at a glance."""

from functools import partial
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burraco.engine import (
    DRAW_STOCK,
    JOKER,
    TAKE_PILE,
    Action,
    Add,
    Card,
    Cut,
    Discard,
    LayMeld,
    Unreadable,
    advance,
    bag,
    classify,
    parse_cards,
    show_cards,
    unpack,
    view,
)
from burraco.engine.cards import PACK, UNKNOWN, count, faces, holds, points, size
from burraco.engine.compiled import is_compiled
from burraco.engine.narration import narrate
from tests.support.places import points_on_table
from tests.support.scenes import bag_of, cards, meld, scene

SOME_CARDS = st.integers(0, 2**32 - 1).map(
    lambda number: tuple(Random(number).sample(PACK, number % 40))
)


@pytest.mark.parametrize("text", ["7x", "1h", "h7", "jk", "JK", "", "7h ", "10h"])
def test_unreadable_card(text: str) -> None:
    with pytest.raises(Unreadable, match="write rank then suit"):
        Card.parse(text)


def test_cards_are_read_as_they_are_written() -> None:
    assert parse_cards("7h 7d 2s") == parse_cards("7h7d2s") == cards("7h 7d 2s")
    assert show_cards(cards("As Th Jk"), " ") == "As Th Jk"
    assert [repr(card) for card in (JOKER, UNKNOWN)] == ["Card('Jk')", "Card('??')"]
    with pytest.raises(Unreadable, match="each is two characters"):
        parse_cards("7h7")


def test_unreadable_is_no_refusal() -> None:
    assert issubclass(Unreadable, ValueError)


@pytest.mark.parametrize("text", ["7h 7h' 7h", "Jk Jk Jk Jk Jk"])
def test_R3_no_bag_of_more_copies_than_there_are(text: str) -> None:
    with pytest.raises(Unreadable, match="the packs hold"):
        bag(cards(text))


@given(some=SOME_CARDS, other=SOME_CARDS)
def test_bags_are_multisets(some: tuple[Card, ...], other: tuple[Card, ...]) -> None:
    whole = bag(some)
    assert unpack(whole) == tuple(sorted(some))
    assert size(whole) == len(some)
    assert points(whole) == sum(card.points for card in some)
    assert list(faces(whole)) == sorted(set(some))
    assert all(count(whole, card) == some.count(card) for card in PACK)
    assert holds(whole, bag(other)) is all(other.count(card) <= some.count(card) for card in other)


def test_unknown_cards_are_cards_too() -> None:
    hidden = bag([UNKNOWN] * 11 + list(cards("7h Jk")))
    assert size(hidden) == 13
    assert unpack(hidden) == (*cards("7h Jk"), *[UNKNOWN] * 11)
    assert list(faces(hidden)) == [*cards("7h Jk"), UNKNOWN]
    assert points(hidden) == 35
    assert classify(bag([UNKNOWN] * 3)) is None


@pytest.mark.parametrize(
    ("action", "equal", "different", "shown"),
    [
        (DRAW_STOCK, DRAW_STOCK, TAKE_PILE, "DrawStock()"),
        (TAKE_PILE, TAKE_PILE, DRAW_STOCK, "TakePile()"),
        (
            LayMeld(cards("7h 7d 7c")),
            LayMeld(bag_of("7c 7d 7h")),
            LayMeld(cards("7h 7d 7s")),
            "LayMeld(7h 7d 7c)",
        ),
        (Add(0, cards("7h 8h")), Add(0, cards("8h 7h")), Add(1, cards("7h 8h")), "Add(0, 7h 8h)"),
        (Discard(JOKER), Discard(52), Discard(0), "Discard(Jk)"),
        (Cut(40), Cut(40), Cut(41), "Cut(40)"),
    ],
    ids=repr,
)
def test_actions_are_values(action: Action, equal: Action, different: Action, shown: str) -> None:
    assert action == equal
    assert hash(action) == hash(equal)
    assert action != different
    assert action != shown
    assert repr(action) == shown


def test_equal_melds_are_one() -> None:
    assert meld("7c 7d 7h") is meld("7h 7d 7c")
    assert repr(meld("Jk 7d 7h")) == "Meld(7h 7d Jk)"
    assert meld("3h..9h").bonus(scene().rules) == 200


def test_a_view_by_side() -> None:
    state = scene(north="Kd", ns="3h..9h", ew="Ah Ad Jk")
    east, nobody = view(state, 1, 1, (0, 0)), view(state, None, 1, (0, 0))
    assert (east.my_melds, east.their_melds) == (state.melds[1], state.melds[0])
    assert (nobody.side, nobody.hand, nobody.hidden, nobody.is_my_turn) == (0, (), 0, False)
    assert points_on_table(east) == (45 + 200, 60)


def test_a_cut_is_no_step_of_a_deal() -> None:
    """``apply`` refuses it; the unchecked ways know that it can not be."""
    state = scene(north="Kd")
    with pytest.raises(AssertionError, match=r"^a cut comes before the deal$"):
        advance(state, Cut(40))
    with pytest.raises(AssertionError, match=r"^a cut comes before the deal$"):
        narrate(state, Cut(40), state)


@pytest.mark.parametrize("given", ["7h7d7c", ["7h", "7d", "7c"], [1000]], ids=repr)
def test_what_are_no_cards_is_unreadable_and_told_how_to_write_them(given: list[int]) -> None:
    for kind in (LayMeld, partial(Add, 0)):
        with pytest.raises(Unreadable, match=r"Card\.parse\('7h'\)"):
            kind(given)


@pytest.mark.parametrize("given", ["7h", 999], ids=repr)
def test_what_is_no_card_is_unreadable_and_told_how_to_write_one(given: int) -> None:
    # Compiled code asks for an int before the engine's own question.
    refused: type[Exception] = TypeError if is_compiled() and given != 999 else Unreadable
    advice = "int object expected" if refused is TypeError else r"Card\.parse\('7h'\)"
    with pytest.raises(refused, match=advice):
        Discard(given)
