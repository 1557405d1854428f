"""Matches whose log is not what this server wrote: void, whoever played them is not to blame.

Their rows stay in the store as they were found. What is said of such a match is final: it ends with
``MATCH_END_VOID`` and comes back at no later start, since players have been told.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from google.protobuf.message import DecodeError

from burraco.engine.deal import commitment
from burraco.server.audit import Audit
from burraco.server.credentials import HOST
from burraco.server.frames import summary_to_wire
from burraco.server.links import seat_ref
from burraco.server.record import MatchRecord
from burraco.server.recovery import LogBroken, begin
from burraco.server.store import AuditRow, LogRow, MatchRow
from burraco.server.terms import MatchEnd, MatchState, SeatEnd
from burraco.v1 import matches_pb2, play_pb2
from burraco.wire import seat_to_wire


def stored_summary(row: MatchRow) -> matches_pb2.MatchSummary | None:
    """The summary that the store has of a match, None where there is none or it is damaged."""
    try:
        summary = matches_pb2.MatchSummary.FromString(row.summary)
    except DecodeError:
        return None
    return summary if summary.match_id == row.match_id else None


def voided(found: MatchRow, rows: Sequence[LogRow]) -> MatchRow:
    """A match as lists keep it once it is void."""
    summary = void_summary(found, rows).SerializeToString()
    return replace(found, state=MatchState.ENDED, summary=summary)


def quarantine_entry(at_ms: int, match_id: str, broken: Exception) -> AuditRow:
    """What operators find of it in the audit log: where its log breaks, and no card."""
    return Audit.entry(at_ms, HOST, "MATCH_QUARANTINED", match_id, str(broken))


def void_summary(found: MatchRow, rows: Sequence[LogRow]) -> matches_pb2.MatchSummary:
    """What can still be said of a void match; its terms only where they are certain."""
    record = void_record(found, rows)
    if record is None:
        return _bare_summary(found)
    plan = record.plan
    return summary_to_wire(record, commitment(plan.match_id, plan.rules, plan.secret), b"")


def void_endings(void: MatchRow) -> Iterator[tuple[str, play_pb2.MatchEnded]]:
    """Whom to tell that a match is void, and what; seats that are not drawn yet are told too."""
    result = matches_pb2.MatchSummary.FromString(void.summary).result
    for seat, player in enumerate(void.players):
        if player:
            yield player, play_pb2.MatchEnded(seat=seat_ref(void.match_id, seat), result=result)


def void_record(found: MatchRow, rows: Sequence[LogRow]) -> MatchRecord | None:
    """A match as it was made and then ended by a fault of ours, None where that is lost too."""
    try:
        record = begin(rows)
    except LogBroken:
        return None
    if len(record.chairs) != len(found.players):
        return None
    record.state, record.end = MatchState.ENDED, MatchEnd.VOID
    for chair, player in zip(record.chairs, found.players, strict=True):
        chair.player, chair.end = player, SeatEnd.VOID
    return record


def _bare_summary(found: MatchRow) -> matches_pb2.MatchSummary:
    seats = [
        matches_pb2.SeatResult(
            seat=seat_to_wire(seat),
            player=player,
            end=matches_pb2.SEAT_END_VOID,
            fault=matches_pb2.FAULT_SERVER,
        )
        for seat, player in enumerate(found.players)
    ]
    return matches_pb2.MatchSummary(
        match_id=found.match_id,
        state=matches_pb2.MATCH_STATE_ENDED,
        players=found.players,
        board_id=found.board_id,
        result=matches_pb2.MatchResult(end=matches_pb2.MATCH_END_VOID, seats=seats),
    )
