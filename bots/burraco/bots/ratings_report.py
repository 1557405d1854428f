"""Ratings as a table for people to read."""

from typing import Final

from rich.console import Console
from rich.table import Table

from burraco.bots.report_words import between, signed
from burraco.tournament.field import Entry
from burraco.tournament.progress import Progress
from burraco.tournament.strengths import Strengths

_WIDTH: Final = 140


def print_ratings(progress: Progress, found: Strengths) -> None:
    """Print the ratings, the best first, and the ladder of the bots beside them."""
    entries = progress.entries
    if not entries:
        print("nobody has entered")
        return
    console = Console(highlight=False, markup=False)
    # A terminal breaks a line that is too long; a table made to fit would lose figures.
    console.width = max(console.width, _WIDTH)
    name = entries[found.anchor].name
    title = f"points a deal above {name}, with 95 % intervals drawn by board"
    console.print(_table(title, entries, found), crop=False, soft_wrap=True)
    unrated = len(entries) - len(found.ratings)
    if unrated:
        console.print(f"{unrated} without a clean deal that connects them with {name}: not rated")


def _table(title: str, entries: list[Entry], found: Strengths) -> Table:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for header in ("entry", "bots"):
        table.add_column(header, no_wrap=True)
    for header in ("rating", "95 % interval", "ladder"):
        table.add_column(header, justify="right", no_wrap=True)
    for rating in found.ratings:
        entry = entries[rating.entry]
        ladder = found.by_pair.get(" + ".join(sorted(dict.fromkeys(entry.bots))))
        table.add_row(
            entry.name,
            ", ".join(entry.bots),
            signed(rating.points),
            "anchor" if rating.entry == found.anchor else between(rating.interval),
            "–" if ladder is None else f"{ladder.at_least:.1f}",
        )
    return table
