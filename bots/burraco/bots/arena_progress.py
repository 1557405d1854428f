"""What an arena shows while it plays: a live table on a terminal, plain lines elsewhere."""

import time
from collections.abc import Iterator
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from burraco.bots.arena_ledger import Ledger
from burraco.bots.arena_schedule import HALVES, Half
from burraco.bots.standings import mean_points

_PLAIN_LINES: Final = 20
_MOST_PAIRINGS_SHOWN: Final = 15
_BAR_WIDTH: Final = 30
_SECONDS_BETWEEN: Final = 0.25


class Progress:
    """Follows a ledger; call ``show`` after every table."""

    def __init__(self, console: Console, ledger: Ledger) -> None:
        self._console = console
        self._ledger = ledger
        self._began = time.monotonic()
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._every = max(1, len(ledger.halves) // _PLAIN_LINES)
        self._next_line = self._every
        self._next_look = 0.0

    def __enter__(self) -> "Progress":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    @property
    def seconds(self) -> float:
        """How long it has been going on."""
        return time.monotonic() - self._began

    @property
    def boards_per_minute(self) -> float:
        """Board pairs a minute, only those that were really played."""
        return 60 * len(self._ledger.results) / HALVES / max(self.seconds, 1e-9)

    def show(self) -> None:
        """Show how things stand."""
        if self._console.is_terminal and self.seconds >= self._next_look:
            self._next_look = self.seconds + _SECONDS_BETWEEN
            self._live.update(self._panel(), refresh=True)
        if not self._console.is_terminal and self._ledger.done >= self._next_line:
            self._next_line = self._ledger.done + self._every
            self._console.print(self._line(), highlight=False, soft_wrap=True)

    def _line(self) -> str:
        return f"{self._headline()}: {', '.join(_so_far(self._ledger))}"

    def _headline(self) -> str:
        done, tables = self._ledger.done // HALVES, len(self._ledger.halves) // HALVES
        return f"{done}/{tables} board pairs, {self.boards_per_minute:.0f} a minute"

    def _panel(self) -> RenderableType:
        grid = Table.grid(padding=(0, 2))
        pairings = _pairings(self._ledger)
        if len(pairings) <= _MOST_PAIRINGS_SHOWN:
            for title, done, tables in pairings:
                bar = ProgressBar(total=tables, completed=done, width=_BAR_WIDTH)
                grid.add_row(title, bar, f"{done // HALVES}/{tables // HALVES}")
        standing = "   ".join(_so_far(self._ledger))
        return Group(self._headline(), grid, standing)


def _pairings(ledger: Ledger) -> list[tuple[str, int, int]]:
    """Title, tables over and tables in all of every pairing."""
    tables: dict[tuple[int, int], list[Half]] = {}
    for half in ledger.halves:
        tables.setdefault((half.first, half.second), []).append(half)
    return [
        (
            f"{ledger.names[first]} - {ledger.names[second]}",
            sum(half in ledger.results or ledger.is_off(half) for half in halves),
            len(halves),
        )
        for (first, second), halves in tables.items()
    ]


def _so_far(ledger: Ledger) -> Iterator[str]:
    means = mean_points(len(ledger.names), ledger.outcomes())
    known = [
        (mean, name) for mean, name in zip(means, ledger.names, strict=True) if mean is not None
    ]
    for mean, name in sorted(known, key=lambda pair: (-pair[0], pair[1])):
        yield f"{name} {mean:+.0f}"
