"""A decision while it is open: when it was asked, how long it may take, what is played at zero."""

from burraco.engine.actions import Action, Discard, DrawStock
from burraco.engine.match import match_view
from burraco.engine.standin import default_action
from burraco.server.record import MatchRecord
from burraco.server.substitutes import drawn_cut, policy_act
from burraco.v1 import actions_pb2, views_pb2
from burraco.wire import action_to_wire, fill_view, points_to_wire, seat_to_wire


class Asked:
    """The open decision of a match. Times are seconds of the match's clock.

    ``free_ms`` is what may pass before the bank is touched. The default is worked out when it is
    first needed and kept, since it may take a whole turn.
    """

    __slots__ = (
        "_default",
        "_view",
        "bank_ms",
        "due",
        "free_ms",
        "match",
        "number",
        "opened",
        "seat",
    )

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
        self._view = match_view(record.match, seat)
        self._default: tuple[Action, ...] | None = None

    def bank_after(self, elapsed: float) -> int:
        """Milliseconds of bank left when the answer took so many seconds."""
        over = round(elapsed * 1000) - self.free_ms
        if self.due is None or over <= 0:
            return self.bank_ms
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

    @property
    def default(self) -> tuple[Action, ...]:
        """What is played when the time is over."""
        if self._default is None:
            self._default = self._work_out_default()
        return self._default

    def fill_view(self, message: views_pb2.SeatView) -> None:
        """Write what the seat knows into an empty message."""
        if self._view is None:
            self._fill_before_the_cut(message)
        else:
            fill_view(message, self._view)

    def default_to_wire(self) -> list[actions_pb2.Action]:
        """The default, encoded."""
        return [action_to_wire(action) for action in self.default]

    def _work_out_default(self) -> tuple[Action, ...]:
        if self._view is None:
            return (drawn_cut(self.match),)
        first = default_action(self._view)
        if isinstance(first, DrawStock | Discard):
            return (first,)
        return policy_act(self.match, default_action)[0]

    def _fill_before_the_cut(self, message: views_pb2.SeatView) -> None:
        public = message.public
        public.deal = self.match.number
        public.dealer = seat_to_wire(self.match.dealer)
        public.turn = seat_to_wire(self.seat)
        public.phase = views_pb2.PHASE_CUT
        public.counts.extend([0, 0, 0, 0])
        public.totals.CopyFrom(points_to_wire(self.match.totals))
        message.own.seat = seat_to_wire(self.seat)
