"""Duel: two entries, again and again, until it is decided or the rounds are over."""

from burraco.tournament.field import Round, Situation
from burraco.tournament.past import Past
from burraco.tournament.seating import seated


def duel(situation: Situation) -> Round | None:
    """The two of the field once more; who runs the event ends it when the difference is decided."""
    left, rounds = sorted(situation.active), situation.stage.rounds
    if len(left) != 2 or 0 < rounds <= len(situation.in_stage):
        return None
    one, other = left
    return seated(situation, Past.of(situation.played), [((one,), (other,))], [])
