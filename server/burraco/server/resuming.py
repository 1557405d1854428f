"""What a bot that comes back to its session is told of the decisions that wait for it."""

from typing import NamedTuple

from burraco.server.asked import Asked
from burraco.server.frames import fill_decision
from burraco.server.links import SeatLink
from burraco.v1 import play_pb2


class OpenSeat(NamedTuple):
    """A decision that was told over a link and is open ``now``."""

    link: SeatLink
    asked: Asked
    attempt: int
    now: float

    def in_short(self) -> play_pb2.OpenDecision:
        """Which decision it is, and the time that is left."""
        asked = self.asked
        told = play_pb2.OpenDecision(
            seat=self.link.ref, decision_id=asked.number, attempt=self.attempt
        )
        remaining = asked.remaining_ms(self.now)
        if remaining is not None:
            told.remaining_ms = remaining
            told.bank_ms = asked.bank_left(self.now)
        return told

    def in_full(self) -> play_pb2.ServerFrame:
        """The decision as a frame outside the order; its events came when it was first told."""
        frame = play_pb2.ServerFrame()
        link, asked = self.link, self.asked
        fill_decision(frame.decision, link.ref, asked, (), self.attempt, self.now)
        return frame

    def is_known(self, last_seq: int) -> bool:
        """Whether a client that has the frames up to a number has it."""
        return self.link.asked_frame <= last_seq
