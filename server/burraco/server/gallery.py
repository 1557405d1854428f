"""The viewers of a match, shown what happens in rounds that hold up nobody who plays."""

from collections import deque
from typing import Final, Protocol

from burraco.engine.match import match_view
from burraco.server.clock import Clock, Timer
from burraco.server.record import MatchRecord
from burraco.server.tape import Tape
from burraco.server.terms import MatchState
from burraco.v1 import events_pb2, match_service_pb2, matches_pb2, views_pb2
from burraco.wire import public_view_to_wire

# Viewers who are shown what happens at once; the others follow, so many in a turn of the loop.
_AT_ONCE: Final = 16
# Beside more viewers rounds begin so much less often that, however many watch, what they take of
# the server's time stays the same.
_SECONDS_A_VIEWER: Final = 0.0005


class Viewer(Protocol):
    """Somebody who watches a match without a seat."""

    def send(self, message: bytes) -> None:
        """Pass on an encoded WatchMatchResponse."""

    def finish(self) -> None:
        """Nothing more will come."""


class Gallery:
    """Who watches, and up to which event each was shown the match.

    A round shows everybody what had happened when it began. It holds what it shows, so it goes on
    to its end even where the match, and with it the tape, has ended meanwhile.
    """

    __slots__ = (
        "_clock",
        "_due",
        "_encoded",
        "_events",
        "_record",
        "_result",
        "_seen",
        "_tape",
        "_timer",
        "_upto",
        "_view",
        "_waiting",
    )

    def __init__(self, record: MatchRecord, tape: Tape, clock: Clock) -> None:
        self._record = record
        self._tape = tape
        self._clock = clock
        self._seen: dict[Viewer, int] = {}
        self._due = 0.0
        self._timer: Timer | None = None
        self._waiting: deque[Viewer] = deque()
        self._upto = 0
        self._events: list[events_pb2.Event] = []
        self._view: views_pb2.PublicView | None = None
        self._result: matches_pb2.MatchResult | None = None
        self._encoded: dict[int, bytes] = {}

    def __len__(self) -> int:
        return len(self._seen)

    @property
    def seen(self) -> int:
        """The last event that everybody has been shown."""
        return min(self._seen.values(), default=self._tape.last)

    def admit(self, viewer: Viewer) -> None:
        """Show a viewer the match as it is, and from now on what happens."""
        viewer.send(_encode([], self._public_view(), None))
        if self._record.state is MatchState.ENDED:
            viewer.finish()
        else:
            self._seen[viewer] = self._tape.last

    def leave(self, viewer: Viewer) -> None:
        """Show a viewer nothing more."""
        self._seen.pop(viewer, None)

    def show(self, now: float) -> None:
        """Something has happened: begin a round, or let the next one show it."""
        if not self._seen or self._timer is not None:
            return
        if now < self._due:
            self._timer = self._clock.call_at(self._due, self._begin)
        else:
            self._begin()

    def end(self, result: matches_pb2.MatchResult) -> None:
        """Show everybody how it ended, and let go of them."""
        if self._timer is not None:
            self._timer.cancel()
        self._result = result
        if self._seen:
            self._begin()

    def final(self, result: matches_pb2.MatchResult) -> bytes:
        """A match that is over, for a viewer who comes afterwards."""
        return _encode([], self._public_view(), result)

    def _begin(self) -> None:
        self._upto, self._view = self._tape.last, self._public_view()
        self._events = self._tape.since(self.seen, None)
        self._encoded.clear()
        self._waiting = deque(self._seen)
        self._go_on()

    def _go_on(self) -> None:
        self._timer = None
        for _ in range(min(_AT_ONCE, len(self._waiting))):
            self._show_to(self._waiting.popleft())
        if self._waiting:
            self._timer = self._clock.call_at(self._clock.now(), self._go_on)
            return
        self._events = []
        self._encoded.clear()
        crowd = max(0, len(self._seen) - _AT_ONCE)
        self._due = self._clock.now() + crowd * _SECONDS_A_VIEWER
        if self._tape.last > self._upto and self._seen:
            self._timer = self._clock.call_at(self._due, self._begin)

    def _show_to(self, viewer: Viewer) -> None:
        seen = self._seen.get(viewer)
        if seen is None:
            return
        if seen < self._upto or self._result is not None:
            viewer.send(self._since(seen))
            self._seen[viewer] = self._upto
        if self._result is not None:
            viewer.finish()
            del self._seen[viewer]

    def _since(self, seen: int) -> bytes:
        """Encoded once for all who have seen the same."""
        encoded = self._encoded.get(seen)
        if encoded is None:
            new = self._events[len(self._events) - (self._upto - seen) :]
            encoded = self._encoded[seen] = _encode(new, self._view, self._result)
        return encoded

    def _public_view(self) -> views_pb2.PublicView | None:
        match = self._record.match
        view = None if match is None else match_view(match, None)
        return None if view is None else public_view_to_wire(view)


def _encode(
    events: list[events_pb2.Event],
    view: views_pb2.PublicView | None,
    result: matches_pb2.MatchResult | None,
) -> bytes:
    return match_service_pb2.WatchMatchResponse(
        events=events, view=view, result=result
    ).SerializeToString()
