"""Leaks planted on purpose, one a function, each where the engine or the server really works.

Every one tells somebody something that a tired programmer might let slip.
"""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any, Final

import pytest

from burraco.engine import Action, DealState, Event, IllegalAction, Match, Phase, Step, View, unpack
from burraco.engine.cards import Card, count, size
from burraco.engine.events import CardDrawn, Secret
from burraco.engine.scoring import deal_points
from burraco.engine.state import NO_CARD, left_of
from burraco.server.tape import Tape
from burraco.v1 import events_pb2

Patch = pytest.MonkeyPatch
# A view as the engine makes it: of a state, for a seat, in a deal, with totals.
Look = Callable[[DealState, int | None, int, tuple[int, ...]], View]


# Modules whose names are patched; the engine has functions of the names of some.
_TRANSITION: Final[Any] = import_module("burraco.engine.transition")
_MATCH: Final[Any] = import_module("burraco.engine.match")
_SUBSTITUTES: Final[Any] = import_module("burraco.server.substitutes")


def _change_views(patch: Patch, change: Callable[[DealState, View], View]) -> None:
    look: Look = _MATCH.view

    def changed(state: DealState, seat: int | None, deal: int, totals: tuple[int, ...]) -> View:
        return change(state, look(state, seat, deal, totals))

    patch.setattr(_MATCH, "view", changed)


def _wilds(cards: tuple[Card, ...]) -> int:
    return sum(card.is_wild for card in cards)


def partners_wilds_in_a_counter(patch: Patch) -> None:
    """The view counts the partner's wild cards where it should count passive turns."""

    def change(state: DealState, shown: View) -> View:
        if shown.partner is None:
            return shown
        return replace(shown, passive=_wilds(unpack(state.hands[shown.partner])))

    _change_views(patch, change)


def actions_by_the_next_card(patch: Patch) -> None:
    """No draw is offered while the next card of the stock is a wild one."""

    def change(state: DealState, shown: View) -> View:
        if shown.legal and shown.phase is Phase.DRAW and state.stock[0].is_wild:
            shown.__dict__["legal"] = shown.legal[1:]
        return shown

    _change_views(patch, change)


def counts_without_the_unopened(patch: Patch) -> None:
    """A pozzetto nobody has opened is left out of the number of cards in a hand."""

    def change(state: DealState, shown: View) -> View:
        return replace(shown, counts=tuple(map(size, state.hands)))

    _change_views(patch, change)


def drawn_card_for_the_partner(patch: Patch) -> None:
    """The card drawn from the stock is told to the partner of the seat that drew it."""
    narrate = _TRANSITION.narrate

    def told(before: DealState, action: Action, after: DealState) -> tuple[Event, ...]:
        events: tuple[Event, ...] = narrate(before, action, after)
        own, side = before.turn, before.sides[before.turn]
        partners = [seat for seat, one in enumerate(before.sides) if one == side and seat != own]
        return tuple(
            Event(
                event.fact,
                tuple(Secret(seat, one.cards) for one in event.secrets for seat in partners),
            )
            if isinstance(event.fact, CardDrawn)
            else event
            for event in events
        )

    patch.setattr(_TRANSITION, "narrate", told)


def refusal_that_names_an_opponents_card(patch: Patch) -> None:
    """A refusal says, to be helpful, who does have such a card."""
    apply = _MATCH.apply

    def applied(state: DealState, action: Action) -> Step:
        try:
            step: Step = apply(state, action)
        except IllegalAction as refused:
            held = " ".join(
                map(str, unpack(state.hands[left_of(state.turn, len(state.hands))])[:1])
            )
            raise IllegalAction(refused.reason, refused.rule, held=held) from None
        return step

    patch.setattr(_MATCH, "apply", applied)


def default_by_the_next_card(patch: Patch) -> None:
    """The default takes the next card of the stock for the one just drawn."""
    match_view = _SUBSTITUTES.match_view

    def changed(match: Match, seat: int | None) -> View:
        shown: View = match_view(match, seat)
        assert match.deal is not None
        stock = match.deal.stock
        return replace(shown, drawn=stock[0] if stock else None)

    patch.setattr(_SUBSTITUTES, "match_view", changed)


def pozzetto_seen_before_it_is_opened(patch: Patch) -> None:
    """A pozzetto taken on the discard is in the hand of its owner at once (against E55)."""

    def change(state: DealState, shown: View) -> View:
        if shown.seat is None:
            return shown
        waiting = unpack(state.unopened[shown.seat])
        return replace(shown, hand=tuple(sorted((*shown.hand, *waiting))), hidden=0)

    _change_views(patch, change)


def drawn_card_kept_for_the_next_seat(patch: Patch) -> None:
    """The turn passes, and the card that was drawn in it stays in the state."""
    pass_turn = _TRANSITION._pass_turn

    def passed(after: DealState, seat: int) -> None:
        drawn = after.drawn
        pass_turn(after, seat)
        after.drawn = drawn

    patch.setattr(_TRANSITION, "_pass_turn", passed)


def points_before_the_end(patch: Patch) -> None:
    """The view has the points of a deal, hands and all, while it is still played."""

    def change(state: DealState, shown: View) -> View:
        return replace(shown, points=deal_points(state))

    _change_views(patch, change)


def barred_by_an_opponents_hand(patch: Patch) -> None:
    """Whether a single pile card may be discarded again hangs on the next seat's hand."""
    take_pile = _TRANSITION._take_pile

    def taken(after: DealState) -> None:
        (*_, top), foe = after.pile, left_of(after.turn, len(after.hands))
        take_pile(after)
        after.barred = top if count(after.hands[foe], top) else NO_CARD

    patch.setattr(_TRANSITION, "_take_pile", taken)


def passive_tells_what_was_drawn(patch: Patch) -> None:
    """A turn counts as passive when the very card that was drawn is discarded."""
    discard = _TRANSITION._discard

    def discarded(after: DealState, action: Any) -> None:  # noqa: ANN401 - a Discard
        is_drawn = after.drawn == action.card
        discard(after, action)
        after.passive += is_drawn

    patch.setattr(_TRANSITION, "_discard", discarded)


def longer_message_for_a_wild_card(patch: Patch) -> None:
    """Everybody's message of a secret is two bytes longer when the secret is a wild card."""
    since = Tape.since

    def told(tape: Tape, seen: int, seat: int | None) -> list[events_pb2.Event]:
        messages = since(tape, seen, seat)
        for message, event in zip(messages, tape._events[seen:], strict=True):
            if any(_wilds(secret.cards) for secret in event.secrets):
                message.own.SetInParent()
        return messages

    patch.setattr(Tape, "since", told)


# Each leak with the way by which it must be noticed.
MUTANTS: Final[dict[Callable[[Patch], None], str]] = {
    partners_wilds_in_a_counter: "view",
    actions_by_the_next_card: "actions of the view",
    counts_without_the_unopened: "cards",
    drawn_card_for_the_partner: "events",
    refusal_that_names_an_opponents_card: "verdicts",
    default_by_the_next_card: "default",
    pozzetto_seen_before_it_is_opened: "view",
    drawn_card_kept_for_the_next_seat: "view",
    points_before_the_end: "view",
    barred_by_an_opponents_hand: "view",
    passive_tells_what_was_drawn: "view",
    longer_message_for_a_wild_card: "events",
}
