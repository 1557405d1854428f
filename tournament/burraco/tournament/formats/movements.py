"""Mitchell and the gauntlet: one line of entries stays, the other moves on by one table a round."""

from collections.abc import Sequence
from itertools import groupby

from burraco.tournament.chance import lot
from burraco.tournament.field import Entry, Round, Situation
from burraco.tournament.formats.unmet import completed
from burraco.tournament.past import Past
from burraco.tournament.seating import fixed, seated


def mitchell(situation: Situation) -> Round | None:
    """North and South stay, East and West move on; nobody meets an opponent twice.

    The lines are drawn by lot, those of one owner in one line as far as they fit. In an odd field
    somebody sits out each round, never the same. It ends with the rounds of the movement.
    """
    stay, move = _lines(situation)
    number, rounds = len(situation.in_stage), situation.stage.rounds
    if number >= min(rounds or len(stay), len(stay)) or len(situation.active) < 2:
        return None
    past = Past.of(situation.in_stage)
    planned = _meetings(situation, stay, move, number)
    planned = [couple for couple in planned if not past.met(*couple)]
    couples, byes = completed(planned, sorted(situation.active), past)
    return fixed(situation, [((one,), (other,)) for one, other in couples], byes)


def gauntlet(situation: Situation) -> Round | None:
    """Every entry meets every anchor once; anchors do not meet each other, nor do the others."""
    anchors = [entry.number for entry in situation.entries if entry.is_anchor]
    others = [entry.number for entry in situation.entries if not entry.is_anchor]
    longer, shorter = sorted((anchors, others), key=len, reverse=True)
    number, rounds = len(situation.in_stage), situation.stage.rounds
    if number >= min(rounds or len(longer), len(longer)) or (
        situation.active.isdisjoint(anchors) or situation.active.isdisjoint(others)
    ):
        return None
    couples = _meetings(situation, longer, shorter, number)
    sides = [((one,), (other,)) for one, other in couples]
    return seated(situation, Past.of(situation.played), sides, [])


def _meetings(
    situation: Situation, stay: Sequence[int], move: Sequence[int], number: int
) -> list[tuple[int, int]]:
    """Who meets whom after the shorter line has moved on ``number`` times."""
    met = [
        (one, move[(at + number) % len(stay)])
        for at, one in enumerate(stay)
        if (at + number) % len(stay) < len(move)
    ]
    return [couple for couple in met if situation.active.issuperset(couple)]


def _lines(situation: Situation) -> tuple[list[int], list[int]]:
    """Those who stay and those who move, as many as these or one more."""

    def drawn(entry: Entry) -> tuple[int, str, int]:
        by_owner = lot(situation.lot, "line", situation.index, entry.owner)
        return by_owner, entry.owner, entry.number

    families = [
        [entry.number for entry in family]
        for _, family in groupby(sorted(situation.entries, key=drawn), lambda entry: entry.owner)
    ]
    room = [(len(situation.entries) + 1) // 2, len(situation.entries) // 2]
    lines: tuple[list[int], list[int]] = ([], [])
    for family in sorted(families, key=len, reverse=True):
        line = 0 if room[0] >= len(family) or room[0] > room[1] else 1
        for number in family:
            line = line if room[line] else 1 - line
            lines[line].append(number)
            room[line] -= 1
    return lines
