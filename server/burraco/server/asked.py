"""A decision while it is open: when it was asked, how long it may take, what is played at zero."""

from functools import cached_property

from burraco.engine.actions import Action, Discard, DrawStock
from burraco.engine.match import match_view
from burraco.engine.standin import default_action
from burraco.engine.view import View
from burraco.server.record import MatchRecord
from burraco.server.substitutes import drawn_cut, policy_act
from burraco.v1 import actions_pb2, views_pb2
from burraco.wire import action_to_wire, points_to_wire, seat_to_wire, view_to_wire


class Asked:
    """The open decision of a match. Times are seconds of the match's clock.

    ``free_ms`` is what may pass before the bank is touched. What is costly is worked out when it is
    first needed and kept, since several readers may be sent the same decision.
    """

    def __init__(self, record: MatchRecord, seat: int, now: float, is_first: bool) -> None:
        assert record.match is not None
        clocks = record.plan.clocks
        self.number = record.decision
        self.seat = seat
        self.match = record.match
        self.opened = now
        self.bank_ms = record.chairs[seat].bank_ms
        self.free_ms = clocks.turn_ms + (clocks.warmup_ms if is_first else 0)
        self.due = now + (self.free_ms + self.bank_ms) / 1000 if clocks.turn_ms else None

    def bank_after(self, elapsed: float) -> int:
        """Milliseconds of bank left when the answer took so many seconds."""
        if self.due is None:
            return self.bank_ms
        over = max(0, round(elapsed * 1000) - self.free_ms)
        return max(0, self.bank_ms - over)

    def postpone(self, seconds: float) -> None:
        """Take time that was not the seat's out of the account."""
        self.opened += seconds
        if self.due is not None:
            self.due += seconds

    @property
    def phase(self) -> str:
        """What is to be done, in one word."""
        return "cut" if self.match.deal is None else self.match.deal.phase.value

    @cached_property
    def _view(self) -> View | None:
        return match_view(self.match, self.seat)

    @cached_property
    def view(self) -> views_pb2.SeatView:
        """What the seat knows, encoded."""
        return self._before_the_cut() if self._view is None else view_to_wire(self._view)

    @cached_property
    def default(self) -> tuple[Action, ...]:
        """What is played when the time is over."""
        if self._view is None:
            return (drawn_cut(self.match),)
        first = default_action(self._view)
        if isinstance(first, DrawStock | Discard):
            return (first,)
        return policy_act(self.match, default_action)[0]

    @cached_property
    def wire_default(self) -> list[actions_pb2.Action]:
        """The default, encoded."""
        return [action_to_wire(action) for action in self.default]

    def _before_the_cut(self) -> views_pb2.SeatView:
        public = views_pb2.PublicView(
            deal=self.match.number,
            dealer=seat_to_wire(self.match.dealer),
            turn=seat_to_wire(self.seat),
            phase=views_pb2.PHASE_CUT,
            counts=[0, 0, 0, 0],
            totals=points_to_wire(self.match.totals),
        )
        own = views_pb2.OwnView(seat=seat_to_wire(self.seat))
        return views_pb2.SeatView(public=public, own=own)
