"""Who meets whom in an arena, on which cards and under which ids, from seed and names alone."""

import hashlib
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from burraco.engine.deal import SEED_SIZE
from burraco.engine.errors import Unreadable
from burraco.engine.rules import SEATS, SIDES, Ruleset

HALVES: Final = 2
_ID_DIGITS: Final = 24


@dataclass(frozen=True, slots=True)
class Half:
    """One table of a board pair: ``first`` holds NS in half 0 and EW in half 1.

    Of two players the sides are N and E, and each bot has one seat.

    ``first`` and ``second`` number the entries of the arena from 0, ``board`` counts from 1.
    """

    board: int
    first: int
    second: int
    half: int

    @property
    def sides(self) -> tuple[int, int]:
        """Entries at NS and EW."""
        if self.half == 0:
            return self.first, self.second
        return self.second, self.first

    @property
    def dealer(self) -> int:
        """Seat that deals; it goes round with the boards and is the same for everybody.

        Of two players it is this seat modulo two.
        """
        return (self.board - 1) % SEATS


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


def schedule(entries: int, boards: int) -> tuple[Half, ...]:
    """A round robin of board pairs, board by board; the halves of a pair follow each other."""
    return tuple(
        Half(board, first, second, half)
        for board in range(1, boards + 1)
        for first, second in combinations(range(entries), 2)
        for half in range(HALVES)
    )


def board_seed(seed: int, board: int) -> bytes:
    """The 80 bytes that deal a board, the same for every pairing."""
    return hashlib.shake_256(f"burraco/arena/v1 {seed} {board}".encode()).digest(SEED_SIZE)


def match_id(seed: int, names: tuple[str, ...], half: Half) -> str:
    """Id of a table; hashed, so that a bot cannot tell which tables belong together."""
    return _hidden("match", seed, names, half, str(half.half))


def board_id(seed: int, names: tuple[str, ...], half: Half) -> str:
    """Id that the two halves of a board pair share; hashed as well."""
    return _hidden("board", seed, names, half, "both")


def file_stem(names: tuple[str, ...], half: Half) -> str:
    """Name of a table's file: pairing, board and half (1 or 2)."""
    return f"{names[half.first]}-{names[half.second]}-{half.board}-{half.half + 1}"


def _hidden(kind: str, seed: int, names: tuple[str, ...], half: Half, which: str) -> str:
    # By names and not by numbers: a pairing plays alike whoever else has entered.
    parts = (kind, str(seed), names[half.first], names[half.second], str(half.board), which)
    return hashlib.sha256("/".join(("burraco/arena/v1", *parts)).encode()).hexdigest()[:_ID_DIGITS]
