"""What the rounds so far say about who met whom, who sat out and who sat where."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations

from burraco.tournament.field import PlayedRound


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


@dataclass(slots=True)
class Past:
    """Counts over rounds; a pair of entries is known by its numbers in either order."""

    byes: Counter[int] = field(default_factory=Counter)
    _met: Counter[tuple[int, int]] = field(default_factory=Counter)
    _partnered: Counter[tuple[int, int]] = field(default_factory=Counter)
    _leaning: Counter[int] = field(default_factory=Counter)

    @classmethod
    def of(cls, rounds: Iterable[PlayedRound]) -> "Past":
        """Count rounds."""
        past = cls()
        for played in rounds:
            past.byes.update(played.round.byes)
            for table in played.round.tables:
                first, second = table.sides
                past._met.update(_pair(one, other) for one in first for other in second)
                for side, lean in ((first, 1), (second, -1)):
                    past._partnered.update(_pair(*both) for both in combinations(side, 2))
                    for entry in side:
                        past._leaning[entry] += lean
        return past

    def met(self, one: int, other: int) -> int:
        """How often two entries were opponents."""
        return self._met[_pair(one, other)]

    def partnered(self, one: int, other: int) -> int:
        """How often two entries were partners."""
        return self._partnered[_pair(one, other)]

    def leaning(self, entry: int) -> int:
        """How much oftener it has sat North and South than East and West."""
        return self._leaning[entry]
