"""Who is told what happens at a seat, and up to where it has been told."""

from typing import Protocol

from burraco.v1 import cards_pb2, play_pb2
from burraco.wire import seat_to_wire


class Sink(Protocol):
    """Where frames for a player go: a session, or a stream that watches one seat."""

    player: str
    wants_live_events: bool
    has_left: bool

    @property
    def round_trip_ms(self) -> int:
        """Milliseconds to its bot and back as they were measured, 0 when they were not."""

    @property
    def is_connected(self) -> bool:
        """Whether somebody is reading now."""

    def send(self, frame: play_pb2.ServerFrame) -> int:
        """Number the frame, keep it for a reader that comes back, pass it on; gives the number."""

    def link(self, link: "SeatLink") -> None:
        """It is told about a seat from now on."""

    def forget(self, link: "SeatLink") -> None:
        """The match of a link is over."""


class SeatLink:
    """One sink at one seat. ``seen`` is the number of the last event it was sent.

    ``asked`` and ``asked_frame`` say which decision went out last and in which frame: an act that
    answers it shows that everything up to that frame has arrived. ``ref`` is the seat,
    encoded once. Nothing more is told over a link that ``is_detached``.
    """

    __slots__ = ("asked", "asked_frame", "is_detached", "match_id", "ref", "seat", "seen", "sink")

    def __init__(self, match_id: str, seat: int, sink: Sink) -> None:
        self.match_id = match_id
        self.seat = seat
        self.ref = seat_ref(match_id, seat)
        self.sink = sink
        self.seen = 0
        self.asked = 0
        self.asked_frame = 0
        self.is_detached = False

    def was_asked(self, seat: int, decision: int) -> bool:
        """Whether a decision of a seat is the last that was told here."""
        return (self.seat, self.asked) == (seat, decision)


def seat_ref(match_id: str, seat: int) -> play_pb2.SeatRef:
    """A seat by its match."""
    wire_seat: cards_pb2.Seat.ValueType = seat_to_wire(seat)
    return play_pb2.SeatRef(match_id=match_id, seat=wire_seat)
