"""Wrong messages for everything that reads messages, without a network in between."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from google.protobuf.message import DecodeError, Message

from burraco.engine import preset
from burraco.engine.errors import Unreadable
from burraco.server.errors import ArenaError
from burraco.server.requests import read_act, read_hello, read_plan
from burraco.v1 import (
    actions_pb2,
    cards_pb2,
    events_pb2,
    match_service_pb2,
    play_pb2,
    rules_pb2,
    views_pb2,
)
from burraco.wire import (
    action_from_wire,
    event_from_wire,
    rules_from_choice,
    rules_from_wire,
    view_from_wire,
)
from tests.faults.mutations import frames_of, wrong_message

# What a reader may raise; anything else is a fault of ours.
_TYPED: Final = (Unreadable, ArenaError, DecodeError)
_CLASSIC: Final = preset("classic")
READERS: Final[dict[type[Message], Callable[[Any], object]]] = {
    play_pb2.Act: lambda message: read_act(message, 0.0, None, _nobody),
    play_pb2.Hello: read_hello,
    match_service_pb2.CreateMatchRequest: lambda message: read_plan(message, None, 0),
    actions_pb2.Action: action_from_wire,
    rules_pb2.RulesChoice: rules_from_choice,
    rules_pb2.Ruleset: rules_from_wire,
    views_pb2.SeatView: lambda message: view_from_wire(message, _CLASSIC),
    events_pb2.Event: event_from_wire,
}


def _nobody(_outcome: object) -> None:
    """The act is never played."""


@dataclass(slots=True)
class Read:
    """How many messages were tried, how many of them could be read, and what was wrong."""

    tried: int = 0
    usable: int = 0
    wrong: list[str] = field(default_factory=list)


def try_readers(messages: int, seed: int) -> Read:
    """Give each reader its share of wrong messages."""
    chance, done = Random(seed), Read()
    samples = _samples()
    kinds = tuple(READERS)
    for number in range(messages):
        make = kinds[number % len(kinds)]
        _try(make, wrong_message(chance, samples.get(make, []), make), done)
    return done


def _try(make: type[Message], raw: bytes, done: Read) -> None:
    done.tried += 1
    try:
        READERS[make](make.FromString(raw))
        done.usable += 1
    except _TYPED:
        pass
    except Exception as error:
        done.wrong.append(f"{make.__name__} {raw[:60].hex()}: {type(error).__name__}: {error}")


def _samples() -> dict[type[Message], list[bytes]]:
    seat = play_pb2.SeatRef(match_id="m", seat=cards_pb2.SEAT_N)
    acts = [play_pb2.ClientFrame.FromString(raw).act for raw in frames_of(seat)[:4]]
    return {
        play_pb2.Act: [act.SerializeToString() for act in acts],
        actions_pb2.Action: [act.actions[0].SerializeToString() for act in acts],
        match_service_pb2.CreateMatchRequest: [
            match_service_pb2.CreateMatchRequest(
                match_id="m",
                rules=rules_pb2.RulesChoice(preset="classic", overrides={"target": "1000"}),
                players=["n", "e", "s", "w"],
                deals=2,
                dealer=cards_pb2.SEAT_W,
            ).SerializeToString()
        ],
    }
