"""What an arena shows while it plays: a live table on a terminal, plain lines elsewhere."""

import time
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from burraco.bots.arena_course import Course

_PLAIN_LINES: Final = 20
_MOST_PAIRINGS_SHOWN: Final = 15
_BAR_WIDTH: Final = 30
_SECONDS_BETWEEN: Final = 0.25


class Progress:
    """Follows a course; call ``show`` whenever it may have moved on."""

    def __init__(self, console: Console, course: Course) -> None:
        self._console = console
        self._course = course
        self._began = time.monotonic()
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._every = max(1, course.all_boards // _PLAIN_LINES)
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
        return 60 * self._course.played / max(self.seconds, 1e-9)

    def show(self) -> None:
        """Show how things stand."""
        if self._console.is_terminal and self.seconds >= self._next_look:
            self._next_look = self.seconds + _SECONDS_BETWEEN
            self._live.update(self._panel(), refresh=True)
        if not self._console.is_terminal and self._course.done >= self._next_line:
            self._next_line = self._course.done + self._every
            self._console.print(self._line(), highlight=False, soft_wrap=True)

    def _line(self) -> str:
        return f"{self._headline()}: {', '.join(self._means())}"

    def _headline(self) -> str:
        course = self._course
        pace = f"{self.boards_per_minute:.0f} a minute"
        return f"{course.done}/{course.all_boards} board pairs, {pace}"

    def _panel(self) -> RenderableType:
        grid = Table.grid(padding=(0, 2))
        course = self._course
        pairings = list(course.pairings())
        if len(pairings) <= _MOST_PAIRINGS_SHOWN:
            for (one, other), done in pairings:
                title = f"{course.names[one]} - {course.names[other]}"
                bar = ProgressBar(total=course.boards, completed=done, width=_BAR_WIDTH)
                grid.add_row(title, bar, f"{done}/{course.boards}")
        return Group(self._headline(), grid, "   ".join(self._means()))

    def _means(self) -> list[str]:
        return [f"{name} {mean:+.0f}" for name, mean in self._course.means()]
