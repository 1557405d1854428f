"""Tournaments in words: standings, rounds and lists as tables of plain text."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from burraco.sdk.tournaments import (
    Tournament,
    TournamentPlace,
    TournamentRound,
    TournamentTable,
)

_NONE: Final = "-"
# A name, what is played and so on stand left, figures right.
_LEFT: Final = frozenset({"place", "entry", "table", "first", "second", "boards", "note"})


def headline(tournament: Tournament) -> str:
    """What a tournament is, in a line."""
    plan = tournament.plan
    parts = [
        f"{tournament.tournament_id} {tournament.status.value}",
        f"version {tournament.version}",
        f"{len(tournament.entries)} entries" if tournament.entries else "",
        f"{tournament.rounds_played} round{'s' * (tournament.rounds_played != 1)} over",
        plan.name,
    ]
    told = ", ".join(part for part in parts if part)
    return f"{told} ({tournament.reason})" if tournament.reason else told


def listed(tournament: Tournament) -> str:
    """A tournament as a line of a list, its name last."""
    stages = ",".join(f"{stage.format}:{stage.rounds}" for stage in tournament.plan.stages)
    return (
        f"{tournament.tournament_id} {tournament.status.value} {stages}"
        f" {tournament.rounds_played} {tournament.plan.name}"
    )


def standings_lines(tournament: Tournament, places: Sequence[TournamentPlace]) -> Iterator[str]:
    """The standings, a line each, below what their columns are."""
    names = {entry.number: entry.name for entry in tournament.entries}
    return _table([_standing(place, names, tournament) for place in places])


def round_lines(tournament: Tournament, shown: TournamentRound) -> Iterator[str]:
    """A round: its tables, and who sits out."""
    names = {entry.number: entry.name for entry in tournament.entries}
    state = "over" if shown.is_over else "being played"
    format = tournament.plan.stages[shown.stage - 1].format
    yield f"round {shown.number}, stage {shown.stage} ({format}), {state}"
    rows = [
        _pairing(number, table, names, tournament)
        for number, table in enumerate(shown.tables, start=1)
    ]
    yield from _table(rows)
    if shown.byes:
        yield f"bye: {', '.join(names[entry] for entry in shown.byes)}"


def place_text(place: TournamentPlace) -> str:
    """A place, or the places that it is tied for, as in 2-5."""
    first, last = place.tied
    return str(first) if first == last else f"{first}-{last}"


def interval_text(interval: tuple[float, float] | None) -> str:
    """An interval in words."""
    return _NONE if interval is None else f"{interval[0]:+.1f} to {interval[1]:+.1f}"


def _standing(
    place: TournamentPlace, names: Mapping[int, str], tournament: Tournament
) -> dict[str, str]:
    counted = {"VP": str(place.victory_points)} if tournament.plan.victory_points else {}
    return {
        "place": place_text(place),
        "entry": names[place.entry],
        **counted,
        "difference": f"{place.difference:+d}",
        "points/deal": f"{place.points_per_deal:+.1f}" if place.deals else _NONE,
        "95 % interval": interval_text(place.interval),
        "deals": str(place.deals),
        "won": str(place.wins),
        "byes": str(place.byes),
        "faults": str(place.faults),
        "note": "left" if place.has_left else "",
    }


def _pairing(
    number: int, table: TournamentTable, names: Mapping[int, str], tournament: Tournament
) -> dict[str, str]:
    plan, (first, second) = tournament.plan, table.victory_points
    points = f"{first}-{second}" if table.gains is not None else _NONE
    gains = _NONE if table.gains is None else f"{table.gains[0]:+d} {table.gains[1]:+d}"
    boards = len({half.board for half in table.halves})
    return {
        "table": str(number),
        "first": " + ".join(names[entry] for entry in table.first),
        "second": " + ".join(names[entry] for entry in table.second),
        "boards": f"{boards}/{plan.boards}",
        "gains": gains,
        **({"VP": points} if plan.victory_points else {}),
    }


def _table(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Rows with the same keys below these, in columns."""
    if not rows:
        return
    lines = [dict(zip(rows[0], rows[0], strict=True)), *rows]
    widths = {key: max(len(line[key]) for line in lines) for key in rows[0]}
    for line in lines:
        cells = (
            line[key].ljust(width) if key in _LEFT else line[key].rjust(width)
            for key, width in widths.items()
        )
        yield "  ".join(cells).rstrip()
