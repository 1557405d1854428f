"""Messages of matches as the SDK's own values."""

from typing import Final

from burraco.engine import Ruleset
from burraco.sdk.bot import Refusal
from burraco.sdk.matches import Clocks, Faults, MatchState, MatchSummary, Watched
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
}
_SEAT_ENDS: Final[dict[int, SeatEnd]] = {
    matches_pb2.SEAT_END_CLEAN: SeatEnd.CLEAN,
    matches_pb2.SEAT_END_STRIKES: SeatEnd.STRIKES,
    matches_pb2.SEAT_END_ILLEGAL_ACTS: SeatEnd.ILLEGAL_ACTS,
    matches_pb2.SEAT_END_TIME_OUTS: SeatEnd.TIME_OUTS,
    matches_pb2.SEAT_END_DISCONNECTED: SeatEnd.DISCONNECTED,
    matches_pb2.SEAT_END_NO_SHOW: SeatEnd.NO_SHOW,
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
        rules=rules_from_wire(terms.rules),
        deals=terms.deals,
        asks_cut=terms.asks_cut,
        clocks=_clocks(terms.clocks),
        faults=Faults(terms.faults.illegal_retries, terms.faults.strikes),
        players=tuple(message.players),
        commitment=message.commitment,
        totals=points_from_wire(message.totals),
        deals_played=message.deals_played,
        version=message.version,
        result=result_from_wire(message.result) if message.HasField("result") else None,
        board_id=message.board_id,
    )


def _clocks(terms: matches_pb2.ClockTerms) -> Clocks:
    return Clocks(terms.turn_ms, terms.bank_ms, terms.warmup_ms, terms.disconnect_ms)


def watched_from_wire(message: match_service_pb2.WatchMatchResponse, rules: Ruleset) -> Watched:
    """One message of a stream that watches a match."""
    has_view = message.HasField("view")
    public = views_pb2.SeatView(public=message.view)
    return Watched(
        view=view_from_wire(public, rules) if has_view else None,
        events=tuple(event_from_wire(event)[1] for event in message.events),
        result=result_from_wire(message.result) if message.HasField("result") else None,
    )
