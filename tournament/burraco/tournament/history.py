"""An event round by round: what everybody scored, and what organisers decided on the way."""

from collections.abc import Iterable
from dataclasses import dataclass

from burraco.tournament.field import Side
from burraco.tournament.progress import Progress
from burraco.tournament.rows import (
    BoardVoided,
    Cancelled,
    Opened,
    Paused,
    Resumed,
    Row,
    TableAdjudicated,
    TableRequeued,
    Withdrawn,
)


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What one entry has of a round; a bye has no opponents, and gains what the plan says."""

    opponents: Side
    victory_points: int
    gain: int
    deals: int

    @property
    def is_bye(self) -> bool:
        """Whether the entry sat out."""
        return not self.opponents


@dataclass(frozen=True, slots=True)
class Ruling:
    """What somebody decided during a round, which counts from 1; ``table`` does too."""

    round: int
    table: int | None
    what: str
    reason: str
    by: str


def round_results(progress: Progress) -> list[dict[int, RoundResult]]:
    """For each round that is over what everybody in it scored."""
    bye = progress.plan.scoring
    is_worth = bye.uses_victory_points
    sat_out = RoundResult(
        opponents=(),
        victory_points=bye.bye_victory_points * is_worth,
        gain=bye.bye_difference * is_worth,
        deals=0,
    )
    rounds: list[dict[int, RoundResult]] = []
    for played in progress.played:
        results = dict.fromkeys(played.round.byes, sat_out)
        for table, score in zip(played.round.tables, played.scores, strict=True):
            for side, entries in enumerate(table.sides):
                victory_points, gain = score.victory_points[side], score.gains[side]
                result = RoundResult(table.sides[1 - side], victory_points, gain, score.deals)
                results |= dict.fromkeys(entries, result)
        rounds.append(results)
    return rounds


def rulings(rows: Iterable[Row]) -> list[Ruling]:
    """Everything that was decided by people or because the server failed, in order."""
    first, *others = rows
    assert isinstance(first, Opened), "a log begins with how its event was made"
    progress, found = Progress(first), list[Ruling]()
    for row in others:
        ruling = _ruling(progress, row)
        if ruling is not None:
            found.append(ruling)
        progress.apply(row)
    return found


def _ruling(progress: Progress, row: Row) -> Ruling | None:
    number = progress.number + 1
    match row:
        case Withdrawn():
            what = f"{progress.entries[row.entry].name} leaves"
            return Ruling(number, None, what, row.reason, row.by)
        case Paused():
            return Ruling(number, None, "paused", row.reason, row.by)
        case Resumed():
            return Ruling(number, None, "resumed", "", row.by)
        case BoardVoided():
            what = f"board {row.board + 1} counts for nobody and is played again"
            return Ruling(number, row.table + 1, what, row.reason, "the server")
        case TableRequeued():
            what = "all boards are played again"
            return Ruling(number, row.table + 1, what, row.reason, row.by)
        case TableAdjudicated():
            first, second = row.gains
            what = f"decided: {first:+} and {second:+}"
            return Ruling(number, row.table + 1, what, row.reason, row.by)
        case Cancelled():
            return Ruling(number, None, "the event is ended", row.reason, row.by)
        case _:
            return None
