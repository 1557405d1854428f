"""A decision while it is open: when it was asked, how long it may take, what is played at zero."""

from typing import NamedTuple

from burraco.engine.actions import Action, Discard, DrawStock
from burraco.engine.match import match_view
from burraco.engine.standin import default_action
from burraco.server.record import MatchRecord
from burraco.server.settings import LONGEST_MS
from burraco.server.substitutes import drawn_cut, policy_act
from burraco.v1 import actions_pb2, views_pb2
from burraco.wire import action_to_wire, fill_view, points_to_wire, seat_to_wire


class Spent(NamedTuple):
    """Where the time of an answer went, in milliseconds.

    ``think`` was charged, ``network`` credited; ``bank`` is what is left of it, ``turn`` what the
    turn has used by then, ``free`` what is left before the bank is touched.
    """

    think: int
    network: int
    bank: int
    turn: int
    free: int


class Asked:
    """The open decision of a match. Times are seconds of the match's clock.

    ``free_ms`` is what may pass before the bank is touched, ``credit_ms`` what may pass before
    anything is charged: the way to the bot and back. The default is worked out when it is first
    needed and kept, since it may take a whole turn.
    """

    __slots__ = (
        "_default",
        "_excused_until",
        "_increment_ms",
        "_turn_used_ms",
        "_view",
        "_warmup_ms",
        "bank_ms",
        "credit_ms",
        "due",
        "free_ms",
        "match",
        "number",
        "opened",
        "seat",
    )

    def __init__(
        self, record: MatchRecord, seat: int, now: float, is_first: bool, round_trip_ms: int = 0
    ) -> None:
        assert record.match is not None
        clocks = record.plan.clocks
        self.number = record.decision
        self.seat = seat
        self.match = record.match
        self.opened = now - record.used_ms / 1000
        self.bank_ms = record.chairs[seat].bank_ms
        self.credit_ms = min(round_trip_ms, clocks.network_ms)
        self._increment_ms = clocks.increment_ms
        self._warmup_ms = clocks.warmup_ms if is_first else 0
        self._turn_used_ms = record.turn_used_ms
        self.free_ms = self._warmup_ms + _turn_left(record, seat)
        most = self.credit_ms + self.free_ms + self.bank_ms
        self.due = self.opened + most / 1000 if clocks.turn_ms else None
        self._view = match_view(record.match, seat)
        self._default: tuple[Action, ...] | None = None
        self._excused_until = now

    def spent(self, elapsed: float) -> Spent:
        """What so many seconds come to."""
        taken = max(0, round(elapsed * 1000))
        network = min(taken, self.credit_ms)
        think = taken - network
        free = max(0, self.free_ms - think)
        if self.due is None:
            return Spent(think, network, self.bank_ms, 0, free)
        bank = max(0, self.bank_ms - max(0, think - self.free_ms))
        turn = self._turn_used_ms + max(0, min(think, self.free_ms) - self._warmup_ms)
        return Spent(think, network, bank, turn, free)

    def answered(self, elapsed: float) -> Spent:
        """The same for an answer by the bot, which adds the increment to the bank."""
        spent = self.spent(elapsed)
        if self.due is None:
            return spent
        return spent._replace(bank=min(spent.bank + self._increment_ms, LONGEST_MS))

    def remaining_ms(self, now: float) -> int | None:
        """Milliseconds that the bot has to itself, bank included; None where clocks are off."""
        if self.due is None:
            return None
        # Rounded to microseconds first, so that a whole millisecond stays whole.
        return max(0, int(round((self.due - now) * 1000, 3)) - self.credit_ms)

    def bank_left(self, now: float) -> int:
        """Milliseconds of bank that are left."""
        return self.spent(now - self.opened).bank

    def excuse(self, since: float, until: float) -> None:
        """Take time that was not the seat's out of the account, once where such times overlap."""
        seconds = max(0.0, until - max(since, self._excused_until))
        self._excused_until = max(until, self._excused_until)
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
        public.counts.extend([0] * self.match.setup.rules.players)
        public.totals.CopyFrom(points_to_wire(self.match.totals))
        message.own.seat = seat_to_wire(self.seat)


def _turn_left(record: MatchRecord, seat: int) -> int:
    clocks = record.plan.clocks
    if not clocks.whole_turn:
        # What hands are not asked for need not be counted.
        return clocks.turn_of(record.hand_size(seat)) if clocks.hand_limits else clocks.turn_ms
    return max(0, clocks.turn_of(record.turn_cards) - record.turn_used_ms)
