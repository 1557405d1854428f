"""Those whom a fixed movement leaves free are put together, where they have not met."""

from collections.abc import Sequence

from burraco.tournament.matching import Cost, best_matching
from burraco.tournament.past import Past

_MANY_BYES = 64


def completed(
    couples: Sequence[tuple[int, int]], field: Sequence[int], past: Past
) -> tuple[list[tuple[int, int]], list[int]]:
    """The couples, with those added that are free and have not met, and who sits out."""
    busy = {entry for couple in couples for entry in couple}
    free = [entry for entry in field if entry not in busy]

    def cost(one: int, other: int) -> Cost | None:
        if past.met(one, other):
            return None
        # Who sat out often is the last to sit out again.
        return (max(0, _MANY_BYES - past.byes[one] - past.byes[other]),)

    added = best_matching(free, cost, 0)
    busy |= {entry for couple in added for entry in couple}
    return [*couples, *added], [entry for entry in field if entry not in busy]
