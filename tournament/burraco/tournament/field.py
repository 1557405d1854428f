"""Who plays, who met whom, what came of it: the values that pairings and places are made from."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

# The entries that hold North and South, or East and West. One entry holds both seats of its side;
# where partners change it is two, one for each seat.
Side = tuple[int, ...]


class Format(Enum):
    """How opponents are found."""

    ROUND_ROBIN = "round-robin"
    MITCHELL = "mitchell"
    DANISH = "danish"
    MODIFIED_DANISH = "modified-danish"
    SWISS = "swiss"
    KNOCK_OUT = "knock-out"
    GAUNTLET = "gauntlet"
    INDIVIDUAL = "individual"
    LADDER = "ladder"
    DUEL = "duel"


# Formats whose pairings are made anew for each round: who comes late is simply paired from then on.
TAKE_LATE_ENTRIES: Final = frozenset(
    {Format.DANISH, Format.MODIFIED_DANISH, Format.SWISS, Format.INDIVIDUAL, Format.LADDER}
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot, or a pair of bots, in one event; ``number`` counts from 0 in the order of entering.

    ``bots`` are the versions that play, fixed when the event starts: one for both seats, or one for
    each. An anchor is what a gauntlet measures the others against.
    """

    number: int
    name: str
    owner: str
    bots: tuple[str, ...]
    is_anchor: bool


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of an event that is played by one format; ``rounds`` 0 for as many as it takes."""

    format: Format
    rounds: int


@dataclass(frozen=True, slots=True)
class Table:
    """Two sides that meet in a round, the first at North and South.

    Tables of a round with the same ``deck`` play the same boards.
    """

    sides: tuple[Side, Side]
    deck: int

    @property
    def entries(self) -> tuple[int, ...]:
        """Everybody at the table."""
        return (*self.sides[0], *self.sides[1])


@dataclass(frozen=True, slots=True)
class Round:
    """Who meets whom, and who sits out."""

    tables: tuple[Table, ...]
    byes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TableScore:
    """What the sides of a table came to.

    ``gains`` are match points won less match points lost, one the negative of the other unless a
    side was at fault. ``victory_points`` are (0, 0) where they are not counted. ``deals`` is what
    was played or forfeited to get there.
    """

    gains: tuple[int, int]
    victory_points: tuple[int, int]
    deals: int

    @property
    def winner(self) -> int | None:
        """The side that gained more, None for a tie."""
        first, second = self.gains
        return None if first == second else int(second > first)


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A round that is over, with a score for each table in its order."""

    stage: int
    round: Round
    scores: tuple[TableScore, ...]


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that the next pairings follow from.

    ``entries`` are all there ever were, ``active`` those that play on, ``standing`` all of them
    from the best to the last, ``seeding`` the same at the time the stage began (the order of
    entering for the first). ``stage`` is the one to be paired for, ``index`` its place among the
    stages. ``lot`` settles what nothing else does.
    """

    entries: tuple[Entry, ...]
    active: frozenset[int]
    standing: tuple[int, ...]
    seeding: tuple[int, ...]
    played: tuple[PlayedRound, ...]
    stage: Stage
    index: int
    lot: bytes

    @property
    def in_stage(self) -> tuple[PlayedRound, ...]:
        """The rounds of this stage that are over."""
        return tuple(round_ for round_ in self.played if round_.stage == self.index)

    @property
    def by_standing(self) -> list[int]:
        """Those that play on, from the best to the last."""
        return [entry for entry in self.standing if entry in self.active]
