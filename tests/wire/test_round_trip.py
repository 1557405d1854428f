"""Everything that crosses the wire comes back as it was, for every moment of random deals."""

import random

import pytest

from burraco.engine import (
    Action,
    Add,
    Card,
    Cut,
    Discard,
    LayMeld,
    MatchSetup,
    Ruleset,
    Seed,
    Unreadable,
    match_view,
    parse_cards,
    play,
    preset,
    start_match,
)
from burraco.engine.actions import DRAW_STOCK, TAKE_PILE
from burraco.engine.events import PairMade, SeenEvent
from burraco.engine.rules import PRESETS
from burraco.v1 import actions_pb2, cards_pb2, events_pb2, rules_pb2, views_pb2
from burraco.wire import (
    action_from_wire,
    action_to_wire,
    card_from_wire,
    card_to_wire,
    event_from_wire,
    event_to_wire,
    rules_from_choice,
    rules_from_wire,
    rules_to_wire,
    seat_from_wire,
    side_from_wire,
    view_from_wire,
    view_to_wire,
)
from tests.support.walks import pick


def _setup(rules: Ruleset, number: int) -> MatchSetup:
    return MatchSetup(rules, Seed(bytes([number]) * 80, b""), number % rules.players, 1, False)


@pytest.mark.parametrize("players", [4, 2, 3])
@pytest.mark.parametrize("name", PRESETS)
def test_views_and_actions_and_events_of_whole_deals_come_back(name: str, players: int) -> None:
    rules = preset(name).with_knobs(players=players)
    pairs = 0
    for number in range(3):
        chooser = random.Random(number)
        step = start_match(_setup(rules, number))
        while not step.match.is_over:
            for seat in (None, *range(players)):
                shown = match_view(step.match, seat)
                assert shown is not None
                message = view_to_wire(shown).SerializeToString()
                assert view_from_wire(views_pb2.SeatView.FromString(message), rules) == shown
            at = match_view(step.match, step.match.turn)
            assert at is not None
            action = pick(chooser, [*at.legal])
            assert action_from_wire(action_to_wire(action)) == action
            step = play(step.match, action)
            for event in step.events:
                pairs += isinstance(event.fact, PairMade)
                for seat in (None, *range(players)):
                    seen = event.seen_by(seat)
                    sent = event_to_wire(seen, 7).SerializeToString()
                    assert event_from_wire(events_pb2.Event.FromString(sent)) == (7, seen)
    assert bool(pairs) is (players == 3)


def test_legal_actions_of_a_view_are_the_same_on_both_ends() -> None:
    step = start_match(_setup(preset("classic"), 5))
    for _ in range(60):
        shown = match_view(step.match, step.match.turn)
        assert shown is not None
        received = view_from_wire(view_to_wire(shown), preset("classic"))
        assert received.legal == shown.legal
        step = play(step.match, shown.legal[0])


@pytest.mark.parametrize(
    "action",
    [
        DRAW_STOCK,
        TAKE_PILE,
        LayMeld(parse_cards("7h 7d 2s")),
        Add(3, parse_cards("Jk")),
        Discard(Card.parse("As")),
        Cut(40),
    ],
    ids=repr,
)
def test_every_action_comes_back(action: Action) -> None:
    sent = action_to_wire(action).SerializeToString()
    assert action_from_wire(actions_pb2.Action.FromString(sent)) == action


def test_every_card_has_its_own_name_on_the_wire() -> None:
    for card in parse_cards("As Td 7h 2c Jk"):
        name = "CARD_" + str(card).upper()
        assert card_to_wire(card) == cards_pb2.Card.Value(name)
    assert [card_from_wire(value) for value in range(1, 54)] == list(map(Card, range(53)))


@pytest.mark.parametrize("name", PRESETS)
def test_rulesets_come_back_with_their_hash(name: str) -> None:
    assert rules_from_wire(rules_to_wire(preset(name))) == preset(name)
    assert rules_from_choice(rules_pb2.RulesChoice(preset=name)) == preset(name)


def test_no_preset_named_is_classic() -> None:
    assert rules_from_choice(rules_pb2.RulesChoice()) == preset("classic")


def test_single_knobs_override_a_preset() -> None:
    choice = rules_pb2.RulesChoice(
        preset="fibur", overrides={"semiclean_bonus": "0", "two_two_joker": "yes"}
    )
    rules = rules_from_choice(choice)
    assert (rules.semiclean_bonus, rules.two_two_joker) == (0, True)
    assert rules.content_hash != preset("fibur").content_hash


@pytest.mark.parametrize("value", [0, 54, 1000, -1])
def test_an_unknown_card_is_unreadable(value: int) -> None:
    with pytest.raises(Unreadable, match=f"card {value}"):
        card_from_wire(value)


@pytest.mark.parametrize("value", [0, 5])
def test_an_unknown_seat_is_unreadable(value: int) -> None:
    with pytest.raises(Unreadable, match=f"seat {value}"):
        seat_from_wire(value)


@pytest.mark.parametrize("value", [0, 4])
def test_an_unknown_side_is_unreadable(value: int) -> None:
    with pytest.raises(Unreadable, match=f"side {value}"):
        side_from_wire(value)


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (actions_pb2.Action(), "without a kind"),
        (actions_pb2.Action(discard=actions_pb2.Discard()), "card 0"),
        (
            actions_pb2.Action(lay_meld=actions_pb2.LayMeld(cards=[cards_pb2.CARD_9D] * 3)),
            "3 times 9d",
        ),
        (
            actions_pb2.Action(lay_meld=actions_pb2.LayMeld(cards=[cards_pb2.CARD_9D] * 10_000)),
            "10000 cards",
        ),
    ],
)
def test_an_action_that_means_nothing_is_unreadable(message: actions_pb2.Action, says: str) -> None:
    with pytest.raises(Unreadable, match=says):
        action_from_wire(message)


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        ({"colour": "red"}, "no knob 'colour'"),
        ({"target": "many"}, "target 'many'"),
        ({"target": "0"}, "exactly one"),
        ({"close_needs": "dirty"}, "one of any, clean"),
        ({"two_two_joker": "perhaps"}, "one of yes, no"),
        ({"set_ranks": "A2"}, "only the ranks"),
        ({"clean_bonus": "7"}, "multiple of 5"),
    ],
)
def test_a_knob_that_makes_no_game_is_refused_by_name(overrides: dict[str, str], says: str) -> None:
    with pytest.raises(Unreadable, match=says):
        rules_from_choice(rules_pb2.RulesChoice(overrides=overrides))


def test_a_ruleset_whose_hash_lies_is_refused() -> None:
    message = rules_to_wire(preset("classic"))
    message.knobs["target"] = "3000"
    with pytest.raises(Unreadable, match="hash"):
        rules_from_wire(message)


def test_a_view_with_a_meld_that_is_none_names_the_place() -> None:
    step = start_match(_setup(preset("classic"), 1))
    shown = match_view(step.match, step.match.turn)
    assert shown is not None
    message = view_to_wire(shown)
    message.public.melds_ew.add(cards=[cards_pb2.CARD_7H, cards_pb2.CARD_9D])
    with pytest.raises(Unreadable, match=r"melds_ew\[0\]"):
        view_from_wire(message, preset("classic"))


def _three() -> views_pb2.SeatView:
    """The first view of three players."""
    step = start_match(_setup(preset("classic").with_knobs(players=3), 1))
    shown = match_view(step.match, step.match.turn)
    assert shown is not None
    return view_to_wire(shown)


def test_three_totals_and_no_sides_while_all_are_alone() -> None:
    public = _three().public
    assert public.totals.HasField("s")
    assert (list(public.sides), len(public.counts)) == ([], 3)


def test_the_sides_once_two_of_three_are_partners() -> None:
    message = _three()
    message.public.sides.extend([cards_pb2.SIDE_NS, cards_pb2.SIDE_EW, cards_pb2.SIDE_NS])
    shown = view_from_wire(message, preset("classic").with_knobs(players=3))
    assert shown.sides == (0, 1, 0)
    assert view_to_wire(shown) == message


@pytest.mark.parametrize(
    ("players", "counts", "sides", "says"),
    [
        (2, 3, 0, "counts has 3 numbers, not 2"),
        (3, 2, 0, "counts has 2 numbers, not 3"),
        (3, 3, 2, "sides has 2 sides"),
        (2, 2, 2, "only three players change theirs"),
        (4, 4, 4, "only three players change theirs"),
    ],
)
def test_a_view_of_other_players_is_unreadable(
    players: int, counts: int, sides: int, says: str
) -> None:
    message = _three()
    message.public.counts[:] = [11] * counts
    message.public.sides.extend([cards_pb2.SIDE_NS] * sides)
    with pytest.raises(Unreadable, match=says):
        view_from_wire(message, preset("classic").with_knobs(players=players))


def test_a_pair_made_comes_back() -> None:
    sent = event_to_wire(SeenEvent(PairMade(2), ()), 7).SerializeToString()
    message = events_pb2.Event.FromString(sent)
    assert message.pair_made.lone == cards_pb2.SEAT_S
    assert event_from_wire(message) == (7, SeenEvent(PairMade(2), ()))


def test_the_public_view_has_no_hand() -> None:
    step = start_match(_setup(preset("classic"), 1))
    shown = match_view(step.match, None)
    assert shown is not None
    assert not view_to_wire(shown).HasField("own")
