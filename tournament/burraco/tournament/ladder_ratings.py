"""Ratings of the always-on ladder: OpenSkill over matches in the order they ended."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from openskill.models import PlackettLuce, PlackettLuceRating

# A rating is told as what it is at least, with some certainty.
_DEVIATIONS: Final = 3


@dataclass(frozen=True, slots=True)
class Meeting:
    """A match of the ladder: the names at each side, and the side that won; None for a tie."""

    sides: tuple[tuple[str, ...], tuple[str, ...]]
    winner: int | None


@dataclass(frozen=True, slots=True)
class LadderRating:
    """Strength of one name: ``mu`` is the best guess, ``sigma`` how unsure it is."""

    mu: float
    sigma: float
    meetings: int

    @property
    def at_least(self) -> float:
        """What ladders are sorted by."""
        return self.mu - _DEVIATIONS * self.sigma


def ladder_ratings(meetings: Iterable[Meeting]) -> dict[str, LadderRating]:
    """The rating of every name after all meetings; who has not played has none."""
    model = PlackettLuce()
    known: dict[str, PlackettLuceRating] = {}
    played: dict[str, int] = {}
    for meeting in meetings:
        teams = [
            [known.get(name) or model.rating(name=name) for name in side] for side in meeting.sides
        ]
        ranks = [0.0, 0.0]
        if meeting.winner is not None:
            ranks[1 - meeting.winner] = 1.0
        for side, team in zip(meeting.sides, model.rate(teams, ranks=ranks), strict=True):
            for name, rating in zip(side, team, strict=True):
                known[name] = rating
        for name in (name for side in meeting.sides for name in side):
            played[name] = played.get(name, 0) + 1
    return {
        name: LadderRating(rating.mu, rating.sigma, played[name])
        for name, rating in sorted(known.items())
    }
