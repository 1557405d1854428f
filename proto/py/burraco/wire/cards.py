"""Cards, seats and sides on the wire."""

from collections.abc import Iterable, Sequence
from typing import Final

from burraco.engine.cards import CARDS, Card
from burraco.engine.errors import Unreadable
from burraco.engine.rules import SEATS
from burraco.v1 import cards_pb2 as pb

_FACES: Final = len(CARDS)
# Tables, since every card of every message goes through them.
_CARDS_OUT: Final = tuple(pb.Card.ValueType(face + 1) for face in range(_FACES))
_SEATS_OUT: Final = tuple(pb.Seat.ValueType(seat + 1) for seat in range(SEATS))
_SIDES_OUT: Final = tuple(pb.Side.values()[1:])


def card_to_wire(card: int) -> pb.Card.ValueType:
    """The enum value of a face."""
    return _CARDS_OUT[card]


def card_from_wire(value: int) -> Card:
    """The face of an enum value; zero and unknown values are unreadable."""
    if not 1 <= value <= _FACES:
        raise Unreadable(f"card {value}: a card is 1 to {_FACES} (CARD_AS … CARD_JK)")
    return CARDS[value - 1]


def cards_to_wire(cards: Iterable[int]) -> list[pb.Card.ValueType]:
    """Enum values in the given order."""
    return [_CARDS_OUT[card] for card in cards]


def cards_from_wire(values: Iterable[int]) -> tuple[Card, ...]:
    """Faces in the given order."""
    return tuple(card_from_wire(value) for value in values)


def seat_to_wire(seat: int) -> pb.Seat.ValueType:
    """The enum value of a seat."""
    return _SEATS_OUT[seat]


def seat_from_wire(value: int) -> int:
    """The seat of an enum value; zero and unknown values are unreadable."""
    if not 1 <= value <= SEATS:
        raise Unreadable(f"seat {value}: a seat is 1 to {SEATS} (SEAT_N, SEAT_E, SEAT_S, SEAT_W)")
    return value - 1


def side_to_wire(side: int) -> pb.Side.ValueType:
    """The enum value of a side."""
    return _SIDES_OUT[side]


def side_from_wire(value: int) -> int:
    """The side of an enum value; zero and unknown values are unreadable."""
    if not 1 <= value <= len(_SIDES_OUT):
        raise Unreadable(f"side {value}: a side is 1 to 3 (SIDE_NS, SIDE_EW, SIDE_S)")
    return value - 1


def points_to_wire(points: Sequence[int]) -> pb.SidePoints:
    """Points by side as dealt: two numbers, three where three play."""
    message = pb.SidePoints()
    fill_points(message, points)
    return message


def fill_points(message: pb.SidePoints, points: Sequence[int]) -> None:
    """Write points into an empty message: one that is part of another needs no copy."""
    message.ns, message.ew, *third = points
    if third:
        (message.s,) = third


def points_from_wire(message: pb.SidePoints) -> tuple[int, ...]:
    """Points by side as dealt."""
    both = message.ns, message.ew
    return (*both, message.s) if message.HasField("s") else both
