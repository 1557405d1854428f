"""How the tables of board pairs are told apart: their sides, and the names of their files."""

from collections.abc import Sequence
from typing import Final

from burraco.engine.errors import Unreadable
from burraco.engine.rules import SIDES, Ruleset

HALVES: Final = 2


def side_of(seat: int) -> int:
    """The side of a seat where two sides play, as at every table of an arena."""
    return seat % SIDES


def require_two_sides(rules: Ruleset) -> Ruleset:
    """The rules, where board pairs can be played by them; else unreadable."""
    if rules.side_count > SIDES:
        raise Unreadable(
            f"players={rules.players}: a board pair swaps two sides, and {rules.players} players"
            f" are {rules.side_count} sides; play with 2 or 4, or make matches of three"
        )
    return rules


def file_stem(names: Sequence[str], pair: tuple[int, int], board: int, half: int) -> str:
    """Name of the file of a deal: pairing, board and half, both from 1."""
    one, other = sorted(pair)
    return f"{names[one]}-{names[other]}-{board}-{half}"
