"""Tournaments as an organiser sees them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from burraco.engine import Ruleset
from burraco.sdk.matches import Clocks, Faults


class TournamentFormat(StrEnum):
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


class TournamentStatus(StrEnum):
    """Where a tournament is in its life; one that is damaged was set aside for good."""

    OPEN = "open"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    DAMAGED = "damaged"

    @property
    def is_over(self) -> bool:
        """Whether nothing more can happen."""
        return self in _OVER


_OVER: Final = frozenset(
    {TournamentStatus.FINISHED, TournamentStatus.CANCELLED, TournamentStatus.DAMAGED}
)


class DuelDecision(StrEnum):
    """What is known of the first entry of a duel beside the second."""

    BETTER = "better"
    WORSE = "worse"
    EQUAL = "equal"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class TournamentStage:
    """A part that is played by one format; ``rounds`` 0 for as many as it takes, or without end."""

    format: TournamentFormat
    rounds: int = 0


@dataclass(frozen=True, slots=True)
class DuelQuestion:
    """What a duel is to decide: ``gain`` points a deal are worth finding.

    Of equal bots at most ``false_alarms`` are called better or worse; of bots that differ by the
    gain at most ``misses`` are not.
    """

    gain: float
    false_alarms: float = 0.05
    misses: float = 0.05


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """What a tournament is played by, fixed when it is made; 0 lets the server choose.

    Each table of a round plays ``boards``, each of them ``halves`` times: 2 for board pairs with
    sides swapped, 1 for once. A side at fault loses ``adjusted`` match points for the deal, and
    forfeits the table once that happened on more than ``adjusted_allowed`` boards.
    ``tables_at_once`` counts the matches of all tables.
    """

    name: str
    stages: tuple[TournamentStage, ...]
    boards: int = 0
    halves: int = 0
    victory_points: bool = False
    bye_victory_points: int = 0
    bye_difference: int = 0
    adjusted: int = 0
    adjusted_allowed: int = 0
    question: DuelQuestion | None = None
    tables_at_once: int = 0


@dataclass(frozen=True, slots=True)
class TournamentEntry:
    """A bot, or a pair of bots; ``number`` counts from 0. An anchor is what others are held to."""

    number: int
    name: str
    owner: str
    bots: tuple[str, ...]
    is_anchor: bool
    has_left: bool


@dataclass(frozen=True, slots=True)
class Tournament:
    """What a tournament is, for everybody.

    Steps name the ``version`` that they were decided on. ``secret`` is empty until it is over; the
    ``commitment`` binds it to that. ``rules`` is None where it is lost what it was played by. In a
    list there are no ``entries``.
    """

    tournament_id: str
    plan: TournamentPlan
    rules: Ruleset | None
    clocks: Clocks
    faults: Faults
    status: TournamentStatus
    version: int
    entries: tuple[TournamentEntry, ...]
    rounds_played: int
    commitment: bytes
    secret: bytes
    reason: str
    created_ms: int


@dataclass(frozen=True, slots=True)
class TournamentPlace:
    """One row of the standings; it is tied with those of the ranks ``tied``, itself included.

    ``interval`` is the 95 % one of ``points_per_deal``, None where too little was played to tell.
    """

    rank: int
    tied: tuple[int, int]
    entry: int
    victory_points: int
    difference: int
    points_per_deal: float
    interval: tuple[float, float] | None
    deals: int
    wins: int
    byes: int
    faults: int
    has_left: bool


@dataclass(frozen=True, slots=True)
class Standings:
    """From the first to the last, by the rounds that are over; ``decision`` only in a duel."""

    places: tuple[TournamentPlace, ...]
    version: int
    decision: DuelDecision | None


@dataclass(frozen=True, slots=True)
class TournamentHalf:
    """One match of a table; pairs are by the sides of the pairing, the table's first side first.

    ``board`` and ``half`` count from 0, ``attempt`` how often the board was played for nothing.
    """

    match_id: str
    board: int
    half: int
    points: tuple[int, int]
    at_fault: tuple[bool, bool]
    attempt: int


@dataclass(frozen=True, slots=True)
class TournamentTable:
    """Two sides that meet, each with its entries; ``first`` sits North and South in half 0.

    ``gains`` is None while it is played. Tables with the same ``deck`` play the same boards.
    ``halves`` are those of boards that are over.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    deck: int
    gains: tuple[int, int] | None
    victory_points: tuple[int, int]
    halves: tuple[TournamentHalf, ...]


@dataclass(frozen=True, slots=True)
class TournamentRound:
    """Who meets whom, and who sits out; ``number`` and ``stage`` count from 1."""

    number: int
    stage: int
    tables: tuple[TournamentTable, ...]
    byes: tuple[int, ...]
    is_over: bool


@dataclass(frozen=True, slots=True)
class WatchedTournament:
    """A tournament and its standings at one moment."""

    tournament: Tournament
    places: tuple[TournamentPlace, ...]


@dataclass(frozen=True, slots=True)
class TournamentLogRow:
    """A row of a log, from which everything can be counted again; ``payload`` is JSON.

    ``chain`` is a hash over it and all rows before it.
    """

    version: int
    kind: str
    payload: str
    chain: bytes
