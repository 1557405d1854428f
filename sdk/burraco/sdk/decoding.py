"""Messages of matches as the SDK's own values."""

from typing import Final

from burraco.engine import Ruleset
from burraco.sdk.bot import Refusal
from burraco.sdk.matches import Clocks, Faults, MatchState, MatchSummary, OwnerReturn, Watched
from burraco.sdk.outcome import Fault, MatchEnd, MatchResult, SeatEnd, SeatResult
from burraco.v1 import errors_pb2, match_service_pb2, matches_pb2, views_pb2
from burraco.wire import (
    event_from_wire,
    points_from_wire,
    rules_from_wire,
    seat_from_wire,
    side_from_wire,
    view_from_wire,
)

_MATCH_ENDS: Final[dict[int, MatchEnd]] = {
    matches_pb2.MATCH_END_PLAYED: MatchEnd.PLAYED,
    matches_pb2.MATCH_END_ADJUDICATED: MatchEnd.ADJUDICATED,
    matches_pb2.MATCH_END_VOID: MatchEnd.VOID,
    matches_pb2.MATCH_END_FORFEITED: MatchEnd.FORFEITED,
}
_SEAT_ENDS: Final[dict[int, SeatEnd]] = {
    matches_pb2.SEAT_END_CLEAN: SeatEnd.CLEAN,
    matches_pb2.SEAT_END_STRIKES: SeatEnd.STRIKES,
    matches_pb2.SEAT_END_ILLEGAL_ACTS: SeatEnd.ILLEGAL_ACTS,
    matches_pb2.SEAT_END_TIME_OUTS: SeatEnd.TIME_OUTS,
    matches_pb2.SEAT_END_DISCONNECTED: SeatEnd.DISCONNECTED,
    matches_pb2.SEAT_END_NO_SHOW: SeatEnd.NO_SHOW,
    matches_pb2.SEAT_END_LEFT: SeatEnd.LEFT,
    matches_pb2.SEAT_END_STOPPED: SeatEnd.STOPPED,
    matches_pb2.SEAT_END_VOID: SeatEnd.VOID,
}
OWNER_RETURNS: Final[dict[int, OwnerReturn]] = {
    # A server from before there was a choice.
    matches_pb2.OWNER_RETURN_UNSPECIFIED: OwnerReturn.AFTER_ABSENCE,
    matches_pb2.OWNER_RETURN_NEVER: OwnerReturn.NEVER,
    matches_pb2.OWNER_RETURN_AFTER_ABSENCE: OwnerReturn.AFTER_ABSENCE,
    matches_pb2.OWNER_RETURN_ALWAYS: OwnerReturn.ALWAYS,
}
_STATES: Final[dict[int, MatchState]] = {
    matches_pb2.MATCH_STATE_WAITING: MatchState.WAITING,
    matches_pb2.MATCH_STATE_RUNNING: MatchState.RUNNING,
    matches_pb2.MATCH_STATE_ENDED: MatchState.ENDED,
}
_FAULTS: Final[dict[int, Fault]] = {
    matches_pb2.FAULT_UNSPECIFIED: Fault.NOBODY,
    matches_pb2.FAULT_BOT: Fault.BOT,
    matches_pb2.FAULT_NETWORK: Fault.NETWORK,
    matches_pb2.FAULT_SERVER: Fault.SERVER,
    matches_pb2.FAULT_ORGANISER: Fault.ORGANISER,
}


def result_from_wire(message: matches_pb2.MatchResult) -> MatchResult:
    """The outcome of a match."""
    return MatchResult(
        end=_MATCH_ENDS[message.end],
        totals=points_from_wire(message.totals),
        winner=side_from_wire(message.winner) if message.HasField("winner") else None,
        deals=message.deals,
        seats=tuple(map(_seat_result, message.seats)),
        seed=message.seed,
        nonces=tuple(message.nonces),
    )


def _seat_result(message: matches_pb2.SeatResult) -> SeatResult:
    return SeatResult(
        seat=seat_from_wire(message.seat),
        player=message.player,
        end=_SEAT_ENDS[message.end],
        fault=_FAULTS[message.fault],
        illegal_acts=message.illegal_acts,
        time_outs=message.time_outs,
        decisions=message.decisions,
        think_ms=message.think_ms,
        network_ms=message.network_ms,
        strikes=message.strikes,
        take_overs=message.take_overs,
    )


def refusal_from_wire(message: errors_pb2.Refusal) -> Refusal:
    """Why something was refused."""
    return Refusal(message.reason, message.rule, message.message, dict(message.facts))


def summary_from_wire(message: matches_pb2.MatchSummary) -> MatchSummary:
    """What a match is."""
    terms = message.terms
    return MatchSummary(
        match_id=message.match_id,
        state=_STATES[message.state],
        rules=rules_from_wire(terms.rules) if message.HasField("terms") else None,
        deals=terms.deals,
        asks_cut=terms.asks_cut,
        clocks=clocks_from_wire(terms.clocks),
        faults=faults_from_wire(terms.faults),
        players=tuple(message.players),
        commitment=message.commitment,
        totals=points_from_wire(message.totals),
        deals_played=message.deals_played,
        version=message.version,
        result=result_from_wire(message.result) if message.HasField("result") else None,
        board_id=message.board_id,
    )


def clocks_from_wire(terms: matches_pb2.ClockTerms) -> Clocks:
    """Time a seat has."""
    return Clocks(
        turn_ms=terms.turn_ms,
        bank_ms=terms.bank_ms,
        warmup_ms=terms.warmup_ms,
        disconnect_ms=terms.disconnect_ms,
        increment_ms=terms.increment_ms,
        network_ms=terms.network_ms,
        hand_limits=tuple((limit.cards, limit.turn_ms) for limit in terms.hand_limits),
        whole_turn=terms.whole_turn,
    )


def faults_from_wire(terms: matches_pb2.FaultTerms) -> Faults:
    """What a seat is allowed."""
    return Faults(
        illegal_retries=terms.illegal_retries,
        strikes=terms.strikes,
        forgives_illegal=terms.forgives_illegal,
        owner_return=OWNER_RETURNS[terms.owner_return],
        forfeit_after=terms.forfeit_after,
    )


def watched_from_wire(message: match_service_pb2.WatchMatchResponse, rules: Ruleset) -> Watched:
    """One message of a stream that watches a match."""
    has_view = message.HasField("view")
    public = views_pb2.SeatView(public=message.view)
    return Watched(
        view=view_from_wire(public, rules) if has_view else None,
        events=tuple(event_from_wire(event)[1] for event in message.events),
        result=result_from_wire(message.result) if message.HasField("result") else None,
    )
