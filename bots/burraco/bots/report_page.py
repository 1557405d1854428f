"""A report as one page of HTML that needs nothing beside it but the notation it links to."""

import hashlib
import shlex
from collections.abc import Sequence
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from burraco.bots.report_charts import Chart, Datum, Line, Whisker, boxes, lines, shares, whiskers
from burraco.bots.report_event import ReportedEvent
from burraco.bots.report_parts import (
    ENDS,
    deal_ends,
    fault_rows,
    listed_rounds,
    paces,
    payoff_rows,
    round_cells,
)
from burraco.bots.report_words import between, counted, plan_in_words, signed, state_in_words
from burraco.tournament.deciding import Decision
from burraco.tournament.duels import duel_decision
from burraco.tournament.exported import LOG_NAME, write_log
from burraco.tournament.field import Format
from burraco.tournament.figures import rounded, rounded_interval
from burraco.tournament.history import round_results, rulings
from burraco.tournament.intervals import Interval
from burraco.tournament.ladder_ratings import LadderRating
from burraco.tournament.placing import FEWEST_UNITS, Standing, placed
from burraco.tournament.strengths import Strengths, strengths

# Beyond it the columns of the payoff matrix are numbered: names would not fit.
_NAMED_COLUMNS: Final = 8
# Beyond it a round of the list is shown when it is asked for.
_OPEN_TABLES: Final = 60
_EVEN: Final = 10
# What takes less has no place on a logarithmic scale.
_LEAST_MS: Final = 0.1
_TEMPLATE: Final = "report_page.html.jinja"


def page(event: ReportedEvent, anchor: str | None) -> str:
    """The whole page; raises ``UnknownAnchor``."""
    found = strengths(event.progress, anchor)
    rows = placed(event.progress, event.log.lots)
    names = [entry.name for entry in event.progress.entries]
    return _template().render(
        event=event,
        names=names,
        rows=rows,
        found=found,
        **_opening(event, names),
        **_sections(event, found, rows, names),
        has_notation=bool(event.notation),
        fewest=FEWEST_UNITS,
        log_name=LOG_NAME,
        anchor_word=shlex.quote(names[found.anchor]) if names else "NAME",
        digest=hashlib.sha256(write_log(event.log.rows).encode()).hexdigest(),
    )


def _opening(event: ReportedEvent, names: Sequence[str]) -> dict[str, object]:
    """What the page says before its first table."""
    plan = event.progress.plan
    return {
        "plan": plan,
        "sentences": plan_in_words(plan),
        "state": state_in_words(event.progress),
        "decision": _decision(event, names),
        "field": "1 entry" if len(names) == 1 else f"{len(names)} entries",
        "uses_victory_points": plan.scoring.uses_victory_points,
        "is_individual": _has(event, Format.INDIVIDUAL),
    }


def _sections(
    event: ReportedEvent, found: Strengths, rows: Sequence[Standing], names: Sequence[str]
) -> dict[str, object]:
    """The parts of the page beside the standings, in their order."""
    order = [row.place.entry for row in rows]
    rounds = listed_rounds(event)
    return {
        "ratings": _ratings(event, found),
        "ladder": _ladder(event, found),
        "payoffs": payoff_rows(order, names, found.payoffs),
        "named_columns": len(names) <= _NAMED_COLUMNS,
        "history": _history(event, rows),
        "round_cells": round_cells(order, round_results(event.progress)),
        "ends": _ends(event, order),
        "times": _times(event, order),
        "faults": fault_rows(event),
        "rulings": rulings(event.log.rows),
        "rounds": rounds,
        "is_open": sum(len(round_.pairings) for round_ in rounds) <= _OPEN_TABLES,
    }


def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("burraco.bots", package_path=""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "signed": signed,
        "between": between,
        "counted": counted,
        "plain": _plain,
        "figure": _figure,
    }
    return environment.get_template(_TEMPLATE)


def _decision(event: ReportedEvent, names: Sequence[str]) -> str:
    """What a duel came to, in words; nothing where there was none."""
    decision = duel_decision(event.progress)
    if decision is None or len(names) < 2:
        return ""
    one, other = names[:2]
    words = {
        Decision.BETTER: f"{one} is better than {other}.",
        Decision.WORSE: f"{one} is worse than {other}.",
        Decision.EQUAL: f"Neither of {one} and {other} is better by as much as was asked.",
        Decision.UNDECIDED: f"It is undecided which of {one} and {other} is better.",
    }
    return words[decision]


def _plain(interval: Interval) -> str:
    """An interval of what is never below nothing."""
    ends = rounded_interval(interval)
    return "–" if ends is None else f"{ends[0]:.1f} to {ends[1]:.1f}"


def _figure(figure: float) -> str:
    """A figure that has no sign when it is above nothing."""
    return signed(figure).removeprefix("+")


def _has(event: ReportedEvent, format_: Format) -> bool:
    return any(stage.format is format_ for stage in event.progress.plan.stages)


def _ladder(event: ReportedEvent, found: Strengths) -> list[tuple[str, LadderRating]]:
    """The ladder where one was played, the best first."""
    if not _has(event, Format.LADDER):
        return []
    return sorted(found.by_bot.items(), key=lambda named: (-named[1].at_least, named[0]))


def _ratings(event: ReportedEvent, found: Strengths) -> Chart | None:
    names = [entry.name for entry in event.progress.entries]
    rows: list[Whisker] = []
    for rating in found.ratings:
        ends = rounded_interval(rating.interval)
        interval = None if ends is None else (ends[0], ends[1])
        rows.append(Whisker(names[rating.entry], rounded(rating.points), interval))
    if len(rows) < 2:
        return None
    return whiskers(f"points a deal above {names[found.anchor]}", rows)


def _history(event: ReportedEvent, rows: Sequence[Standing]) -> Chart | None:
    """What everybody had after each round; None where there was one round or none."""
    rounds = round_results(event.progress)
    if len(rounds) < 2:
        return None
    is_worth = event.progress.plan.scoring.uses_victory_points
    drawn: list[Line] = []
    for row in rows:
        entry, total = row.place.entry, 0
        points: list[tuple[int, float]] = []
        for number, results in enumerate(rounds, start=1):
            result = results.get(entry)
            if result is not None:
                total += result.victory_points - _EVEN if is_worth else result.gain
                points.append((number, total))
        drawn.append(Line(event.progress.entries[entry].name, points))
    title = f"victory points above {_EVEN} a round" if is_worth else "match points gained"
    return lines(title, drawn)


def _ends(
    event: ReportedEvent, order: Sequence[int]
) -> tuple[Chart | None, list[str], list[tuple[str, list[int]]]]:
    """How deals ended: a chart, the kinds there are, and for each entry a count of each."""
    counts, names = deal_ends(event), [entry.name for entry in event.progress.entries]
    kinds = [kind for kind in ENDS if any(count[kind] for count in counts)]
    table = [(names[entry], [counts[entry][kind] for kind in kinds]) for entry in order]
    if not event.notation:
        return None, kinds, table
    bars: list[Datum] = [
        {"name": name, "kind": kind, "count": count}
        for name, row in table
        for kind, count in zip(kinds, row, strict=True)
        if count
    ]
    return shares("share of deals", [name for name, _ in table], kinds, bars), kinds, table


def _times(
    event: ReportedEvent, order: Sequence[int]
) -> tuple[Chart | None, list[tuple[str, int, float, float]]]:
    """Think times: a chart, and for each entry decisions, mean and longest mean of a match."""
    found, names = paces(event), [entry.name for entry in event.progress.entries]
    known = [entry for entry in order if entry in found]
    if not known:
        return None, []
    figures: list[Datum] = [
        {"name": names[entry], "ms": max(_LEAST_MS, rounded(ms))}
        for entry in known
        for ms in found[entry].matches
    ]
    chart = boxes(
        "milliseconds a decision, a figure each match", [names[at] for at in known], figures
    )
    return chart, [
        (names[at], found[at].decisions, found[at].mean_ms, max(found[at].matches)) for at in known
    ]
