"""Knock-out: who loses is out."""

from collections.abc import Sequence
from typing import Final

from burraco.tournament.chance import lot
from burraco.tournament.field import Round, Situation
from burraco.tournament.past import Past
from burraco.tournament.seating import seated

# So often a tie is played off; after that the lot decides.
REPLAYS: Final = 2
# A place of the bracket with nobody in it, and a meeting that is still to be decided.
_NOBODY: Final = -1
_OPEN: Final = -2


def knock_out(situation: Situation) -> Round | None:
    """The next round of the bracket, or those of its tables once more that were tied.

    The first of the seeding meet last, and have the byes of a field that is no power of two. Who
    has left has lost.
    """
    places = _bracket(situation.seeding)
    while len(places) > 1:
        pairs = list(zip(places[::2], places[1::2], strict=True))
        results = [_outcome(situation, *pair) for pair in pairs]
        couples = [pair for pair, result in zip(pairs, results, strict=True) if result == _OPEN]
        if couples:
            free = [one for one, other in pairs if other == _NOBODY and one in situation.active]
            byes = [] if situation.in_stage else free
            sides = [((one,), (other,)) for one, other in couples]
            return seated(situation, Past.of(situation.played), sides, byes)
        places = results
    return None


def _bracket(seeding: Sequence[int]) -> list[int]:
    """The seeding in the order of the bracket: first and last meet first, first and second last."""
    places = [0]
    while len(places) < len(seeding):
        size = 2 * len(places)
        places = [place for one in places for place in (one, size - 1 - one)]
    return [seeding[place] if place < len(seeding) else _NOBODY for place in places]


def _outcome(situation: Situation, one: int, other: int) -> int:
    """Who goes on: an entry, nobody, or it is open."""
    left = [entry for entry in (one, other) if entry in situation.active]
    if len(left) < 2:
        return left[0] if left else _NOBODY
    ties = 0
    for played in situation.in_stage:
        for table, score in zip(played.round.tables, played.scores, strict=True):
            if set(table.entries) == {one, other}:
                if score.winner is not None:
                    return table.sides[score.winner][0]
                ties += 1
    if ties <= REPLAYS:
        return _OPEN
    return min(one, other, key=lambda entry: lot(situation.lot, "tie", situation.index, entry))
