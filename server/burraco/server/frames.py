"""What a table tells its seats and viewers, as frames."""

from collections.abc import Mapping, Sequence
from typing import Final

from burraco.engine.actions import Action
from burraco.engine.errors import IllegalAction
from burraco.server.asked import Asked
from burraco.server.errors import ArenaError
from burraco.server.links import seat_ref
from burraco.server.record import MatchRecord, PastReveal
from burraco.server.term_requests import clocks_to_wire, faults_to_wire
from burraco.server.terms import Fault, MatchEnd, MatchState, SeatEnd
from burraco.v1 import errors_pb2, events_pb2, matches_pb2, play_pb2
from burraco.wire import (
    points_to_wire,
    refusal_to_wire,
    rules_to_wire,
    seat_to_wire,
    side_to_wire,
)

STATES: Final[Mapping[MatchState, matches_pb2.MatchState.ValueType]] = {
    MatchState.WAITING: matches_pb2.MATCH_STATE_WAITING,
    MatchState.RUNNING: matches_pb2.MATCH_STATE_RUNNING,
    MatchState.ENDED: matches_pb2.MATCH_STATE_ENDED,
}
_SEAT_ENDS: Final[Mapping[SeatEnd, matches_pb2.SeatEnd.ValueType]] = {
    SeatEnd.CLEAN: matches_pb2.SEAT_END_CLEAN,
    SeatEnd.STRIKES: matches_pb2.SEAT_END_STRIKES,
    SeatEnd.ILLEGAL_ACTS: matches_pb2.SEAT_END_ILLEGAL_ACTS,
    SeatEnd.TIME_OUTS: matches_pb2.SEAT_END_TIME_OUTS,
    SeatEnd.DISCONNECTED: matches_pb2.SEAT_END_DISCONNECTED,
    SeatEnd.NO_SHOW: matches_pb2.SEAT_END_NO_SHOW,
    SeatEnd.LEFT: matches_pb2.SEAT_END_LEFT,
    SeatEnd.STOPPED: matches_pb2.SEAT_END_STOPPED,
    SeatEnd.VOID: matches_pb2.SEAT_END_VOID,
}
_FAULTS: Final[Mapping[Fault, matches_pb2.Fault.ValueType]] = {
    Fault.NOBODY: matches_pb2.FAULT_UNSPECIFIED,
    Fault.BOT: matches_pb2.FAULT_BOT,
    Fault.NETWORK: matches_pb2.FAULT_NETWORK,
    Fault.SERVER: matches_pb2.FAULT_SERVER,
    Fault.ORGANISER: matches_pb2.FAULT_ORGANISER,
}
_MATCH_ENDS: Final[Mapping[MatchEnd, matches_pb2.MatchEnd.ValueType]] = {
    MatchEnd.PLAYED: matches_pb2.MATCH_END_PLAYED,
    MatchEnd.ADJUDICATED: matches_pb2.MATCH_END_ADJUDICATED,
    MatchEnd.VOID: matches_pb2.MATCH_END_VOID,
    MatchEnd.FORFEITED: matches_pb2.MATCH_END_FORFEITED,
}


def fill_decision(
    message: play_pb2.Decision,
    ref: play_pb2.SeatRef,
    asked: Asked,
    events: Sequence[events_pb2.Event],
    attempt: int,
    now: float,
) -> None:
    """Write an open decision into a message that is part of a frame already."""
    message.seat.CopyFrom(ref)
    message.decision_id = asked.number
    asked.fill_view(message.view)
    if events:
        message.events.extend(events)
    message.default_actions.extend(asked.default_to_wire())
    message.attempt = attempt
    remaining = asked.remaining_ms(now)
    if remaining is not None:
        message.remaining_ms = remaining
        message.bank_ms = asked.bank_left(now)


def verdict_frame(
    ref: play_pb2.SeatRef,
    decision: int,
    action_id: str,
    kind: play_pb2.VerdictKind.ValueType,
) -> play_pb2.ServerFrame:
    """A verdict with nothing beside what became of the act."""
    frame = play_pb2.ServerFrame()
    verdict = frame.verdict
    verdict.seat.CopyFrom(ref)
    verdict.decision_id = decision
    verdict.action_id = action_id
    verdict.kind = kind
    return frame


def error_frame(error: ArenaError, action_id: str) -> play_pb2.ServerFrame:
    """A refusal by the server as a frame of a stream that stays open."""
    told = play_pb2.StreamError(
        code=error.code,
        refusal=complaint_to_wire(error),
        action_id=action_id,
        retry_ms=error.retry_ms,
    )
    return play_pb2.ServerFrame(stream_error=told)


def complaint_to_wire(error: ArenaError) -> errors_pb2.Refusal:
    """Reason, words and facts of a refusal by the server."""
    return errors_pb2.Refusal(
        reason=error.complaint.value, message=error.message, facts=error.facts
    )


def rules_refusal(
    refused: IllegalAction | PastReveal, actions: Sequence[Action]
) -> errors_pb2.Refusal:
    """Why an act is illegal; where it has several actions, which of them."""
    if isinstance(refused, PastReveal):
        return errors_pb2.Refusal(
            reason="ACT_PAST_REVEAL",
            message=f"action {refused.at + 1} of {len(actions)} shows you hidden cards: send the"
            " act up to there, look at them, and answer the next decision",
            facts={"action": str(refused.at + 1)},
        )
    return refusal_to_wire(refused)


def started_frame(record: MatchRecord, seat: int, commitment: bytes) -> play_pb2.ServerFrame:
    """A match begins for a seat."""
    started = play_pb2.MatchStarted(
        seat=seat_ref(record.plan.match_id, seat),
        terms=terms_to_wire(record),
        players=record.players,
        commitment=commitment,
    )
    return play_pb2.ServerFrame(match_started=started)


def terms_to_wire(record: MatchRecord) -> matches_pb2.MatchTerms:
    """How a match is played."""
    plan = record.plan
    return matches_pb2.MatchTerms(
        rules=rules_to_wire(plan.rules),
        deals=plan.deals,
        asks_cut=plan.asks_cut,
        clocks=clocks_to_wire(plan.clocks),
        faults=faults_to_wire(plan.faults),
    )


def result_to_wire(record: MatchRecord, secret: bytes) -> matches_pb2.MatchResult:
    """The outcome of a match that is over; ``secret`` is empty while it may not be shown."""
    assert record.end is not None
    match = record.match
    result = matches_pb2.MatchResult(
        end=_MATCH_ENDS[record.end],
        totals=points_to_wire(record.totals),
        seats=[_seat_result(record, seat) for seat in range(len(record.chairs))],
        deals=0 if match is None else len(match.results),
        seed=secret,
        nonces=record.nonces,
    )
    if record.winner is not None:
        result.winner = side_to_wire(record.winner)
    return result


def _seat_result(record: MatchRecord, seat: int) -> matches_pb2.SeatResult:
    chair = record.chairs[seat]
    end, fault = record.seat_end(seat)
    return matches_pb2.SeatResult(
        seat=seat_to_wire(seat),
        player=chair.player,
        end=_SEAT_ENDS[end],
        fault=_FAULTS[fault],
        illegal_acts=chair.illegal_acts,
        time_outs=chair.time_outs,
        decisions=chair.decisions,
        think_ms=chair.think_ms,
        network_ms=chair.network_ms,
        strikes=chair.strikes,
        take_overs=chair.take_overs,
    )


def summary_to_wire(
    record: MatchRecord, commitment: bytes, secret: bytes
) -> matches_pb2.MatchSummary:
    """What a match is, for everybody."""
    match = record.match
    summary = matches_pb2.MatchSummary(
        match_id=record.plan.match_id,
        state=STATES[record.state],
        terms=terms_to_wire(record),
        players=record.players,
        commitment=commitment,
        totals=points_to_wire(record.totals),
        deals_played=0 if match is None else len(match.results),
        version=record.version,
        board_id=record.plan.board_id,
        board_tables=record.plan.board_tables,
    )
    if record.state is MatchState.ENDED:
        summary.result.CopyFrom(result_to_wire(record, secret))
    return summary
