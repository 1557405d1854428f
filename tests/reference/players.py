"""Random players of several tempers, so that deals get into all kinds of corners."""

from dataclasses import dataclass
from random import Random

from tests.reference.cards import is_wild
from tests.reference.moves import TAKE, Move


@dataclass(frozen=True)
class Temper:
    """How a random player leans; each number is how likely it follows that leaning.

    ``takes``: the pile rather than the stock; ``melds``: rather than discards; ``empties`` its
    hand, with the longest melds; ``spares`` its wilds, in melds and discards.
    """

    takes: float = 0.5
    melds: float = 0.5
    empties: float = 0.0
    spares: float = 0.0


TEMPERS = {
    "hungry": Temper(takes=0.5, melds=0.95),
    "stingy": Temper(takes=0.2, melds=0.1),
    "closer": Temper(takes=0.6, melds=1.0, empties=0.7, spares=0.3),
    "hoarder": Temper(takes=0.5, melds=0.8, spares=1.0),
    "collector": Temper(takes=0.95, melds=0.15),
    "passer": Temper(takes=1.0, melds=0.0),
}


def seats_taken(chance: Random, players: int) -> list[Temper | None]:
    """A temper for each seat, None for plain chance; now and then all alike."""
    choices: list[Temper | None] = [*TEMPERS.values(), None]
    if chance.random() < 0.3:
        return [chance.choice(choices)] * players
    return [chance.choice(choices) for _ in range(players)]


def choose(temper: Temper | None, moves: list[Move], chance: Random) -> Move:
    """One of the legal moves."""
    if temper is None:
        return chance.choice(moves)
    if moves[0][0] in ("draw", "take"):
        takes = TAKE in moves and (len(moves) == 1 or chance.random() < temper.takes)
        return TAKE if takes else moves[0]
    growing = [move for move in moves if move[0] != "discard"]
    discards = [move for move in moves if move[0] == "discard"]
    if growing and (not discards or chance.random() < temper.melds):
        return _grow(temper, growing, chance)
    return chance.choice(_sparing(temper, discards, chance))


def _grow(temper: Temper, growing: list[Move], chance: Random) -> Move:
    growing = _sparing(temper, growing, chance)
    if chance.random() < temper.empties:
        longest = max(len(move[2]) for move in growing)
        growing = [move for move in growing if len(move[2]) == longest]
    return chance.choice(growing)


def _sparing(temper: Temper, moves: list[Move], chance: Random) -> list[Move]:
    """The moves without wilds, where the player spares them and there are others."""
    if chance.random() >= temper.spares:
        return moves
    return [move for move in moves if not any(map(is_wild, move[2]))] or moves
