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


@dataclass(frozen=True, slots=True)
class Clocks:
    """Time a seat has, in milliseconds; a turn of 0 turns clocks off."""

    turn_ms: int
    bank_ms: int
    warmup_ms: int
    disconnect_ms: int


@dataclass(frozen=True, slots=True)
class Faults:
    """Illegal acts allowed in one decision, and strikes before a stand-in takes the seat."""

    illegal_retries: int
    strikes: int


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """What a match is, for everybody; a free seat has an empty name."""

    match_id: str
    state: MatchState
    rules: Ruleset
    deals: int
    asks_cut: bool
    clocks: Clocks
    faults: Faults
    players: tuple[str, ...]
    commitment: bytes
    totals: tuple[int, int]
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
