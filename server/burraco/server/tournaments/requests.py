"""Tournaments as organisers ask for them: what cannot be played is refused by its field."""

from collections.abc import Mapping
from typing import Final

from burraco.engine.rules import Ruleset
from burraco.server.errors import invalid
from burraco.server.requests import read_rules
from burraco.server.term_requests import read_terms
from burraco.server.tournaments.shown import FORMATS
from burraco.server.tournaments.terms import Terms
from burraco.tournament.deciding import Asked
from burraco.tournament.field import Format, Stage
from burraco.tournament.plan import Plan, Unplayable, require_playable
from burraco.tournament.ranking import Scoring
from burraco.v1 import tournament_service_pb2, tournaments_pb2

_FORMATS_BACK: Final[Mapping[int, Format]] = {value: format for format, value in FORMATS.items()}
_HALVES: Final = 2
_BOARDS: Final = 2
_DEALS: Final = 2
_BYE_VICTORY_POINTS: Final = 14
_BYE_DIFFERENCE: Final = 355
_ADJUSTED: Final = 500
_TABLES: Final = 8


def read_tournament(
    request: tournament_service_pb2.CreateTournamentRequest,
) -> tuple[Plan, Terms]:
    """Plan and terms of a request, checked."""
    plan = _read_plan(request.plan, read_rules(request.rules))
    try:
        require_playable(plan)
    except Unplayable as unplayable:
        problem = str(unplayable).removeprefix(f"{unplayable.field}: ")
        raise invalid(f"plan.{unplayable.field}", problem) from unplayable
    clocks, faults = read_terms(request)
    return plan, Terms(clocks, faults, request.plan.tables_at_once or _TABLES)


def _read_plan(message: tournaments_pb2.TournamentPlan, rules: Ruleset) -> Plan:
    halves = message.halves or _HALVES
    usual = _DEALS // halves if message.victory_points and halves <= _DEALS else _BOARDS
    return Plan(
        name=message.name,
        stages=tuple(Stage(_FORMATS_BACK[stage.format], stage.rounds) for stage in message.stages),
        rules=rules,
        boards=message.boards or usual,
        halves=halves,
        scoring=Scoring(
            uses_victory_points=message.victory_points,
            bye_victory_points=message.bye_victory_points or _BYE_VICTORY_POINTS,
            bye_difference=message.bye_difference or _BYE_DIFFERENCE,
        ),
        adjusted=message.adjusted or _ADJUSTED,
        adjusted_allowed=message.adjusted_allowed,
        question=_read_question(message),
    )


def _read_question(message: tournaments_pb2.TournamentPlan) -> Asked | None:
    if not message.HasField("question"):
        return None
    asked = message.question
    return Asked(asked.gain, asked.false_alarms, asked.misses)
