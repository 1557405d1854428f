"""A match as an actor: one mailbox, one writer, no awaiting.

Mail is handled one piece at a time. What changes the match is first written to the log, and no
further mail is looked at until the log has it; then the answer is given, then everybody is told.
Nothing here waits: the log calls back, so an idle table costs no task.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from burraco.engine.deal import commitment
from burraco.engine.match import MatchStep
from burraco.server import living
from burraco.server.acts import Act
from burraco.server.answering import answer
from burraco.server.asked import Asked
from burraco.server.clock import Alarm
from burraco.server.errors import ArenaError, Complaint, log_unavailable
from burraco.server.frames import summary_to_wire
from burraco.server.gallery import Viewer
from burraco.server.house import House
from burraco.server.journal import (
    Acted,
    Adjudicated,
    Forfeited,
    Joined,
    Row,
    Suspended,
    TakenOver,
    Voided,
    chained,
    row_to_json,
)
from burraco.server.links import Sink
from burraco.server.mailbox import Mail, Mailbox
from burraco.server.presence import Presence
from burraco.server.publisher import Publisher
from burraco.server.record import MatchRecord, play_all
from burraco.server.replies import Replies
from burraco.server.settings import CROWDED_MS, MAILBOX, RETRY_SECONDS
from burraco.server.store import LogRow, MatchRow, StoreFailed
from burraco.server.terms import ABSENCES, MatchState, PlayedBy, SeatEnd

# Faults of the server's own in a row, with no decision played in between, that void a match.
FAULTS_VOID: Final = 3
# A row with the step it came from, where there is one.
Entry = tuple[Row, MatchStep | None]
Failed = Callable[[StoreFailed], None]
Told = Callable[[ArenaError | None], None]


class Table:
    """One match while it waits or is played; ``asked`` is the open decision.

    ``fault`` is the id of the server's own fault for which the match is to be voided, empty while
    it may go on.
    """

    __slots__ = (
        "__weakref__",
        "_alarm",
        "_began",
        "_faults",
        "_held",
        "_mailbox",
        "_warm",
        "asked",
        "commitment",
        "fault",
        "house",
        "presence",
        "publisher",
        "record",
        "replies",
        "start_due",
    )

    def __init__(self, record: MatchRecord, house: House, events: int) -> None:
        plan = record.plan
        self.record = record
        self.house = house
        self.asked: Asked | None = None
        self.commitment = commitment(plan.match_id, plan.rules, plan.secret)
        self.publisher = Publisher(record, self.commitment, events, house.clock)
        self.replies = Replies()
        self._mailbox = Mailbox(self.broken)
        self._held: float | None = None
        self._began = 0.0
        self._faults = 0
        self.fault = ""
        self.presence = Presence(plan.clocks.disconnect_ms / 1000, len(plan.players))
        self._warm: set[int] = set()
        self.start_due: float | None = None
        self._alarm = Alarm(house.clock, partial(self.post, partial(living.tick, self)))

    @property
    def match_id(self) -> str:
        """Id of the match."""
        return self.record.plan.match_id

    def post(self, mail: Mail) -> None:
        """Handle something as soon as what came before it is in the log."""
        self._mailbox.post(mail)

    def act(self, act: Act) -> None:
        """Answer an act of a seat, exactly once."""
        if len(self._mailbox) >= MAILBOX:
            act.reply(_mailbox_full())
            return
        if self._mailbox.is_busy and self.house.writer.is_stalled:
            # It would wait behind a commit that may take for ever.
            act.reply(log_unavailable())
            return
        self._mailbox.post(partial(answer, self, act), act.reply)

    def open(self) -> None:
        """Begin, or go on after a restart: time that the server was down is charged to nobody."""
        self.post(partial(living.open_table, self))

    def greet(self, sink: Sink) -> None:
        """A player has opened a session: tell it about its seats in this match."""
        self.post(partial(living.greet, self, sink))

    def watch_seat(self, seat: int, sink: Sink) -> None:
        """Tell one more sink about one seat."""
        self.post(partial(living.greet_seat, self, seat, sink))

    def leave(self, sink: Sink) -> None:
        """Tell a sink nothing more."""
        self.post(partial(living.leave, self, sink))

    def presence_changed(self) -> None:
        """Somebody who sits here has come or gone."""
        self.post(partial(living.mind_presence, self))

    def join(self, joined: Joined, told: Told) -> None:
        """Let a player take a free place."""
        self._mailbox.post(partial(living.join, self, joined, told), told)

    def adjudicate(self, row: Adjudicated, told: Told) -> None:
        """End the match where it stands."""
        self._mailbox.post(partial(living.adjudicate, self, row, told), told)

    def watch(self, viewer: Viewer) -> None:
        """Show the public view to somebody, from now on."""
        self.post(partial(living.watch, self, viewer))

    def unwatch(self, viewer: Viewer) -> None:
        """Show somebody nothing more."""
        self.post(partial(living.unwatch, self, viewer))

    def match_row(self) -> MatchRow:
        """The match as lists keep it; only a finished one keeps its summary."""
        record, plan, summary = self.record, self.record.plan, b""
        if record.state is MatchState.ENDED:
            # The seed of a board stays out: other tables may still be dealt from it.
            secret = b"" if plan.board_id else plan.secret
            summary = summary_to_wire(record, self.commitment, secret).SerializeToString()
        return MatchRow(
            plan.match_id, record.state, plan.board_id, plan.created_ms, record.players, summary
        )

    def commit(
        self,
        entries: Sequence[Entry],
        then: Mail,
        failed: Failed,
        match: MatchRow | None = None,
    ) -> None:
        """Write rows to the log, take them into the record once they are there, and go on."""
        version, chain = self.record.version, self.record.chain
        rows: list[LogRow] = []
        for row, _ in entries:
            kind, payload = row_to_json(row)
            version, chain = version + 1, chained(chain, payload)
            rows.append(LogRow(self.match_id, version, kind, payload, chain))
        ending = self._ending_row(entries)
        self._mailbox.is_busy, self._began = True, self.house.clock.now()
        try:
            self.house.writer.append(
                rows, ending or match, partial(self._committed, entries, rows, then, failed)
            )
        except StoreFailed as failure:
            self._mailbox.is_busy = False
            failed(failure)

    def follow(self) -> Asked | None:
        """Open the next decision and give it, unless the match is over or a stand-in has it."""
        self.asked = None
        seat = self.record.turn
        if seat is None:
            return None
        if self.record.chairs[seat].stood_in:
            self._mailbox.put(partial(living.stand_in, self))
            return None
        is_first = seat not in self._warm
        self._warm.add(seat)
        sink = self.house.sink_of(self.record.chairs[seat].player)
        way = 0 if sink is None else sink.round_trip_ms
        self.asked = Asked(self.record, seat, self.house.clock.now(), is_first, way)
        living.mind_callers(self)
        self.rearm()
        return self.asked

    def go_on(self) -> None:
        """After a change that nobody is answered for: open the next decision and tell everybody."""
        asked = self.follow()
        self.publisher.publish(asked, None, self.house.clock.now())
        self.finish_if_over()

    def finish_if_over(self) -> None:
        """End the match for everybody once the rules, or an organiser, have ended it."""
        if self.record.state is not MatchState.ENDED:
            return
        self.asked = None
        self._alarm.stop()
        self.house.boards.end(self.record)
        self.publisher.end(self.house.boards.secret_shown(self.record))
        self._store_summary()
        self.house.ended(self)

    def lost(self, asked: Asked, by: PlayedBy, elapsed: float) -> list[Entry]:
        """The rows of a decision that its seat has lost: the default, and maybe the stand-in."""
        seat, timed_out = asked.seat, by is PlayedBy.TIME_OUT
        step = play_all(asked.match, seat, asked.default)
        spent = asked.spent(elapsed)
        row = Acted(
            decision=asked.number,
            seat=seat,
            by=by,
            actions=asked.default,
            action_id="",
            content=b"",
            note="",
            think_ms=spent.think,
            bank_ms=spent.bank,
            network_ms=spent.network,
            turn_ms=spent.turn,
            away=timed_out and not living.is_connected(self, seat),
        )
        chair, strike = self.record.chairs[seat], self.record.costs_strike(by)
        if chair.strikes + strike < self.record.plan.faults.strikes:
            return [(row, step)]
        end = SeatEnd.TIME_OUTS if timed_out else SeatEnd.ILLEGAL_ACTS
        if row.away and chair.strikes == chair.away_strikes:
            end = living.absence(self, seat)
        return [(row, step), *self.taken_over({seat: end}, is_over=step.match.is_over)]

    def taken_over(self, ends: Mapping[int, SeatEnd], *, is_over: bool = False) -> list[Entry]:
        """The rows of seats that go to stand-ins, and of the forfeit that this may come to."""
        entries: list[Entry] = [(TakenOver(seat, end), None) for seat, end in ends.items()]
        plan, chairs = self.record.plan, self.record.chairs
        limit, sides = plan.faults.forfeit_after, plan.rules.sides_as_dealt
        lost = {sides[seat] for seat in ends if chairs[seat].take_overs + 1 >= limit > 0}
        if lost and not is_over:
            entries.append((Forfeited(tuple(sorted(lost))), None))
        return entries

    def hold(self, _failure: StoreFailed) -> None:
        """The log refused something of the table's own: try again a little later."""
        self._pause()
        self.excuse(self._began)

    def excuse(self, since: float) -> None:
        """Charge nobody for the log's silence since then, nor for the wait before the next try."""
        if self.asked is not None:
            self.asked.excuse(since, self.house.clock.now() + RETRY_SECONDS)
        self.rearm()

    def broken(self, error: Exception) -> str:
        """A fault of our own: go on from what the log has; after several in a row, void the match.

        Gives the id that the fault was logged with.
        """
        error_id = self.house.broken(error, self.match_id)
        self._faults += 1
        if self.record.state is not MatchState.ENDED:
            if self._faults >= FAULTS_VOID:
                self.fault = error_id
            self._pause()
        return error_id

    def freeze(self) -> None:
        """Handle nothing more: the server stops. What the log has taken is still answered."""
        self._alarm.stop()
        self._mailbox.freeze()
        self._suspend()

    def rearm(self) -> None:
        """Set the alarm to whatever is due first."""
        if self._mailbox.is_frozen:
            return
        due = self._next_due()
        if due is not None and self._held is not None:
            due = max(due, self._held)
        self._alarm.move(due)

    def _suspend(self) -> None:
        """Keep what the open decision has used: whoever starts next leaves it the rest."""
        asked = self.asked
        if asked is None or asked.due is None or self._mailbox.is_busy:
            return
        used_ms = max(0, round((self.house.clock.now() - asked.opened) * 1000))
        self.commit([(Suspended(asked.number, used_ms), None)], _done, _not_kept)

    def _next_due(self) -> float | None:
        if self.fault and self.record.state is not MatchState.ENDED:
            return self._held
        if self.record.state is MatchState.WAITING:
            return self.start_due
        if self.record.turn is None:
            return None
        if self.asked is None:
            return self._held
        due, away = self.asked.due, self.presence.due()
        if due is None or away is None:
            return away if due is None else due
        return min(due, away)

    def _ending_row(self, entries: Sequence[Entry]) -> MatchRow | None:
        """A match ends in the store together with its last row; what it came to follows."""
        if not any(
            isinstance(row, Adjudicated | Forfeited | Voided)
            or (step is not None and step.match.is_over)
            for row, step in entries
        ):
            return None
        plan, players = self.record.plan, self.record.players
        return MatchRow(
            plan.match_id, MatchState.ENDED, plan.board_id, plan.created_ms, players, b""
        )

    def _pause(self) -> None:
        self._held = self.house.clock.now() + RETRY_SECONDS
        self.rearm()

    def _note(self, row: Row) -> None:
        if isinstance(row, Acted):
            self._faults = 0
        elif isinstance(row, TakenOver):
            # Nobody watches over the absence of a seat that a stand-in plays.
            self.presence.come(row.seat, self.house.clock.now())
            if row.end not in ABSENCES:
                self.presence.struck.add(row.seat)

    def _store_summary(self) -> None:
        def again(_failure: StoreFailed) -> None:
            clock = self.house.clock
            clock.call_at(clock.now() + RETRY_SECONDS, self._store_summary)

        def stored(failure: StoreFailed | None) -> None:
            if failure is not None:
                again(failure)

        try:
            self.house.writer.append([], self.match_row(), stored)
        except StoreFailed as failure:
            again(failure)

    def _committed(
        self,
        entries: Sequence[Entry],
        rows: Sequence[LogRow],
        then: Mail,
        failed: Failed,
        failure: StoreFailed | None,
    ) -> None:
        self._mailbox.is_busy = False
        if failure is not None:
            self.house.metrics.log_failures.inc()
            self._mailbox.run(partial(failed, failure))
        else:
            self._held = None
            for (row, step), stored in zip(entries, rows, strict=True):
                self.publisher.tape.add(self.record.apply(row, stored.chain, step))
                self._note(row)
            if not self._mailbox.run(then):
                # What is in the log has happened: ask and tell whoever has not been.
                self._mailbox.put(self.go_on)
        self._mailbox.work()
        if self._mailbox.is_frozen and not isinstance(entries[0][0], Suspended):
            self._suspend()


def _done() -> None:
    """Nobody waits for it."""


def _not_kept(_failure: StoreFailed) -> None:
    """The decision will have its whole time again."""


def _mailbox_full() -> ArenaError:
    return ArenaError(
        Complaint.MAILBOX_FULL,
        f"{MAILBOX} requests wait for this match already: send one act, then wait for its verdict",
        retry_ms=str(CROWDED_MS),
    )
