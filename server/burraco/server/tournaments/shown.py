"""Tournaments as messages; nothing of cards to come is in any of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from burraco.server.term_requests import clocks_to_wire, faults_to_wire
from burraco.server.tournaments.logbook import Logbook
from burraco.server.tournaments.ranked import Standing, Standings
from burraco.tournament.field import Entry, Format, Round, Table, TableScore
from burraco.tournament.plan import Plan
from burraco.tournament.progress import Status
from burraco.tournament.rows import (
    BoardPlayed,
    Cancelled,
    Finished,
    Half,
    Paused,
    Resumed,
    Row,
    Started,
)
from burraco.v1 import tournaments_pb2 as pb
from burraco.wire import rules_to_wire

FORMATS: Final[Mapping[Format, pb.TournamentFormat.ValueType]] = {
    Format.ROUND_ROBIN: pb.TOURNAMENT_FORMAT_ROUND_ROBIN,
    Format.MITCHELL: pb.TOURNAMENT_FORMAT_MITCHELL,
    Format.DANISH: pb.TOURNAMENT_FORMAT_DANISH,
    Format.MODIFIED_DANISH: pb.TOURNAMENT_FORMAT_MODIFIED_DANISH,
    Format.SWISS: pb.TOURNAMENT_FORMAT_SWISS,
    Format.KNOCK_OUT: pb.TOURNAMENT_FORMAT_KNOCK_OUT,
    Format.GAUNTLET: pb.TOURNAMENT_FORMAT_GAUNTLET,
    Format.INDIVIDUAL: pb.TOURNAMENT_FORMAT_INDIVIDUAL,
    Format.LADDER: pb.TOURNAMENT_FORMAT_LADDER,
    Format.DUEL: pb.TOURNAMENT_FORMAT_DUEL,
}
_STATUSES: Final[Mapping[Status, pb.TournamentStatus.ValueType]] = {
    Status.OPEN: pb.TOURNAMENT_STATUS_OPEN,
    Status.RUNNING: pb.TOURNAMENT_STATUS_RUNNING,
    Status.PAUSED: pb.TOURNAMENT_STATUS_PAUSED,
    Status.FINISHED: pb.TOURNAMENT_STATUS_FINISHED,
    Status.CANCELLED: pb.TOURNAMENT_STATUS_CANCELLED,
}


def summary_to_wire(book: Logbook, *, with_entries: bool = True) -> pb.TournamentSummary:
    """What a tournament is."""
    progress = book.progress
    summary = pb.TournamentSummary(
        tournament_id=book.tournament_id,
        plan=_plan_to_wire(progress.plan, book.terms.tables_at_once),
        rules=rules_to_wire(progress.plan.rules),
        clocks=clocks_to_wire(book.terms.clocks),
        faults=faults_to_wire(book.terms.faults),
        status=_STATUSES[progress.status],
        version=progress.version,
        rounds_played=len(progress.played),
        commitment=bytes.fromhex(progress.opened.commitment),
        created_ms=book.created_ms,
    )
    if with_entries:
        summary.entries.extend(entry_to_wire(book, entry) for entry in progress.entries)
    if progress.status is Status.PAUSED:
        _add_reason(summary, [next(row for row in reversed(book.rows) if isinstance(row, Paused))])
    if progress.ending is not None:
        _add_reason(summary, [progress.ending])
    return summary


def summary_after(book: Logbook, rows: Sequence[Row]) -> tuple[Status, bytes]:
    """Status and encoded summary, without entries, that the next rows of a log lead to.

    Rounds that these rows end are not counted yet: nobody is shown it of one that goes on.
    """
    status = book.progress.status
    for row in rows:
        status = _status_after(row, status)
    summary = summary_to_wire(book, with_entries=False)
    summary.status = _STATUSES[status]
    summary.version += len(rows)
    _add_reason(summary, rows)
    return status, summary.SerializeToString()


def damaged_summary(summary: bytes, tournament_id: str) -> pb.TournamentSummary:
    """What can still be said of one whose log is damaged."""
    shown = pb.TournamentSummary.FromString(summary)
    shown.tournament_id = tournament_id
    shown.status = pb.TOURNAMENT_STATUS_DAMAGED
    return shown


def entry_to_wire(book: Logbook, entry: Entry) -> pb.TournamentEntry:
    """An entry."""
    return pb.TournamentEntry(
        number=entry.number,
        name=entry.name,
        owner=entry.owner,
        bots=entry.bots,
        is_anchor=entry.is_anchor,
        has_left=entry.number in book.progress.left,
    )


def places_to_wire(standings: Standings) -> list[pb.TournamentPlace]:
    """Standings."""
    return [_place_to_wire(row) for row in standings.rows]


def round_to_wire(book: Logbook, number: int) -> pb.TournamentRound | None:
    """A round by its number from 1, 0 for the last that there is; None where there is none."""
    progress = book.progress
    rounds = len(progress.played) + (progress.current is not None)
    number = number or rounds
    if not 0 < number <= rounds:
        return None
    if number <= len(progress.played):
        played = progress.played[number - 1]
        boards = progress.boards[number - 1]
        return _round(number, played.stage, played.round, played.scores, boards, is_over=True)
    current = progress.current
    assert current is not None, "it is the round that is played"
    scores = [state.score for state in current.tables]
    shown = [
        tuple(state.played.values()) if state.score is None else state.counted
        for state in current.tables
    ]
    return _round(number, current.stage, current.round, scores, shown, is_over=False)


def _plan_to_wire(plan: Plan, tables_at_once: int) -> pb.TournamentPlan:
    shown = pb.TournamentPlan(
        name=plan.name,
        stages=[
            pb.TournamentStage(format=FORMATS[stage.format], rounds=stage.rounds)
            for stage in plan.stages
        ],
        boards=plan.boards,
        halves=plan.halves,
        victory_points=plan.scoring.uses_victory_points,
        bye_victory_points=plan.scoring.bye_victory_points,
        bye_difference=plan.scoring.bye_difference,
        adjusted=plan.adjusted,
        adjusted_allowed=plan.adjusted_allowed,
        tables_at_once=tables_at_once,
    )
    if plan.question is not None:
        shown.question.gain = plan.question.gain
        shown.question.false_alarms = plan.question.false_alarms
        shown.question.misses = plan.question.misses
    return shown


def _status_after(row: Row, before: Status) -> Status:
    match row:
        case Started() | Resumed():
            return Status.RUNNING
        case Paused():
            return Status.PAUSED
        case Finished():
            return Status.FINISHED
        case Cancelled():
            return Status.CANCELLED
        case _:
            return before


def _add_reason(summary: pb.TournamentSummary, rows: Iterable[Row]) -> None:
    for row in rows:
        if isinstance(row, Started | Resumed):
            summary.reason = ""
        elif isinstance(row, Paused):
            summary.reason = row.reason
        elif isinstance(row, Finished | Cancelled):
            summary.reason, summary.secret = row.reason, bytes.fromhex(row.secret)


def _place_to_wire(row: Standing) -> pb.TournamentPlace:
    place, (low, high) = row.place, row.interval or (0.0, 0.0)
    return pb.TournamentPlace(
        rank=place.rank,
        tied_from=row.tied_from,
        tied_to=row.tied_to,
        entry=place.entry,
        victory_points=place.victory_points,
        difference=place.difference,
        points_per_deal=row.points_per_deal,
        low=low,
        high=high,
        deals=place.deals,
        wins=place.wins,
        byes=place.byes,
        faults=row.faults,
        has_left=place.has_left,
    )


def _round(
    number: int,
    stage: int,
    round_: Round,
    scores: Sequence[TableScore | None],
    boards: Sequence[Sequence[BoardPlayed]],
    *,
    is_over: bool,
) -> pb.TournamentRound:
    tables = zip(round_.tables, scores, boards, strict=True)
    return pb.TournamentRound(
        number=number,
        stage=stage + 1,
        tables=[_table(*table) for table in tables],
        byes=round_.byes,
        is_over=is_over,
    )


def _table(
    table: Table, score: TableScore | None, boards: Sequence[BoardPlayed]
) -> pb.TournamentTable:
    shown = pb.TournamentTable(first=table.sides[0], second=table.sides[1], deck=table.deck)
    if score is not None:
        shown.first_gain, shown.second_gain = score.gains
        shown.first_victory_points, shown.second_victory_points = score.victory_points
    for board in sorted(boards, key=lambda board: board.board):
        shown.halves.extend(_half(board, number, half) for number, half in enumerate(board.halves))
    return shown


def _half(board: BoardPlayed, number: int, half: Half) -> pb.TournamentHalf:
    return pb.TournamentHalf(
        match_id=half.match_id,
        board=board.board,
        half=number,
        first_points=half.points[0],
        second_points=half.points[1],
        first_at_fault=half.at_fault[0],
        second_at_fault=half.at_fault[1],
        attempt=board.attempt,
    )
