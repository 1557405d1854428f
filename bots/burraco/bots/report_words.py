"""What an event is played by, in words."""

from collections.abc import Iterator, Mapping
from typing import Final

from burraco.engine.bgn_tags import write_rules
from burraco.tournament.field import Format, Stage
from burraco.tournament.figures import rounded_interval
from burraco.tournament.intervals import Interval
from burraco.tournament.plan import Plan
from burraco.tournament.progress import Progress, Status

FORMATS: Final[Mapping[Format, str]] = {
    Format.ROUND_ROBIN: "round robin",
    Format.MITCHELL: "Mitchell",
    Format.DANISH: "Danish",
    Format.MODIFIED_DANISH: "modified Danish",
    Format.SWISS: "Swiss",
    Format.KNOCK_OUT: "knock-out",
    Format.GAUNTLET: "gauntlet",
    Format.INDIVIDUAL: "individual, with changing partners",
    Format.LADDER: "ladder",
    Format.DUEL: "duel",
}


def counted(count: int, noun: str) -> str:
    """So many of something: ``1 board``, ``3 boards``."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def signed(figure: float, digits: int = 1) -> str:
    """A figure with its sign; a nothing has none."""
    text = f"{figure:+.{digits}f}"
    return text[1:] if not float(text) else text.replace("-", "−")


def between(interval: Interval, digits: int = 1) -> str:
    """An interval in words, a dash for one that is not known."""
    ends = rounded_interval(interval)
    return "–" if ends is None else " to ".join(signed(end, digits) for end in ends)


def plan_in_words(plan: Plan) -> list[str]:
    """What is played, a sentence each."""
    return list(_sentences(plan))


def state_in_words(progress: Progress) -> str:
    """Whether the event is over, and what the standings rest on when it is not."""
    rounds = counted(len(progress.played), "round")
    reason = progress.ending.reason if progress.ending is not None else ""
    if progress.status is Status.FINISHED:
        told = f" ({reason})" if reason not in ("", "played") else ""
        return f"Played to its end, {rounds}{told}."
    if progress.status is Status.CANCELLED:
        return f"Ended before its time ({reason}): everything here rests on {rounds}."
    return f"Not over ({progress.status.value}): everything here rests on {rounds}."


def _sentences(plan: Plan) -> Iterator[str]:
    stages = ", then ".join(map(_stage, plan.stages))
    yield f"{stages[0].upper()}{stages[1:]}."
    twice = ", each twice with the sides swapped" if plan.halves == 2 else ", each once"
    yield f"A table plays {counted(plan.boards, 'board')} a round{twice}."
    scoring = plan.scoring
    if scoring.uses_victory_points:
        bye = f"{scoring.bye_victory_points} and {scoring.bye_difference} match points"
        yield f"A round counts victory points; a bye is worth {bye}."
    else:
        yield "What counts is points a deal: own points less those of the other side."
    yield (
        f"A side at fault scores −{plan.adjusted} for the deal, and forfeits the table after more"
        f" than {counted(plan.adjusted_allowed, 'such board')}."
    )
    if plan.question is not None:
        asked = plan.question
        yield (
            f"It is to decide whether one is better by {asked.gain:g} points a deal"
            f" (false alarms {asked.false_alarms:g}, misses {asked.misses:g})."
        )
    yield f"Rules: {write_rules(plan.rules)}."


def _stage(stage: Stage) -> str:
    rounds = f", {counted(stage.rounds, 'round')}" if stage.rounds else ""
    return FORMATS[stage.format] + rounds
