"""Danish, modified Danish, Swiss and the ladder: opponents near each other in the standings."""

from collections.abc import Callable
from typing import Final

from burraco.tournament.field import Round, Situation
from burraco.tournament.matching import Cost, best_matching
from burraco.tournament.past import Past
from burraco.tournament.seating import seated

# Stands for sitting out among the couples.
_BYE: Final = -1
# What of a cost is worth looking for couples farther apart: a bye too many, a rematch.
_GRAVE: Final = 2
# A ladder has no end: meetings farther back in rounds are as if they had not been.
_RECENT: Final = 8


def danish(situation: Situation) -> Round | None:
    """First against second, third against fourth, and so on, however often they met."""
    if _is_over(situation):
        return None
    past, order = Past.of(situation.played), situation.by_standing
    byes = _due(past, order)[:1] if len(order) % 2 else []
    left = [entry for entry in order if entry not in byes]
    couples = list(zip(left[::2], left[1::2], strict=True))
    return seated(situation, past, [((a,), (b,)) for a, b in couples], byes)


def modified_danish(situation: Situation) -> Round | None:
    """Danish, but nobody meets the opponent of the round before again."""
    return _paired(situation, Past.of(situation.played[-1:]), owners_apart=False)


def swiss(situation: Situation) -> Round | None:
    """Near in the standings, never met before, and not of one owner, as far as that can be."""
    return _paired(situation, Past.of(situation.played), owners_apart=True)


def ladder(situation: Situation) -> Round | None:
    """Near in the standings, and those that met less often first; it goes on until it is ended."""
    return _paired(situation, Past.of(situation.played[-_RECENT:]), owners_apart=True)


def _paired(situation: Situation, barred: Past, *, owners_apart: bool) -> Round | None:
    """Couples with few rematches by ``barred``.

    In an odd field the last that is due for a bye sits out, or another one that is due where that
    saves a rematch.
    """
    if _is_over(situation):
        return None
    past, order = Past.of(situation.played), situation.by_standing
    sitting = [_BYE] if len(order) % 2 else []
    cost = _cost(situation, barred, _due(past, order), owners_apart=owners_apart)
    couples = best_matching([*order, *sitting], cost, _GRAVE)
    sides = [((one,), (other,)) for one, other in couples if other != _BYE]
    return seated(situation, past, sides, [one for one, other in couples if other == _BYE])


def _cost(
    situation: Situation, barred: Past, due: list[int], *, owners_apart: bool
) -> Callable[[int, int], Cost]:
    places = {entry: at for at, entry in enumerate(situation.by_standing)}
    owners = {entry.number: entry.owner for entry in situation.entries}

    def cost(one: int, other: int) -> Cost:
        """A bye too many, rematches, how far the bye is from its place, kin, how far apart."""
        if other == _BYE:
            return int(one not in due), 0, due.index(one) if one in due else 0, 0, 0
        kin = owners_apart and owners[one] == owners[other]
        return 0, barred.met(one, other), 0, int(kin), (places[one] - places[other]) ** 2

    return cost


def _due(past: Past, order: list[int]) -> list[int]:
    """Who has had the fewest byes, the last in the standings first."""
    fewest = min(past.byes[entry] for entry in order)
    return [entry for entry in reversed(order) if past.byes[entry] == fewest]


def _is_over(situation: Situation) -> bool:
    rounds = situation.stage.rounds
    return len(situation.active) < 2 or 0 < rounds <= len(situation.in_stage)
