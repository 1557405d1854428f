"""Deals as one seat saw them: all that it saw, nothing else, and judged as they stand."""

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from burraco.engine import (
    PRESETS,
    Add,
    DealState,
    Discard,
    DrawStock,
    IllegalAction,
    LayMeld,
    Reason,
    Ruleset,
    SeenEvent,
    TakePile,
    Unreadable,
    preset,
    view,
)
from burraco.engine.bgn import (
    BadNotation,
    DealRecord,
    Move,
    judge,
    parse,
    read_deal,
    replay,
    write_deal,
)
from burraco.engine.bgn_view import SeenDeal, seen_deal, view_of_block, write_seen
from burraco.engine.events import DealEnded, MatchEnded
from burraco.engine.state import Layout
from tests.support.blocks import Played, random_deal, verdict

CASES = Path(__file__).parents[1] / "cases"
FIRST = (CASES / "deals-classic.bgn").read_text().split("\n\n[BGN")[0] + "\n"
NAMES = tuple(PRESETS)

Table = tuple[Ruleset, int | None]

numbers = st.integers(0, 2**32)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Rules of each preset and number of players, and who looks on."""
    players = draw(st.sampled_from([4, 2, 3]))
    rules = preset(draw(st.sampled_from(NAMES))).with_knobs(players=players)
    return rules, draw(st.sampled_from([*range(rules.players), None]))


def written(record: DealRecord, seat: int | None) -> str:
    """The deal as a seat saw it."""
    return write_seen(seen_deal(record, seat), {})


@given(table=tables(), number=numbers)
def test_what_a_seat_saw_is_judged_ok(table: Table, number: int) -> None:
    rules, seat = table
    assert verdict(written(random_deal(rules, number).record, seat)).startswith("ok ")


@given(table=tables(), number=numbers)
def test_all_that_a_seat_saw_is_there(table: Table, number: int) -> None:
    """The table it leaves behind shows the seat what it saw at the end, and every move is there."""
    rules, seat = table
    played = random_deal(rules, number)
    (block,) = parse(written(played.record, seat))
    again, final = replay(block), played.states[-1]
    assert _played(again.moves) == _played(played.record.moves)
    assert seat is None or again.start.hands[seat] == played.states[0].hands[seat]
    assert _without_points(again.final, seat) == _without_points(final, seat)


def _played(moves: tuple[Move, ...]) -> list[tuple[int, object]]:
    return [(move.seat, move.action) for move in moves]


def _without_points(state: DealState, seat: int | None) -> object:
    return replace(view(state, seat, 1, ()), points=None)


@given(table=tables(), number=numbers, other=numbers)
def test_hidden_cards_change_nothing(table: Table, number: int, other: int) -> None:
    """Cards that the seat never saw, put in each other's places, leave every byte as it was."""
    rules, seat = table
    played = random_deal(rules, number)
    record = _permuted(played, seat, Random(other))
    if record is None:
        reject()
    before, after = seen_deal(played.record, seat), seen_deal(record, seat)
    assert write_seen(_with_end_of(after, before), {}) == write_seen(before, {})


def _with_end_of(seen: SeenDeal, other: SeenDeal) -> SeenDeal:
    """The points of a deal tell of hidden cards what they may: they are those of the other."""
    ends = [event for event in other.events if isinstance(event.fact, DealEnded)]
    kept = [event for event in seen.events if not isinstance(event.fact, DealEnded)]
    return replace(seen, events=(*kept, *ends))


@dataclass
class _Place:
    """Where a card lay when the deal began, and whether the viewer has come to see it."""

    card: int
    seen: bool = False


def _permuted(played: Played, seat: int | None, chance: Random) -> DealRecord | None:
    """The same moves over other hidden cards, None where the rules refuse one of them then."""
    layout = played.record.layout
    hands = [[_Place(card, at == seat) for card in hand] for at, hand in enumerate(layout.hands)]
    pozzetti = [[_Place(card) for card in pozzetto] for pozzetto in layout.pozzetti]
    stock = [_Place(card) for card in layout.stock]
    every = [*hands, *pozzetti, stock]
    _watch(played, seat, [list(hand) for hand in hands], list(pozzetti), list(stock))
    hidden = [place for places in every for place in places if not place.seen]
    cards = [place.card for place in hidden]
    chance.shuffle(cards)
    for place, card in zip(hidden, cards, strict=True):
        place.card = card
    dealt = [tuple(type(layout.upcard)(place.card) for place in places) for places in every]
    many = len(hands)
    other = Layout(tuple(dealt[:many]), tuple(dealt[many:-1]), layout.upcard, dealt[-1])
    record = replace(played.record, layout=other)
    try:
        seen_deal(record, seat)
    except IllegalAction:
        return None
    return record


def _watch(
    played: Played,
    seat: int | None,
    hands: list[list[_Place]],
    pozzetti: list[list[_Place]],
    stock: list[_Place],
) -> None:
    """Follow every card through the deal, and mark those that the viewer sees."""
    pile = [_Place(played.record.layout.upcard, True)]
    for move, (before, after) in zip(played.record.moves, pairwise(played.states), strict=True):
        hand = hands[move.seat]
        match move.action:
            case DrawStock():
                hand.append(stock.pop(0))
                hand[-1].seen |= move.seat == seat
            case TakePile():
                hand += pile
                pile = []
            case LayMeld() | Add():
                for card in move.action.cards:
                    _shown(hand, card)
            case Discard():
                pile.append(_shown(hand, move.action.card))
        if before.taken != after.taken:
            hand += pozzetti.pop(0)
        if seat is not None and not after.unopened[seat]:
            for place in hands[seat]:
                place.seen = True


def _shown(hand: list[_Place], card: int) -> _Place:
    """Take a card out of a hand, one that was seen before rather than its twin."""
    place = max((place for place in hand if place.card == card), key=lambda place: place.seen)
    hand.remove(place)
    place.seen = True
    return place


@given(table=tables(), number=numbers)
def test_it_is_the_whole_text_with_holes(table: Table, number: int) -> None:
    """Beside the writer of whole deals: the same lines but for cards that are not shown."""
    rules, seat = table
    record = random_deal(rules, number).record
    record = replace(record, moves=tuple(replace(move, timed_out=False) for move in record.moves))
    whole, seen = (_turns(text) for text in (write_deal(record, {}), written(record, seat)))
    assert len(whole) == len(seen)
    for full, holed in zip(whole, seen, strict=True):
        for token, other in zip(full.split(" ")[1:], holed.split(" ")[1:], strict=True):
            own = seat is not None and full.split(" ")[0][-1] == "NESW"[seat]
            if token[0] == "+" and not own:
                assert other == "+??"
            elif token[:2] in ("P!", "P."):
                known = own and (token[1] == "!" or "*" not in other)
                assert ("*" not in other) == known
            else:
                assert other == token


def _turns(text: str) -> list[str]:
    return re.findall(r"^\d.*$", text, re.MULTILINE)


def test_a_case_deal_as_east_saw_it() -> None:
    (block,) = parse(FIRST)
    text = view_of_block(block, 1)
    assert '[Deal "N:*11 E:' in text
    assert " S:*11 W:*11 P1:*11 P2:*11 U:Jd K:*41" in text
    assert "1E +Jh M1=ThJhQh" in text
    # N takes the first pozzetto on the discard, East the second directly.
    assert "-Ts P.(*11)" in text
    assert re.search(r"P!\(([2-9TJQKA][shdc]){11}\)", text)
    assert verdict(text) == "ok NS 555 EW 490"


def test_e55_a_pozzetto_opened_later_is_shown_to_its_owner_alone() -> None:
    (block,) = parse(FIRST)
    assert "P.(3s8s9cTc" not in view_of_block(block, 0)
    own = re.search(r"P\.\((\w+)\)", view_of_block(block, 0))
    dealt = re.search(r"P1:(\w+)", FIRST)
    assert own is not None
    assert dealt is not None
    assert sorted(re.findall("..", own[1])) == sorted(re.findall("..", dealt[1]))
    assert all("P.(*11)" in view_of_block(block, seat) for seat in (1, 2, 3, None))


def test_r64_points_beside_unknown_cards_are_held_within_bounds() -> None:
    (block,) = parse(FIRST)
    text = view_of_block(block, 1)
    for points in ("NS 9000 EW 490", "NS 552 EW 490", "NS -2000 EW 490"):
        claimed = text.replace("NS 555 EW 490", points)
        assert verdict(claimed).startswith("differs NS "), points
    (told,) = judge(text.replace("NS 555 EW 490", "*"))
    assert told.text.endswith(", the file says *")


def test_tags_that_tell_the_cards_are_left_out() -> None:
    tags = '[Seed "00"] [Nonces "- - - -"] [Cut "30"] [Anything "P1:7h"] [Scores "NS 5 EW 0"]\n'
    (block,) = parse(tags + FIRST.replace('[BGN "1"]\n', ""))
    text = view_of_block(block, 0)
    assert [name for name in ("Seed", "Nonces", "Cut", "Anything") if name in text] == []
    assert '[Scores "NS 5 EW 0"]' in text
    assert '[North "' in text


def test_a_view_of_a_view_or_of_a_scene_is_refused_with_its_place() -> None:
    (block,) = parse(FIRST)
    (seen,) = parse(view_of_block(block, 0))
    with pytest.raises(BadNotation, match=r"line 10, column 8: unknown cards"):
        view_of_block(seen, 0)
    (scene,) = parse('[Turn "N play"]')
    with pytest.raises(BadNotation, match="line 1, column 2: this is a scene"):
        view_of_block(scene, 0)


def test_moves_out_of_turn_and_events_without_a_start_are_refused() -> None:
    (block,) = parse(FIRST)
    record = read_deal(block)
    with pytest.raises(IllegalAction) as caught:
        seen_deal(replace(record, moves=(Move(0, DrawStock(), False),)), 0)
    assert caught.value.reason is Reason.NOT_YOUR_TURN
    seen = seen_deal(record, 0)
    for events in ((), seen.events[1:]):
        with pytest.raises(Unreadable, match="begins with its start"):
            write_seen(replace(seen, events=events), {})


def test_what_follows_a_deal_is_no_part_of_it() -> None:
    (block,) = parse(FIRST)
    seen = seen_deal(read_deal(block), 0)
    over = SeenEvent(MatchEnded((555, 490), 0), ())
    assert write_seen(replace(seen, events=(*seen.events, over)), {}) == write_seen(seen, {})


def test_moves_of_a_deal_that_is_not_over() -> None:
    begun = FIRST[: FIRST.index("3E")]
    (block,) = parse(begun.replace("closed S", "*").replace("NS 555 EW 490", "*"))
    text = view_of_block(block, 2)
    assert '[Termination "*"]\n[Result "*"]' in text
    assert verdict(text).startswith("ok * NS ")
