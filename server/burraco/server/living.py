"""What happens at a table without an act: players come and go, time passes, stand-ins play.

Every function here is mail of a table: called one at a time, with the log up to date.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from burraco.engine.standin import greedy_action
from burraco.server.asked import Asked
from burraco.server.errors import ArenaError, Complaint, log_unavailable
from burraco.server.gallery import Viewer
from burraco.server.journal import Acted, Adjudicated, GivenBack, Joined, Voided
from burraco.server.links import SeatLink, Sink
from burraco.server.record import starting_row
from burraco.server.store import MatchRow, StoreFailed
from burraco.server.substitutes import policy_act
from burraco.server.terms import MatchState, PlayedBy, SeatEnd

if TYPE_CHECKING:
    from burraco.server.table import Entry, Failed, Table, Told


def open_table(table: "Table") -> None:
    """Begin to wait, or go on from the log: clocks start afresh, everybody is away until seen.

    Coming back after a restart takes time that is nobody's fault, so nobody is away in the warm-up.
    """
    if table.record.state is MatchState.WAITING:
        _begin_when_ready(table)
        return
    table.presence.grace = table.house.clock.now() + table.record.plan.clocks.warmup_ms / 1000
    if table.record.turn is not None:
        _mark_presence(table)
        table.follow()
    table.finish_if_over()


def greet(table: "Table", sink: Sink) -> None:
    """Tell a player's new session about its seats, unless a newer one has taken its place."""
    if table.house.sink_of(sink.player) is not sink:
        return
    if table.record.state is MatchState.ENDED:
        # It ended after the session before had been let go, so nobody was told.
        secret = table.house.boards.secret_shown(table.record)
        for seat in table.record.seats_of(sink.player):
            sink.send(table.publisher.ended_frame(seat, secret))
        return
    if table.record.state is MatchState.RUNNING:
        for seat in table.record.seats_of(sink.player):
            table.presence.struck.discard(seat)
            # One that came while the start was written was told by that.
            if not table.publisher.tells(seat, sink):
                _attach(table, seat, sink)
    mind_presence(table)


def greet_seat(table: "Table", seat: int, sink: Sink) -> None:
    """Tell one more sink about one seat."""
    if table.record.state is MatchState.ENDED:
        sink.send(table.publisher.ended_frame(seat, table.house.boards.secret_shown(table.record)))
        sink.forget(SeatLink(table.match_id, seat, sink))
        return
    table.presence.struck.discard(seat)
    _attach(table, seat, sink)
    mind_presence(table)


def leave(table: "Table", sink: Sink) -> None:
    """Tell a sink nothing more; mail, so that it comes after the greeting it undoes."""
    table.publisher.detach(sink)
    mind_presence(table)


def mind_presence(table: "Table") -> None:
    """Look again who is connected: a match may begin, a seat may get lost or be given back."""
    if table.record.state is MatchState.WAITING:
        _begin_when_ready(table)
        return
    if table.record.state is MatchState.ENDED:
        return
    _mark_presence(table)
    table.presence.struck -= {seat for seat in table.record.seats if not is_connected(table, seat)}
    back = [seat for seat in table.record.seats if _comes_back(table, seat)]
    if back:
        entries: list[Entry] = [(GivenBack(seat), None) for seat in back]
        table.commit(entries, partial(_given_back, table), table.hold)
        return
    table.rearm()


def called(table: "Table", seat: int) -> None:
    """A bot shows by a call of its own that it is there, with or without a stream."""
    if table.record.turn is None:
        return
    table.presence.call(seat)
    if _comes_back(table, seat):
        table.post(partial(mind_presence, table))


def mind_callers(table: "Table") -> None:
    """A decision opens: where clocks are off, a bot without a stream is away until it answers."""
    if table.presence.calling:
        _mark_presence(table)


def join(table: "Table", joined: Joined, told: "Told") -> None:
    """Let a player take a free place, or say why not."""
    refusal = _why_not_join(table, joined)
    if refusal is not None:
        told(refusal)
        return
    players = list(table.record.players)
    players[joined.place] = joined.player
    row = table.match_row()
    seated = MatchRow(
        row.match_id, row.state, row.board_id, row.created_ms, tuple(players), row.summary
    )

    def taken() -> None:
        told(None)
        _begin_when_ready(table)

    table.commit([(joined, None)], taken, partial(_not_logged, told), seated)


def adjudicate(table: "Table", row: Adjudicated, told: "Told") -> None:
    """End the match where it stands."""
    if table.record.state is MatchState.ENDED:
        told(ArenaError(Complaint.MATCH_ENDED, "the match has ended already"))
        return

    def ended() -> None:
        table.finish_if_over()
        told(None)

    table.commit([(row, None)], ended, partial(_not_logged, told))


def watch(table: "Table", viewer: Viewer) -> None:
    """Show somebody the public view, from now on."""
    table.publisher.viewers.admit(viewer)


def unwatch(table: "Table", viewer: Viewer) -> None:
    """Show somebody nothing more."""
    table.publisher.viewers.leave(viewer)


def tick(table: "Table") -> None:
    """Something is due: a start, a seat that is away too long, a decision, or another try."""
    now = table.house.clock.now()
    if table.fault:
        _void(table)
        return
    if table.record.state is MatchState.WAITING:
        if table.start_due is not None and table.start_due <= now:
            _start(table)
        return
    if table.record.turn is None:
        return
    # Whoever has come back may not have been greeted yet.
    _mark_presence(table)
    away = [seat for seat in table.presence.over(now) if not table.record.chairs[seat].stood_in]
    if away:
        rows = table.taken_over({seat: absence(table, seat) for seat in away})
        table.commit(rows, partial(_lost_seats, table, away), table.hold)
        return
    asked = table.asked
    if asked is None:
        table.go_on()
        return
    if asked.due is not None and asked.due <= now:
        lose(table)
        return
    table.rearm()


def lose(table: "Table") -> None:
    """The time of the open decision is over."""
    asked = table.asked
    assert asked is not None
    timed_out(table, asked, table.house.clock.now(), table.go_on, table.hold)


def timed_out(
    table: "Table", asked: Asked, now: float, then: Callable[[], None], failed: "Failed"
) -> None:
    """Play the default of a decision whose time is over; who made calls is waited for no longer."""
    table.house.metrics.decided(asked.phase, PlayedBy.TIME_OUT.value)
    entries = table.lost(asked, PlayedBy.TIME_OUT, now - asked.opened)
    if asked.seat in table.presence.calling:
        table.presence.calling.discard(asked.seat)
        _mark_presence(table)
    table.commit(entries, then, failed)


def stand_in(table: "Table") -> None:
    """Play one act for the seat whose bot is gone."""
    record = table.record
    seat = record.turn
    if seat is None or not record.chairs[seat].stood_in or table.asked is not None:
        return
    assert record.match is not None
    actions, step = policy_act(record.match, greedy_action)
    bank = record.chairs[seat].bank_ms
    row = Acted(record.decision, seat, PlayedBy.STAND_IN, actions, "", b"", "", 0, bank)
    table.commit([(row, step)], table.go_on, table.hold)


def _attach(table: "Table", seat: int, sink: Sink) -> None:
    link = table.publisher.attach(seat, sink)
    if table.record.state is MatchState.WAITING:
        return
    table.publisher.start(link)
    asked = table.asked
    if asked is not None and asked.seat == seat:
        table.publisher.decide(link, asked, table.house.clock.now())


def is_connected(table: "Table", seat: int) -> bool:
    """Whether the bot of a seat is there: it reads a stream, or has shown it by calls."""
    if table.publisher.is_connected(seat):
        return True
    sink = table.house.sink_of(table.record.chairs[seat].player)
    if sink is not None and sink.is_connected:
        return True
    return seat in table.presence.calling and not _is_waited_for(table, seat)


def _is_waited_for(table: "Table", seat: int) -> bool:
    """Whether a decision is open that no clock ends."""
    asked = table.asked
    return asked is not None and asked.seat == seat and asked.due is None


def absence(table: "Table", seat: int) -> SeatEnd:
    """Why a seat is empty, as far as its last connection tells."""
    sink = table.house.sink_of(table.record.chairs[seat].player)
    return SeatEnd.LEFT if sink is not None and sink.has_left else SeatEnd.DISCONNECTED


def _void(table: "Table") -> None:
    """A fault of ours stands in the way: the match counts for nobody."""
    if table.record.state is not MatchState.ENDED:
        table.commit([(Voided(table.fault), None)], table.go_on, table.hold)


def _mark_presence(table: "Table") -> None:
    clocks = table.record.plan.clocks
    if not clocks.turn_ms and not clocks.disconnect_ms:
        return
    now = table.house.clock.now()
    for seat in table.record.seats:
        if table.record.chairs[seat].stood_in or is_connected(table, seat):
            table.presence.come(seat, now)
        else:
            table.presence.leave(seat, now)


def _comes_back(table: "Table", seat: int) -> bool:
    chair = table.record.chairs[seat]
    returns = table.record.plan.faults.gives_back(chair.end)
    is_anew = seat not in table.presence.struck
    return chair.stood_in and returns and is_anew and is_connected(table, seat)


def _given_back(table: "Table") -> None:
    """Who is asked keeps the time left; where nobody is, a stand-in was about to play."""
    if table.asked is None:
        table.go_on()
    else:
        table.rearm()


def _lost_seats(table: "Table", seats: list[int]) -> None:
    asked = table.asked
    if table.record.turn is None or (asked is not None and asked.seat in seats):
        table.go_on()
    else:
        table.rearm()


def _begin_when_ready(table: "Table") -> None:
    players = table.record.players
    if not all(players):
        return
    if all(is_connected(table, seat) for seat in table.record.seats):
        _start(table)
        return
    clocks = table.record.plan.clocks
    if table.start_due is None and clocks.turn_ms:
        table.start_due = table.house.clock.now() + clocks.warmup_ms / 1000
    table.rearm()


def _start(table: "Table") -> None:
    started = starting_row(table.record)
    places = enumerate(started.places)
    missing = [seat for seat, place in places if not is_connected(table, place)]
    entries: list[Entry] = [(started, None)]
    entries += table.taken_over(dict.fromkeys(missing, SeatEnd.NO_SHOW))
    row = table.match_row()
    players = tuple(table.record.players[place] for place in started.places)
    running = MatchRow(
        row.match_id, MatchState.RUNNING, row.board_id, row.created_ms, players, row.summary
    )
    table.commit(entries, partial(_started, table), table.hold, running)


def _started(table: "Table") -> None:
    publisher = table.publisher
    for links in publisher.links:
        for link in links:
            publisher.start(link)
    for seat, chair in enumerate(table.record.chairs):
        sink = table.house.sink_of(chair.player)
        if sink is not None:
            link = publisher.attach(seat, sink)
            link.seen = 0
            publisher.start(link)
    _mark_presence(table)
    table.go_on()


def _why_not_join(table: "Table", joined: Joined) -> ArenaError | None:
    record = table.record
    # First, so that whoever lost the answer learns by asking again that it has its seat.
    if joined.player in record.players:
        return ArenaError(Complaint.ALREADY_SEATED, "you have a seat in this match already")
    if record.state is not MatchState.WAITING:
        return ArenaError(Complaint.MATCH_STARTED, "the match has begun: join another one")
    if record.players[joined.place]:
        return ArenaError(
            Complaint.SEAT_TAKEN,
            "the seat is taken: join another one, or leave the choice to the server",
            players=" ".join(player or "-" for player in record.players),
        )
    return None


def _not_logged(told: "Told", _failure: StoreFailed) -> None:
    told(log_unavailable())
