"""Standings with intervals and faults; found beside the event loop, and kept until they change."""

from dataclasses import dataclass
from functools import partial

from burraco.server.sidework import SideWork
from burraco.server.tournaments.logbook import Logbook
from burraco.tournament.accounts import entry_sums, fault_counts
from burraco.tournament.deciding import Decision
from burraco.tournament.duels import duel_decision
from burraco.tournament.figures import UNKNOWN_INTERVAL
from burraco.tournament.intervals import Interval
from burraco.tournament.placing import interval_seed, mean, tied_ranks, units_interval
from burraco.tournament.progress import Progress
from burraco.tournament.ranking import Place


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the standings; ``interval`` None without a deal.

    Those of ranks ``tied_from`` to ``tied_to`` have intervals that overlap.
    """

    place: Place
    tied_from: int
    tied_to: int
    points_per_deal: float
    interval: Interval | None
    faults: int


@dataclass(frozen=True, slots=True)
class Standings:
    """All entries from the first to the last, and in a duel what is known so far."""

    rows: tuple[Standing, ...]
    decision: Decision | None


async def standings_of(book: Logbook, side_work: SideWork) -> Standings:
    """The standings by the rounds that are over."""
    async with book.ranking:
        progress = book.progress
        by = (len(progress.played), len(progress.entries), len(progress.left))
        known, standings = book.ranked
        if known != by:
            standings = await side_work.run(partial(_standings, progress.snapshot(), book.secret))
            book.ranked = by, standings
        found: Standings = standings
        return found


def _standings(progress: Progress, lots: bytes) -> Standings:
    places, seed = progress.standings(lots), interval_seed(progress)
    gained, faults = entry_sums(progress), fault_counts(progress)
    intervals = [
        units_interval(gained[place.entry], seed) if gained[place.entry] else None
        for place in places
    ]
    known = [interval or UNKNOWN_INTERVAL for interval in intervals]
    left = [place.has_left for place in places]
    rows = []
    for at, place in enumerate(places):
        first, last = tied_ranks(at, known, left)
        points = mean([*gained[place.entry].values()])
        rows.append(Standing(place, first, last, points, intervals[at], faults[place.entry]))
    return Standings(tuple(rows), duel_decision(progress))
