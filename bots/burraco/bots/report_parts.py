"""The parts of a report as rows of text, ready to be put on a page."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from burraco.bots.report_event import ReportedEvent
from burraco.bots.report_notation import path_of
from burraco.bots.report_words import FORMATS, between, signed
from burraco.engine.state import End, EndedBy
from burraco.tournament.accounts import PlayedHalf, PlayedTable, faults, played_tables
from burraco.tournament.history import RoundResult
from burraco.tournament.payoffs import Payoff

# How many shades a cell of the payoff matrix may have on either side of nothing.
_SHADES: Final = 6
# What lies beyond this share of all has the deepest shade, so that one does not pale the rest.
_DEEPEST: Final = 0.9
OWN: Final = "closed by the own side"
OTHERS: Final = "closed by the other side"
STOCK: Final = "stock ran out"
STALEMATE: Final = "stalemate"
ADJUDICATED: Final = "adjudicated"
UNKNOWN: Final = "not known"
ENDS: Final = (OWN, OTHERS, STOCK, STALEMATE, ADJUDICATED, UNKNOWN)
_ENDS: Final[Mapping[EndedBy, str]] = {
    EndedBy.STOCK: STOCK,
    EndedBy.STALEMATE: STALEMATE,
    EndedBy.ADJUDICATED: ADJUDICATED,
}
_HALF_NAMES: Final = "ab"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the payoff matrix; ``shade`` names its colour."""

    text: str
    words: str
    shade: str
    is_certain: bool


def payoff_rows(
    order: Sequence[int], names: Sequence[str], payoffs: Mapping[tuple[int, int], Payoff]
) -> list[tuple[str, list[Cell | None]]]:
    """For each entry of the order a cell against each; None against itself and those not met."""
    sizes = sorted(abs(payoff.points) for payoff in payoffs.values())
    deepest = sizes[int(_DEEPEST * (len(sizes) - 1))] if sizes else 0.0

    def cell(one: int, other: int) -> Cell | None:
        payoff = payoffs.get((one, other))
        if payoff is None:
            return None
        low, high = payoff.interval
        told = f"{signed(payoff.points)} a deal, {between(payoff.interval)}, {payoff.deals} deals"
        return Cell(
            text=signed(payoff.points, 0),
            words=f"{names[one]} against {names[other]}: {told}",
            shade=_shade(payoff.points, deepest),
            is_certain=low > 0 or high < 0,
        )

    return [(names[one], [cell(one, other) for other in order]) for one in order]


def _shade(points: float, deepest: float) -> str:
    if not points:
        return "even"
    depth = min(_SHADES - 1, int(_SHADES * abs(points) / deepest)) if deepest else 0
    return f"{'more' if points > 0 else 'less'}{depth}"


def round_cells(
    order: Sequence[int], rounds: Sequence[Mapping[int, RoundResult]]
) -> list[tuple[int, list[str]]]:
    """For each entry its victory points round by round; a dash where it was not in."""
    return [(entry, [_victory(results.get(entry)) for results in rounds]) for entry in order]


def _victory(result: RoundResult | None) -> str:
    if result is None:
        return "–"
    return f"{result.victory_points}" + (" bye" if result.is_bye else "")


def deal_ends(event: ReportedEvent) -> list[Counter[str]]:
    """For each entry how its deals ended; without its notation that is not known of a deal."""
    counts: list[Counter[str]] = [Counter() for _ in event.progress.entries]
    for half in event.halves:
        for entry, end in _ends(event, half):
            counts[entry][end] += 1
    return counts


def _ends(event: ReportedEvent, half: PlayedHalf) -> Iterator[tuple[int, str]]:
    deals = event.notation.get(half.result.match_id, ())
    for side, entries in enumerate(half.at.table.sides):
        for entry in entries:
            if not deals:
                yield entry, UNKNOWN
            for deal in deals:
                yield entry, _end(deal.end, (side + half.half) % 2)


def _end(end: End | None, side: int) -> str:
    if end is None:
        return UNKNOWN
    if end.closer is None:
        return _ENDS[end.by]
    return OWN if end.closer % 2 == side else OTHERS


def fault_rows(event: ReportedEvent) -> list[tuple[str, int, str]]:
    """Name, deals and reasons of every entry that was at fault."""
    names = [entry.name for entry in event.progress.entries]
    return [
        (
            name,
            reasons.total(),
            ", ".join(f"{reason.replace('_', ' ')} {count}" for reason, count in _most(reasons)),
        )
        for name, reasons in zip(names, faults(event.progress), strict=True)
        if reasons
    ]


def _most(reasons: Counter[str]) -> list[tuple[str, int]]:
    return sorted(reasons.items(), key=lambda counted: (-counted[1], counted[0]))


@dataclass(frozen=True, slots=True)
class Pace:
    """How long an entry thought; ``matches`` are milliseconds a decision, one figure a match."""

    decisions: int
    think_ms: int
    matches: tuple[float, ...]

    @property
    def mean_ms(self) -> float:
        """Milliseconds a decision, over all of them."""
        return self.think_ms / self.decisions


def paces(event: ReportedEvent) -> dict[int, Pace]:
    """Of every entry whose times are known, its pace."""
    found: dict[int, list[tuple[int, int]]] = {}
    for half in event.halves:
        for seat, time in enumerate(event.times.get(half.result.match_id, ())):
            if time.decisions:
                entry = half.at.entry_at(seat, half.half)
                found.setdefault(entry, []).append((time.decisions, time.think_ms))
    return {
        entry: Pace(
            decisions=sum(decisions for decisions, _ in seats),
            think_ms=sum(think_ms for _, think_ms in seats),
            matches=tuple(think_ms / decisions for decisions, think_ms in seats),
        )
        for entry, seats in sorted(found.items())
    }


@dataclass(frozen=True, slots=True)
class Link:
    """A match: its name in the row, the points of its sides, and its notation if that is there."""

    name: str
    points: str
    path: str | None


@dataclass(frozen=True, slots=True)
class Pairing:
    """A table as it is listed."""

    number: int
    first: str
    second: str
    gains: str
    victory_points: str
    note: str
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class ListedRound:
    """A round as it is listed."""

    number: int
    format: str
    pairings: tuple[Pairing, ...]
    byes: tuple[str, ...]


def listed_rounds(event: ReportedEvent) -> list[ListedRound]:
    """Every round that is over, with its tables and their matches."""
    progress = event.progress
    tables = {
        number: list(found)
        for number, found in groupby(played_tables(progress), key=lambda table: table.round)
    }
    return [
        ListedRound(
            number=number + 1,
            format=FORMATS[progress.plan.stages[played.stage].format],
            pairings=tuple(_pairing(event, table) for table in tables.get(number, [])),
            byes=tuple(progress.entries[entry].name for entry in played.round.byes),
        )
        for number, played in enumerate(progress.played)
    ]


def _pairing(event: ReportedEvent, table: PlayedTable) -> Pairing:
    first, second = map(event.side_name, table.table.sides)
    victory_points = "–".join(map(str, table.score.victory_points))
    return Pairing(
        number=table.number + 1,
        first=first,
        second=second,
        gains=" / ".join(signed(gain, 0) for gain in table.score.gains),
        victory_points=victory_points,
        note="" if table.by_boards else "forfeited or decided",
        links=tuple(_links(event, table)),
    )


def _links(event: ReportedEvent, table: PlayedTable) -> Iterator[Link]:
    for board in table.boards:
        for number, half in enumerate(board.halves):
            first, second = half.points
            faulty = " at fault" if any(half.at_fault) else ""
            is_there = half.match_id in event.notation
            yield Link(
                name=f"{board.board + 1}{_HALF_NAMES[number]}",
                points=f"{first} : {second}{faulty}",
                path=path_of(half.match_id) if is_there else None,
            )
