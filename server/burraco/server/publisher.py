"""Tells seats and viewers what happened, each what it may know, in order and without gaps."""

from typing import Final

from burraco.server.asked import Asked
from burraco.server.clock import Clock
from burraco.server.failpoints import passing
from burraco.server.frames import fill_decision, result_to_wire, started_frame
from burraco.server.gallery import Gallery
from burraco.server.links import SeatLink, Sink, seat_ref
from burraco.server.record import MatchRecord
from burraco.server.tape import Tape
from burraco.v1 import play_pb2

# Events that may pile up for a seat that is not asked, before they are sent by themselves.
_PILE: Final = 128
# Events that are kept before it is worth while to see which of them everybody has.
_KEPT: Final = 32


class Publisher:
    """The links and viewers of one match, and the events they have not all seen."""

    __slots__ = ("_commitment", "_record", "links", "tape", "viewers")

    def __init__(self, record: MatchRecord, commitment: bytes, events: int, clock: Clock) -> None:
        self._record = record
        self._commitment = commitment
        self.tape = Tape(events)
        self.links: list[list[SeatLink]] = [[] for _ in record.chairs]
        self.viewers = Gallery(record, self.tape, clock)

    def attach(self, seat: int, sink: Sink) -> SeatLink:
        """Tell a sink about a seat from now on; what happened before is in the views it gets."""
        link = SeatLink(self._record.plan.match_id, seat, sink)
        link.seen = self.tape.last
        self.links[seat].append(link)
        sink.link(link)
        return link

    def detach(self, sink: Sink) -> None:
        """Tell a sink nothing more."""
        for links in self.links:
            for link in links:
                link.is_detached |= link.sink is sink
            links[:] = [link for link in links if not link.is_detached]

    def tells(self, seat: int, sink: Sink) -> bool:
        """Whether a sink is told about a seat."""
        return any(link.sink is sink for link in self.links[seat])

    def is_connected(self, seat: int) -> bool:
        """Whether anybody reads for a seat now."""
        return any(link.sink.is_connected for link in self.links[seat])

    def start(self, link: SeatLink) -> None:
        """Tell a seat that its match begins, or how it is played when it comes later."""
        link.sink.send(started_frame(self._record, link.seat, self._commitment))

    def decide(self, link: SeatLink, asked: Asked, now: float) -> None:
        """Ask a seat, with the events since it was last told anything."""
        frame = play_pb2.ServerFrame()
        self.fill(frame.decision, link, asked, now)
        link.asked_frame = link.sink.send(frame)

    def fill(self, message: play_pb2.Decision, link: SeatLink, asked: Asked, now: float) -> None:
        """Write the open decision into a frame for a seat."""
        events = self.tape.since(link.seen, link.seat)
        attempt = self._record.tries + 1
        fill_decision(message, link.ref, asked, events, attempt, now)
        link.seen = self.tape.last
        link.asked = asked.number

    def publish(self, asked: Asked | None, told: SeatLink | None, now: float) -> None:
        """Tell everybody but ``told`` what is new, and ask whose decision is open."""
        passing("publisher.publish")
        for seat, links in enumerate(self.links):
            for link in links:
                if link is told:
                    continue
                if asked is not None and seat == asked.seat:
                    self.decide(link, asked, now)
                elif link.sink.wants_live_events or self.tape.last - link.seen >= _PILE:
                    self._tell_live(link)
        self.viewers.show(now)
        self._trim()

    def end(self, secret: bytes) -> None:
        """Tell everybody how the match ended, and let go of them."""
        passing("publisher.end")
        result = result_to_wire(self._record, secret)
        for links in self.links:
            for link in links:
                ended = play_pb2.MatchEnded(
                    seat=link.ref,
                    result=result,
                    events=self.tape.since(link.seen, link.seat),
                )
                link.sink.send(play_pb2.ServerFrame(match_ended=ended))
                link.sink.forget(link)
            links.clear()
        self.viewers.end(result)
        self.tape.trim(self.tape.last)

    def ended_frame(self, seat: int, secret: bytes) -> play_pb2.ServerFrame:
        """How the match ended, for a seat that asks afterwards."""
        ref = seat_ref(self._record.plan.match_id, seat)
        ended = play_pb2.MatchEnded(seat=ref, result=result_to_wire(self._record, secret))
        return play_pb2.ServerFrame(seq=1, match_ended=ended)

    def final(self, secret: bytes) -> bytes:
        """The public state of a match that is over, for a viewer who comes afterwards."""
        return self.viewers.final(result_to_wire(self._record, secret))

    def _tell_live(self, link: SeatLink) -> None:
        events = self.tape.since(link.seen, link.seat)
        if events:
            live = play_pb2.LiveEvents(seat=link.ref, events=events)
            link.sink.send(play_pb2.ServerFrame(live_events=live))
            link.seen = self.tape.last

    def _trim(self) -> None:
        if len(self.tape) < _KEPT:
            return
        seen = [link.seen for links in self.links for link in links]
        self.tape.trim(min((*seen, self.viewers.seen)))
