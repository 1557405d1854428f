"""Individual: everybody plays for itself, with another partner each round."""

from burraco.tournament.field import Round, Side, Situation
from burraco.tournament.matching import Cost, best_matching
from burraco.tournament.past import Past
from burraco.tournament.seating import seated

_SEATS = 4


def individual(situation: Situation) -> Round | None:
    """Partners who have not been partners, then opponents who have met least.

    Where the field is no multiple of four those sit out who have done so least, the last in the
    standings first.
    """
    order, rounds = situation.by_standing, situation.stage.rounds
    if len(order) < _SEATS or 0 < rounds <= len(situation.in_stage):
        return None
    past = Past.of(situation.played)
    resting = sorted(reversed(order), key=lambda entry: past.byes[entry])[: len(order) % _SEATS]
    playing = [entry for entry in order if entry not in resting]
    owners = {entry.number: entry.owner for entry in situation.entries}

    def partners(one: int, other: int) -> Cost:
        return past.partnered(one, other), past.met(one, other)

    sides: list[Side] = list(best_matching(playing, partners, 1))

    def opponents(one: int, other: int) -> Cost:
        meetings = [(a, b) for a in sides[one] for b in sides[other]]
        kin = sum(owners[a] == owners[b] for a, b in meetings)
        return kin, sum(past.met(a, b) ** 2 for a, b in meetings)

    couples = best_matching(range(len(sides)), opponents, 1)
    return seated(situation, past, [(sides[one], sides[other]) for one, other in couples], resting)
