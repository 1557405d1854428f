"""Round robin: everybody meets everybody."""

from itertools import combinations

from burraco.tournament.field import Round, Situation
from burraco.tournament.formats.unmet import completed
from burraco.tournament.past import Past
from burraco.tournament.seating import seated


def round_robin(situation: Situation) -> Round | None:
    """The circle method, and once somebody has left, whoever it leaves free put together anew.

    With an odd number everybody sits out once. It is over when all that play on have met.
    """
    past, number, rounds = (
        Past.of(situation.in_stage),
        len(situation.in_stage),
        situation.stage.rounds,
    )
    left = sorted(situation.active)
    if 0 < rounds <= number or all(past.met(*couple) for couple in combinations(left, 2)):
        return None
    planned = [
        couple
        for couple in _circle(len(situation.entries), number)
        if situation.active.issuperset(couple) and not past.met(*couple)
    ]
    couples, byes = completed(planned, left, past)
    sides = [((one,), (other,)) for one, other in couples]
    return seated(situation, Past.of(situation.played), sides, byes)


def _circle(entries: int, number: int) -> list[tuple[int, int]]:
    """One round of the circle method: the first place stands still, the others go round it."""
    places = entries + entries % 2
    if number >= places - 1:
        return []
    ring = [0, *((at + number) % (places - 1) + 1 for at in range(places - 1))]
    couples = [(ring[at], ring[-1 - at]) for at in range(places // 2)]
    return [(min(couple), max(couple)) for couple in couples if max(couple) < entries]
