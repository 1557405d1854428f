"""Tournaments as messages, and messages of tournaments as the SDK's own values."""

import math
from collections.abc import Iterable
from typing import Final

from burraco.sdk.decoding import clocks_from_wire, faults_from_wire
from burraco.sdk.tournaments import (
    DuelDecision,
    DuelQuestion,
    Standings,
    Tournament,
    TournamentEntry,
    TournamentFormat,
    TournamentHalf,
    TournamentLogRow,
    TournamentPlace,
    TournamentPlan,
    TournamentRound,
    TournamentStage,
    TournamentStatus,
    TournamentTable,
    WatchedTournament,
)
from burraco.v1 import tournament_service_pb2 as service_pb2
from burraco.v1 import tournaments_pb2 as pb
from burraco.wire import rules_from_wire

_FORMATS: Final = {
    format: pb.TournamentFormat.Value(f"TOURNAMENT_FORMAT_{format.name}")
    for format in TournamentFormat
}
_FORMATS_BACK: Final = {value: format for format, value in _FORMATS.items()}
_STATUSES: Final = {
    pb.TournamentStatus.Value(f"TOURNAMENT_STATUS_{status.name}"): status
    for status in TournamentStatus
}


def plan_to_wire(plan: TournamentPlan) -> pb.TournamentPlan:
    """A plan; what is 0 the server chooses."""
    message = pb.TournamentPlan(
        name=plan.name,
        stages=[
            pb.TournamentStage(format=_FORMATS[stage.format], rounds=stage.rounds)
            for stage in plan.stages
        ],
        boards=plan.boards,
        halves=plan.halves,
        victory_points=plan.victory_points,
        bye_victory_points=plan.bye_victory_points,
        bye_difference=plan.bye_difference,
        adjusted=plan.adjusted,
        adjusted_allowed=plan.adjusted_allowed,
        tables_at_once=plan.tables_at_once,
    )
    if plan.question is not None:
        message.question.gain = plan.question.gain
        message.question.false_alarms = plan.question.false_alarms
        message.question.misses = plan.question.misses
    return message


def tournament_from_wire(message: pb.TournamentSummary) -> Tournament:
    """What a tournament is."""
    return Tournament(
        tournament_id=message.tournament_id,
        plan=_plan(message.plan),
        rules=rules_from_wire(message.rules) if message.HasField("rules") else None,
        clocks=clocks_from_wire(message.clocks),
        faults=faults_from_wire(message.faults),
        status=_STATUSES[message.status],
        version=message.version,
        entries=tuple(map(entry_from_wire, message.entries)),
        rounds_played=message.rounds_played,
        commitment=message.commitment,
        secret=message.secret,
        reason=message.reason,
        created_ms=message.created_ms,
    )


def entry_from_wire(message: pb.TournamentEntry) -> TournamentEntry:
    """An entry."""
    return TournamentEntry(
        number=message.number,
        name=message.name,
        owner=message.owner,
        bots=tuple(message.bots),
        is_anchor=message.is_anchor,
        has_left=message.has_left,
    )


def standings_from_wire(message: service_pb2.GetStandingsResponse) -> Standings:
    """Standings."""
    return Standings(
        places=_places(message.places),
        version=message.version,
        decision=DuelDecision(message.decision) if message.decision else None,
    )


def watched_from_wire(message: service_pb2.WatchTournamentResponse) -> WatchedTournament:
    """One message of a stream that watches a tournament."""
    return WatchedTournament(tournament_from_wire(message.tournament), _places(message.places))


def round_from_wire(message: pb.TournamentRound) -> TournamentRound:
    """Who meets whom."""
    return TournamentRound(
        number=message.number,
        stage=message.stage,
        tables=tuple(map(_table, message.tables)),
        byes=tuple(message.byes),
        is_over=message.is_over,
    )


def row_from_wire(message: service_pb2.ExportTournamentResponse) -> TournamentLogRow:
    """A row of a log."""
    return TournamentLogRow(message.version, message.kind, message.payload, message.chain)


def _plan(message: pb.TournamentPlan) -> TournamentPlan:
    asked = message.question
    return TournamentPlan(
        name=message.name,
        stages=tuple(
            TournamentStage(_FORMATS_BACK[stage.format], stage.rounds) for stage in message.stages
        ),
        boards=message.boards,
        halves=message.halves,
        victory_points=message.victory_points,
        bye_victory_points=message.bye_victory_points,
        bye_difference=message.bye_difference,
        adjusted=message.adjusted,
        adjusted_allowed=message.adjusted_allowed,
        question=DuelQuestion(asked.gain, asked.false_alarms, asked.misses)
        if message.HasField("question")
        else None,
        tables_at_once=message.tables_at_once,
    )


def _places(messages: Iterable[pb.TournamentPlace]) -> tuple[TournamentPlace, ...]:
    return tuple(map(_place, messages))


def _place(message: pb.TournamentPlace) -> TournamentPlace:
    interval = message.low, message.high
    is_known = message.deals > 0 and all(map(math.isfinite, interval))
    return TournamentPlace(
        rank=message.rank,
        tied=(message.tied_from, message.tied_to),
        entry=message.entry,
        victory_points=message.victory_points,
        difference=message.difference,
        points_per_deal=message.points_per_deal,
        interval=interval if is_known else None,
        deals=message.deals,
        wins=message.wins,
        byes=message.byes,
        faults=message.faults,
        has_left=message.has_left,
    )


def _table(message: pb.TournamentTable) -> TournamentTable:
    is_decided = message.HasField("first_gain")
    return TournamentTable(
        first=tuple(message.first),
        second=tuple(message.second),
        deck=message.deck,
        gains=(message.first_gain, message.second_gain) if is_decided else None,
        victory_points=(message.first_victory_points, message.second_victory_points),
        halves=tuple(map(_half, message.halves)),
    )


def _half(message: pb.TournamentHalf) -> TournamentHalf:
    return TournamentHalf(
        match_id=message.match_id,
        board=message.board,
        half=message.half,
        points=(message.first_points, message.second_points),
        at_fault=(message.first_at_fault, message.second_at_fault),
        attempt=message.attempt,
    )
