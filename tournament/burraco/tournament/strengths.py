"""Ratings, payoffs and what follows from them, all counted from the halves without a fault."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import Final

import numpy as np

from burraco.tournament.accounts import CleanBoard, Sum, clean_boards
from burraco.tournament.field import Entry, Side
from burraco.tournament.figures import (
    UNKNOWN_INTERVAL,
    Json,
    rounded,
    rounded_interval,
)
from burraco.tournament.intervals import Interval
from burraco.tournament.ladder_ratings import LadderRating, Meeting, ladder_ratings
from burraco.tournament.payoffs import Payoff, cycles, nash_shares
from burraco.tournament.placing import FEWEST_UNITS, interval_of, interval_seed, mean
from burraco.tournament.progress import Progress
from burraco.tournament.ratings import Rating, additive_ratings, margins_between

# More entries take too long to be worth it: cycles grow with the cube of them.
MOST_IN_DIAGNOSTICS: Final = 64
_DIGITS: Final = 3


class UnknownAnchor(ValueError):
    """No entry has the name that was given for the anchor."""


@dataclass(frozen=True, slots=True)
class Strengths:
    """How strong the entries of an event are, by every measure there is.

    ``ratings`` are best first. ``payoffs`` has every ordered pair that met. ``shares`` are those of
    Nash averaging, None unless everybody met everybody; ``cycles`` are None where there are too
    many entries to look for them.
    """

    anchor: int
    ratings: tuple[Rating, ...]
    payoffs: Mapping[tuple[int, int], Payoff]
    cycles: tuple[tuple[int, int, int], ...] | None
    shares: tuple[float, ...] | None
    by_bot: Mapping[str, LadderRating]
    by_pair: Mapping[str, LadderRating]


def strengths(progress: Progress, anchor: str | None = None) -> Strengths:
    """Count everything; ``anchor`` names the entry whose rating is 0, else it is the usual one."""
    at = anchor_of(progress.entries, anchor)
    boards = list(clean_boards(progress))
    against = payoffs(boards, interval_seed(progress))
    is_small = len(progress.entries) <= MOST_IN_DIAGNOSTICS
    return Strengths(
        anchor=at,
        ratings=_ratings(progress, at, boards),
        payoffs=against,
        cycles=tuple(cycles(against)) if is_small else None,
        shares=_shares(len(progress.entries), against) if is_small else None,
        by_bot=ladder_ratings(_meetings(progress, boards, _bots)),
        by_pair=ladder_ratings(_meetings(progress, boards, _pair)),
    )


def anchor_of(entries: Sequence[Entry], name: str | None) -> int:
    """The entry that ratings are measured from: the named one, the first anchor, or the first."""
    if name is not None:
        for entry in entries:
            if entry.name == name:
                return entry.number
        names = ", ".join(entry.name for entry in entries) or "nobody"
        raise UnknownAnchor(f"no entry is named {name!r}; there are {names}")
    return next((entry.number for entry in entries if entry.is_anchor), 0)


def payoffs(boards: Sequence[CleanBoard], seed: int) -> dict[tuple[int, int], Payoff]:
    """What each side of an entry won a deal against each opponent; drawn by board."""
    sums: defaultdict[tuple[int, int], dict[int, Sum]] = defaultdict(dict)
    for board in boards:
        for one, other in product(*board.at.table.sides):
            pair, sign = ((one, other), 1) if one < other else ((other, one), -1)
            points, deals = sums[pair].get(board.number, (0, 0))
            sums[pair][board.number] = points + sign * board.points, deals + board.deals
    found: dict[tuple[int, int], Payoff] = {}
    for (one, other), by_board in sorted(sums.items()):
        units = [by_board[board] for board in sorted(by_board)]
        won, (low, high) = mean(units), interval_of(units, seed)
        together = sum(unit[1] for unit in units)
        found[one, other] = Payoff(won, (low, high), together)
        found[other, one] = Payoff(-won, (-high, -low), together)
    return found


def ratings_document(progress: Progress, found: Strengths) -> Json:
    """All ratings as they are written."""
    names = [entry.name for entry in progress.entries]
    return {
        "event_id": progress.opened.event_id,
        "rounds": len(progress.played),
        "anchor": names[found.anchor] if names else None,
        "ratings": [
            {"name": names[rating.entry], **_written(rating.points, rating.interval)}
            for rating in found.ratings
        ],
        "payoffs": [
            {
                "name": names[one],
                "against": names[other],
                **_written(payoff.points, payoff.interval),
                "deals": payoff.deals,
            }
            for (one, other), payoff in sorted(found.payoffs.items())
        ],
        "cycles": found.cycles and [[names[entry] for entry in cycle] for cycle in found.cycles],
        "nash_shares": found.shares
        and {
            name: rounded(share, _DIGITS) for name, share in zip(names, found.shares, strict=True)
        },
        "ladder": {"bots": _ladder(found.by_bot), "pairs": _ladder(found.by_pair)},
    }


def _written(points: float, interval: Interval) -> dict[str, Json]:
    return {"points_per_deal": rounded(points), "ci95": rounded_interval(interval)}


def _ratings(progress: Progress, anchor: int, boards: Sequence[CleanBoard]) -> tuple[Rating, ...]:
    if not progress.entries:
        return ()
    margins = [
        margin
        for board in boards
        for margin in margins_between(board.number, board.at.table.sides, board.points, board.deals)
    ]
    found = additive_ratings(len(progress.entries), anchor, margins, interval_seed(progress))
    if len({margin.board for margin in margins}) < FEWEST_UNITS:
        found = [Rating(rating.entry, rating.points, UNKNOWN_INTERVAL) for rating in found]
    return tuple(sorted(found, key=lambda rating: (-rating.points, rating.entry)))


def _shares(entries: int, against: Mapping[tuple[int, int], Payoff]) -> tuple[float, ...] | None:
    if entries < 2 or len(against) < entries * (entries - 1):
        return None
    matrix = np.zeros((entries, entries))
    for pair, payoff in against.items():
        matrix[pair] = payoff.points
    return tuple(nash_shares(matrix).tolist())


def _meetings(
    progress: Progress,
    boards: Iterable[CleanBoard],
    named: Callable[[Sequence[Entry], Side], tuple[str, ...]],
) -> list[Meeting]:
    """The tables in order, each with who won the halves without a fault."""
    meetings: list[Meeting] = []
    for _, at_table in groupby(boards, key=lambda board: (board.at.round, board.at.number)):
        found = list(at_table)
        lead = sum(board.points for board in found)
        first, second = (named(progress.entries, side) for side in found[0].at.table.sides)
        # A bot that meets itself shows nothing.
        if not set(first) & set(second):
            meetings.append(Meeting((first, second), None if lead == 0 else int(lead < 0)))
    return meetings


def _bots(entries: Sequence[Entry], side: Side) -> tuple[str, ...]:
    return tuple(dict.fromkeys(bot for entry in side for bot in entries[entry].bots))


def _pair(entries: Sequence[Entry], side: Side) -> tuple[str, ...]:
    return (" + ".join(sorted(_bots(entries, side))),)


def _ladder(found: Mapping[str, LadderRating]) -> Json:
    ordered = sorted(found.items(), key=lambda named: (-named[1].at_least, named[0]))
    return [
        {
            "name": name,
            "at_least": rounded(rating.at_least, _DIGITS),
            "mu": rounded(rating.mu, _DIGITS),
            "sigma": rounded(rating.sigma, _DIGITS),
            "meetings": rating.meetings,
        }
        for name, rating in ordered
    ]
