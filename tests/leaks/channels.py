"""All that reaches one viewer: values as bots get them, and bytes as the server sends them.

Equal bytes are of equal length, so that a size tells no more than its message does.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from google.protobuf.message import Message

from burraco.engine import (
    DRAW_STOCK,
    JOKER,
    TAKE_PILE,
    Action,
    Add,
    Cut,
    DealState,
    Discard,
    Event,
    IllegalAction,
    LayMeld,
    Match,
    MatchSetup,
    Seed,
    apply,
    legal,
    match_view,
)
from burraco.engine.events import DealEnded
from burraco.engine.standin import default_action
from burraco.server.record import PastReveal, play_all
from burraco.server.substitutes import policy_act
from burraco.server.tape import Tape
from burraco.wire import refusal_to_wire, view_to_wire
from tests.support.hidden import cards_accounted
from tests.support.scenes import cards

# What reaches a viewer, by the way it takes.
Told = dict[str, object]
Act = tuple[Action, ...]

# Acts that any bot may send at any time, to see what the answer tells.
PROBES: Final[tuple[Act, ...]] = (
    (DRAW_STOCK,),
    (TAKE_PILE,),
    (Cut(40),),
    (Discard(JOKER),),
    (LayMeld(cards("7h 7d 7c")),),
    (LayMeld(cards("Jk 2s 3h")),),
    (Add(0, cards("5h")),),
    (Add(20, cards("5h")),),
    (Add(0, ()),),
    (DRAW_STOCK, Discard(JOKER)),
    (TAKE_PILE, Discard(JOKER)),
)


def told_now(state: DealState, viewer: int | None, acts: Sequence[Act]) -> Told:
    """What a viewer knows of a state, and how its acts would be answered if it is to act."""
    match = _match_of(state)
    told = _told_of_view(match, viewer)
    if viewer == state.turn:
        told["legal actions"] = tuple(legal(state))
        told["default"] = policy_act(match, default_action)[0]
        told["verdicts"] = tuple(_verdict(match, state.turn, act) for act in acts)
    return told


def told_of_step(state: DealState, viewer: int | None, action: Action) -> Told | None:
    """What a viewer learns when an action is played, None when the rules refuse it."""
    try:
        step = apply(state, action)
    except IllegalAction:
        return None
    tape = Tape(0)
    tape.add(_without_points(step.events))
    told = _told_of_view(_match_of(step.state), viewer)
    told["events"] = tuple(map(_raw, tape.since(0, viewer)))
    return told


def _told_of_view(match: Match, viewer: int | None) -> Told:
    shown = match_view(match, viewer)
    assert shown is not None
    if shown.end is not None:
        shown = replace(shown, points=(0,) * len(shown.totals))
    return {
        "view": shown,
        "view on the wire": _raw(view_to_wire(shown)),
        "actions of the view": shown.legal,
        "cards": cards_accounted(shown),
    }


def _without_points(events: Iterable[Event]) -> list[Event]:
    """The points at the end of a deal tell of all hands, as they must."""
    return [
        replace(event, fact=replace(event.fact, points=(0,) * len(event.fact.points)))
        if isinstance(event.fact, DealEnded)
        else event
        for event in events
    ]


def _verdict(match: Match, seat: int, act: Act) -> object:
    try:
        play_all(match, seat, act)
    except IllegalAction as refused:
        return _raw(refusal_to_wire(refused))
    except PastReveal as past:
        return past.at
    return "played"


def _match_of(state: DealState) -> Match:
    setup = MatchSetup(state.rules, Seed(bytes(80), b""), state.dealer, 1, False)
    return Match(setup, 1, state.dealer, state, None, (), False)


def _raw(message: Message) -> bytes:
    return message.SerializeToString(deterministic=True)
