"""Messages that are wrong: scrambled by their types, then by single bytes."""

from random import Random
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from burraco.engine import DRAW_STOCK, TAKE_PILE, Action, Card, Discard, LayMeld
from burraco.v1 import play_pb2
from burraco.wire import action_to_wire

_DEPTH: Final = 4
_NUMBERS: Final = (0, 1, 2, 14, 99, 2**31 - 1, 2**32 - 1)
_SIGNED: Final = (0, 1, -1, 2**31 - 1, -(2**31))
_ENUMS: Final = (0, 1, 2, 3, 99, 2**31 - 1, -1)
_TEXTS: Final = ("", "m", "../x", "\x00", "é" * 500, "{" * 500, "\u202e", "1" * 70)
_BYTES: Final = (b"", b"\xff" * 81, bytes(80))
_LONG: Final = 3_000
_SIGNED_TYPES: Final = (
    FieldDescriptor.TYPE_INT32,
    FieldDescriptor.TYPE_INT64,
    FieldDescriptor.TYPE_SINT32,
    FieldDescriptor.TYPE_SINT64,
)


def scramble(chance: Random, message: Message, depth: int = 0) -> None:
    """Fill fields with what their types allow and their meaning may not."""
    for field in message.DESCRIPTOR.fields:
        if chance.random() < 0.4:
            continue
        _fill(chance, message, field, depth)


def _fill(chance: Random, message: Message, field: Any, depth: int) -> None:  # noqa: ANN401 - no stubs
    held = getattr(message, field.name)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        held["no such"] = _value(chance, field.message_type.fields_by_name["value"])
    elif field.type == FieldDescriptor.TYPE_MESSAGE:
        if depth < _DEPTH:
            for _ in range(_length(chance, depth) if field.is_repeated else 1):
                scramble(chance, held.add() if field.is_repeated else held, depth + 1)
            if not field.is_repeated:
                held.SetInParent()
    elif field.is_repeated:
        held.extend([_value(chance, field)] * _length(chance, depth))
    else:
        setattr(message, field.name, _value(chance, field))


def _length(chance: Random, depth: int) -> int:
    """Mostly short; now and then a huge list, one inside another never."""
    return _LONG if depth < 2 and chance.random() < 0.01 else chance.randint(0, 3)


def _value(chance: Random, field: Any) -> object:  # noqa: ANN401 - as above
    if field.type == FieldDescriptor.TYPE_STRING:
        return chance.choice(_TEXTS)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return chance.choice(_BYTES)
    if field.type == FieldDescriptor.TYPE_BOOL:
        return chance.random() < 0.5
    if field.type == FieldDescriptor.TYPE_ENUM:
        return chance.choice(_ENUMS)
    return chance.choice(_SIGNED if field.type in _SIGNED_TYPES else _NUMBERS)


def mutate(chance: Random, raw: bytes) -> bytes:
    """The same bytes with a few of them changed, lost, doubled or added."""
    changed = bytearray(raw)
    for _ in range(chance.choice((1, 1, 1, 2, 4, 8))):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(5):
            case 0 if at < len(changed):
                changed[at] ^= 1 << chance.randrange(8)
            case 1:
                del changed[at : at + chance.randint(1, 8)]
            case 2:
                changed[at:at] = changed[: chance.randint(0, len(changed))]
            case 3:
                del changed[at:]
            case _:
                changed[at:at] = chance.randbytes(chance.randint(1, 9))
    return bytes(changed[:60_000])


def wrong_message(chance: Random, samples: list[bytes], make: type[Message]) -> bytes:
    """A message that is likely to be unreadable, unusable, or out of place."""
    if samples and chance.random() < 0.5:
        return mutate(chance, chance.choice(samples))
    message = make()
    scramble(chance, message)
    raw = message.SerializeToString()
    return mutate(chance, raw) if chance.random() < 0.3 else raw


def frames_of(seat: play_pb2.SeatRef) -> list[bytes]:
    """Frames that a client might well send."""
    jacks = tuple(map(Card.parse, ("Jh", "Qh", "Kh")))
    actions: tuple[Action, ...] = (DRAW_STOCK, TAKE_PILE, LayMeld(jacks), Discard(jacks[0]))
    acts = [
        play_pb2.Act(
            seat=seat,
            decision_id=number,
            action_id=f"fuzz-{number}",
            actions=[action_to_wire(action)],
        )
        for number, action in enumerate(actions, start=1)
    ]
    frames = [play_pb2.ClientFrame(act=act) for act in acts]
    frames.append(play_pb2.ClientFrame(ping=play_pb2.Ping(nonce=7, last_seq=1, stamp=9)))
    frames.append(play_pb2.ClientFrame(hello=play_pb2.Hello(session_id="s", last_seq=3)))
    frames.append(play_pb2.ClientFrame(leave=play_pb2.Leave()))
    return [frame.SerializeToString() for frame in frames]
