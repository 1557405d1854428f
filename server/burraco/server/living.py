"""What happens at a table without an act: players come and go, time passes, stand-ins play.

Every function here is mail of a table: called one at a time, with the log up to date.
"""

from functools import partial
from typing import TYPE_CHECKING

from burraco.engine.rules import SEATS
from burraco.engine.standin import greedy_action
from burraco.server.errors import ArenaError, Complaint, log_unavailable
from burraco.server.journal import Acted, Adjudicated, GivenBack, Joined, TakenOver
from burraco.server.links import Sink
from burraco.server.publisher import Viewer
from burraco.server.record import starting_row
from burraco.server.store import MatchRow, StoreFailed
from burraco.server.substitutes import policy_act
from burraco.server.terms import RETURNABLE, MatchState, PlayedBy, SeatEnd

if TYPE_CHECKING:
    from burraco.server.table import Entry, Table, Told


def open_table(table: "Table") -> None:
    """Begin to wait, or go on from the log: clocks start afresh, everybody is away until seen."""
    if table.record.state is MatchState.WAITING:
        _begin_when_ready(table)
        return
    if table.record.turn is not None:
        _mark_presence(table)
        table.follow()
    table.finish_if_over()


def greet(table: "Table", sink: Sink) -> None:
    """Tell a player's new session about its seats."""
    if table.record.state is MatchState.RUNNING:
        for seat in table.record.seats_of(sink.player):
            _attach(table, seat, sink)
    mind_presence(table)


def greet_seat(table: "Table", seat: int, sink: Sink) -> None:
    """Tell one more sink about one seat."""
    if table.record.state is not MatchState.ENDED:
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
    back = [seat for seat in range(SEATS) if _comes_back(table, seat)]
    if back:
        entries: list[Entry] = [(GivenBack(seat), None) for seat in back]
        table.commit(entries, table.go_on, table.hold)
        return
    table.rearm()


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
    viewer.send(table.publisher.snapshot())
    if table.record.state is MatchState.ENDED:
        viewer.finish()
        return
    table.publisher.viewers.append(viewer)


def unwatch(table: "Table", viewer: Viewer) -> None:
    """Show somebody nothing more."""
    if viewer in table.publisher.viewers:
        table.publisher.viewers.remove(viewer)


def tick(table: "Table") -> None:
    """Something is due: a start, a seat that is away too long, a decision, or another try."""
    now = table.house.clock.now()
    if table.record.state is MatchState.WAITING:
        if table.start_due is not None and table.start_due <= now:
            _start(table)
        return
    if table.record.turn is None:
        return
    away = [seat for seat in table.presence.over(now) if not table.record.chairs[seat].stood_in]
    if away:
        entries: list[Entry] = [(TakenOver(seat, SeatEnd.DISCONNECTED), None) for seat in away]
        table.commit(entries, partial(_lost_seats, table, away), table.hold)
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
    elapsed = table.house.clock.now() - asked.opened
    table.house.metrics.decided(asked.phase, PlayedBy.TIME_OUT.value)
    table.commit(table.lost(asked, PlayedBy.TIME_OUT, elapsed), table.go_on, table.hold)


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


def _is_connected(table: "Table", seat: int) -> bool:
    if table.publisher.is_connected(seat):
        return True
    sink = table.house.sink_of(table.record.chairs[seat].player)
    return sink is not None and sink.is_connected


def _mark_presence(table: "Table") -> None:
    clocks = table.record.plan.clocks
    if not clocks.turn_ms and not clocks.disconnect_ms:
        return
    now = table.house.clock.now()
    for seat in range(SEATS):
        if table.record.chairs[seat].stood_in or _is_connected(table, seat):
            table.presence.come(seat, now)
        else:
            table.presence.leave(seat, now)


def _comes_back(table: "Table", seat: int) -> bool:
    chair = table.record.chairs[seat]
    return chair.stood_in and chair.end in RETURNABLE and _is_connected(table, seat)


def _lost_seats(table: "Table", seats: list[int]) -> None:
    now = table.house.clock.now()
    for seat in seats:
        table.presence.come(seat, now)
    asked = table.asked
    if asked is not None and asked.seat in seats:
        table.go_on()
    else:
        table.rearm()


def _begin_when_ready(table: "Table") -> None:
    players = table.record.players
    if not all(players):
        return
    if all(_is_connected(table, seat) for seat in range(SEATS)):
        _start(table)
        return
    clocks = table.record.plan.clocks
    if table.start_due is None and clocks.turn_ms:
        table.start_due = table.house.clock.now() + clocks.warmup_ms / 1000
    table.rearm()


def _start(table: "Table") -> None:
    started = starting_row(table.record)
    missing = [seat for seat, place in enumerate(started.places) if not _is_connected(table, place)]
    entries: list[Entry] = [(started, None)]
    entries += [(TakenOver(seat, SeatEnd.NO_SHOW), None) for seat in missing]
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
    if record.state is not MatchState.WAITING:
        return ArenaError(Complaint.MATCH_STARTED, "the match has begun: join another one")
    if joined.player in record.players:
        return ArenaError(Complaint.ALREADY_SEATED, "you have a seat in this match already")
    if record.players[joined.place]:
        return ArenaError(
            Complaint.SEAT_TAKEN,
            "the seat is taken: join another one, or leave the choice to the server",
            players=" ".join(player or "-" for player in record.players),
        )
    return None


def _not_logged(told: "Told", _failure: StoreFailed) -> None:
    told(log_unavailable())
