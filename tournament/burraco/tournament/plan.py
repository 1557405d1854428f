"""What an event is played by, fixed when it is opened."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from burraco.engine.rules import Ruleset
from burraco.tournament.deciding import Asked
from burraco.tournament.field import Format, Stage
from burraco.tournament.ranking import Scoring
from burraco.tournament.victory_points import DEALS

MOST_ENTRIES: Final = 1000
MOST_BOARDS: Final = 1000
MOST_ROUNDS: Final = 1000
# Formats that end only when somebody or something ends them.
_ENDLESS: Final = frozenset({Format.LADDER, Format.DUEL})
_ROUNDS_NEEDED: Final = frozenset(
    {Format.DANISH, Format.MODIFIED_DANISH, Format.SWISS, Format.INDIVIDUAL}
)


class Unplayable(ValueError):
    """A plan that cannot be played; ``field`` names what of it, the text says why."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field


@dataclass(frozen=True, slots=True)
class Plan:
    """An event as its organiser made it.

    Each table of a round plays ``boards``, each of them ``halves`` times: 2 for board pairs, the
    sides swapped, 1 for every board once. A side at fault scores ``adjusted`` less than nothing for
    the deal, and forfeits the table once that happened on more than ``adjusted_allowed`` boards.
    ``question`` is what a duel is to decide.
    """

    name: str
    stages: tuple[Stage, ...]
    rules: Ruleset
    boards: int
    halves: int
    scoring: Scoring
    adjusted: int
    adjusted_allowed: int
    question: Asked | None

    @property
    def deals(self) -> int:
        """Deals of a table in a round."""
        return self.boards * self.halves


def require_playable(plan: Plan) -> None:
    """Raise ``Unplayable`` for the first thing in a plan that cannot be."""
    for field, why in _faults(plan):
        raise Unplayable(field, why)


def _faults(plan: Plan) -> Iterator[tuple[str, str]]:
    if not plan.stages:
        yield "stages", "an event has one at least"
    for stage in plan.stages:
        if not 0 <= stage.rounds <= MOST_ROUNDS:
            yield "stages.rounds", f"0 to {MOST_ROUNDS}"
        if stage.rounds == 0 and stage.format in _ROUNDS_NEEDED:
            yield "stages.rounds", f"a {stage.format.value} stage needs its number of rounds"
        if stage.rounds == 0 and stage.format in _ENDLESS and stage is not plan.stages[-1]:
            yield "stages.rounds", f"a {stage.format.value} stage without end is the last"
    if not 1 <= plan.boards <= MOST_BOARDS:
        yield "boards", f"1 to {MOST_BOARDS}"
    if plan.halves not in (1, 2):
        yield "halves", "1, or 2 for board pairs"
    if plan.scoring.uses_victory_points and plan.deals not in DEALS:
        yield "boards", f"victory points are for 2, 3 or 4 deals a round, not {plan.deals}"
    if not 0 <= plan.adjusted_allowed <= plan.boards:
        yield "adjusted_allowed", f"0 to {plan.boards}, the boards of a table"
    if plan.adjusted < 0:
        yield "adjusted", "0 or more match points"
    if plan.rules.players == 3:
        yield "rules.players", "three players are no two sides: 2 or 4"
    formats = {stage.format for stage in plan.stages}
    if Format.INDIVIDUAL in formats and (len(formats) > 1 or plan.rules.players != 4):
        yield "stages", "an individual event has no other stages, and four players at a table"
    if (Format.DUEL in formats) != (plan.question is not None):
        yield "question", "a duel asks one, no other format does"
    if plan.question is not None:
        yield from _faults_of(plan.question)


def _faults_of(question: Asked) -> Iterator[tuple[str, str]]:
    if not question.gain > 0:
        yield "question.gain", "above 0 points a deal"
    for name, chance in (("false_alarms", question.false_alarms), ("misses", question.misses)):
        if not 0.0001 <= chance <= 0.4:
            yield f"question.{name}", "a probability of 0.0001 to 0.4"
