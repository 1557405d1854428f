"""Matches as an organiser sees them."""

from dataclasses import dataclass
from enum import StrEnum

from burraco.engine import Ruleset, SeenEvent, View
from burraco.sdk.outcome import MatchResult


class MatchState(StrEnum):
    """Where a match is in its life."""

    WAITING = "waiting"
    RUNNING = "running"
    ENDED = "ended"


class OwnerReturn(StrEnum):
    """Whether a seat that a stand-in plays goes back to its bot when that comes."""

    NEVER = "never"
    AFTER_ABSENCE = "after absence"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Clocks:
    """Time a seat has, in milliseconds; a turn of 0 turns clocks off.

    ``increment_ms`` is added to the bank after each answer, ``network_ms`` the most that is
    credited to one for its measured round trip. ``hand_limits`` are pairs of the most cards in hand
    and the time in place of ``turn_ms``; with ``whole_turn`` a turn's decisions share it.
    """

    turn_ms: int
    bank_ms: int
    warmup_ms: int
    disconnect_ms: int
    increment_ms: int = 0
    network_ms: int = 0
    hand_limits: tuple[tuple[int, int], ...] = ()
    whole_turn: bool = False


@dataclass(frozen=True, slots=True)
class Faults:
    """Illegal acts allowed in one decision, and strikes before a stand-in takes the seat.

    ``forgives_illegal`` refuses illegal acts without end. A seat that is lost ``forfeit_after``
    times forfeits for its side, where that is not 0.
    """

    illegal_retries: int
    strikes: int
    forgives_illegal: bool = False
    owner_return: OwnerReturn = OwnerReturn.AFTER_ABSENCE
    forfeit_after: int = 0


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """What a match is, for everybody; a free seat has an empty name.

    ``rules`` is None for a void match whose log is damaged at its beginning: what it was played by
    is lost, and its clocks and faults are all zero.
    """

    match_id: str
    state: MatchState
    rules: Ruleset | None
    deals: int
    asks_cut: bool
    clocks: Clocks
    faults: Faults
    players: tuple[str, ...]
    commitment: bytes
    totals: tuple[int, ...]
    deals_played: int
    version: int
    result: MatchResult | None
    board_id: str


@dataclass(frozen=True, slots=True)
class Watched:
    """A table as everybody may see it, after ``events``; ``result`` comes with the last one.

    ``view`` is None while the pack is to be cut.
    """

    view: View | None
    events: tuple[SeenEvent, ...]
    result: MatchResult | None
