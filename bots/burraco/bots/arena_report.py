"""The last words of an arena: the standings as a table, and how the bots used their time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rich.console import Console
from rich.table import Table

from burraco.bots.arena_notes import Part
from burraco.bots.standings import Standing, places

_PLAIN_WIDTH: Final = 140
_COLUMNS: Final[Sequence[tuple[str, Literal["left", "right"]]]] = (
    ("place", "left"),
    ("bot", "left"),
    ("points/deal", "right"),
    ("95 % interval", "right"),
    ("deals", "right"),
    ("wins", "right"),
    ("clean", "right"),
    ("ms/decision", "right"),
)


@dataclass(frozen=True, slots=True)
class Pace:
    """Decisions that a bot answered, and milliseconds it had them by the server's clock."""

    decisions: int
    think_ms: int

    @property
    def mean_ms(self) -> float | None:
        """Mean time of a decision, None when there was none."""
        return round(self.think_ms / self.decisions, 2) if self.decisions else None


def paces(names: Sequence[str], parts: Sequence[Sequence[Part]]) -> dict[str, Pace]:
    """Time of every bot by its name, from its parts of all deals."""
    seats = [[seat for part in own for seat in part.seats] for own in parts]
    return {
        name: Pace(sum(seat.decisions for seat in own), sum(seat.think_ms for seat in own))
        for name, own in zip(names, seats, strict=True)
    }


def open_console() -> Console:
    """A console that does not squeeze tables when nobody's terminal limits it."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_PLAIN_WIDTH)


def print_standings(
    console: Console, title: str, rows: Sequence[Standing], times: Mapping[str, Pace]
) -> None:
    """Print one row a bot, the best first; never cut, however narrow the terminal is."""
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for header, justify in _COLUMNS:
        table.add_column(header, justify=justify, no_wrap=True)
    for place, row in zip(places(rows), rows, strict=True):
        table.add_row(*_cells(place, row, times[row.name]))
    # A terminal breaks a line that is too long; a table made to fit would lose figures.
    console.width = max(console.width, _PLAIN_WIDTH)
    console.print(table, crop=False, soft_wrap=True)


def _cells(place: str, row: Standing, pace: Pace) -> tuple[str, ...]:
    took = pace.mean_ms
    return (
        place,
        row.name,
        f"{row.points_per_deal:+.1f}" if row.deals else "-",
        "-" if row.ci95 is None else f"{row.ci95[0]:+.1f} to {row.ci95[1]:+.1f}",
        str(row.deals),
        str(row.wins),
        f"{row.clean_rate:.0%}",
        "-" if took is None else f"{took:.1f}",
    )
