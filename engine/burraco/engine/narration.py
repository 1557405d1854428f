"""What everybody learns from a step: read off the states before and after it."""

from typing import assert_never

from burraco.engine.actions import Action, Add, Cut, Discard, DrawStock, LayMeld, TakePile
from burraco.engine.cards import CARDS, unpack
from burraco.engine.events import (
    CardDiscarded,
    CardDrawn,
    CardsAdded,
    DealEnded,
    Event,
    MeldLaid,
    PairMade,
    PileTaken,
    PozzettoOpened,
    PozzettoTaken,
    Secret,
)
from burraco.engine.scoring import deal_points
from burraco.engine.state import DealState


def narrate(before: DealState, action: Action, after: DealState) -> tuple[Event, ...]:
    """The events of a legal step, in order; each with the cards that single seats may see."""
    seat = before.turn
    events = [_played(before, action, after)]
    side = before.sides[seat]
    if after.taken[side] and not before.taken[side]:
        direct = not isinstance(action, Discard)
        secrets = (Secret(seat, unpack(after.hands[seat])),) if direct else ()
        events.append(Event(PozzettoTaken(seat, direct), secrets))
    if after.sides != before.sides:
        events.append(Event(PairMade(seat), ()))
    for owner, waiting in enumerate(before.unopened):
        if waiting and not after.unopened[owner]:
            events.append(Event(PozzettoOpened(owner), (Secret(owner, unpack(waiting)),)))
    if after.end is not None:
        events.append(Event(DealEnded(after.end.by, after.end.closer, deal_points(after)), ()))
    return tuple(events)


def _played(before: DealState, action: Action, after: DealState) -> Event:
    seat = before.turn
    match action:
        case DrawStock():
            return Event(CardDrawn(seat), (Secret(seat, (CARDS[after.drawn],)),))
        case TakePile():
            return Event(PileTaken(seat, before.pile), ())
        case LayMeld():
            return Event(MeldLaid(seat, len(before.melds[before.sides[seat]]), action.cards), ())
        case Add():
            return Event(CardsAdded(seat, action.meld, action.cards), ())
        case Discard():
            return Event(CardDiscarded(seat, action.card), ())
        case Cut():
            raise AssertionError("a cut comes before the deal")
        case _:
            assert_never(action)
