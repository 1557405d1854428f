"""The latest events of a match, each encoded once for all who may see the same of it."""

from collections.abc import Iterable

from burraco.engine.events import Event
from burraco.v1 import events_pb2
from burraco.wire import event_to_wire


class Tape:
    """Events in order, kept until every reader has them; ``last`` is the number of the newest."""

    __slots__ = ("_events", "_public", "last")

    def __init__(self, last: int) -> None:
        self.last = last
        self._events: list[Event] = []
        self._public: list[events_pb2.Event] = []

    def add(self, events: Iterable[Event]) -> None:
        """Append what just happened."""
        for event in events:
            self.last += 1
            self._events.append(event)
            self._public.append(event_to_wire(event.seen_by(None), self.last))

    def since(self, seen: int, seat: int | None) -> list[events_pb2.Event]:
        """Every event after number ``seen`` as a seat, or a viewer without one, may know it."""
        if seen == self.last:
            return []
        start = len(self._events) - (self.last - seen)
        assert start >= 0
        told = self._public[start:]
        for at, event in enumerate(self._events[start:]):
            for secret in event.secrets:
                if secret.seat == seat:
                    told[at] = event_to_wire(event.seen_by(seat), seen + 1 + at)
        return told

    def __len__(self) -> int:
        return len(self._events)

    def trim(self, seen: int) -> None:
        """Forget everything up to number ``seen``."""
        done = len(self._events) - (self.last - seen)
        if done > 0:
            del self._events[:done]
            del self._public[:done]
