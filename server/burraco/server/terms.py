"""What a match is played by, and how it and its seats may end."""

from dataclasses import dataclass
from enum import StrEnum

from burraco.engine.rules import Ruleset


@dataclass(frozen=True, slots=True)
class ClockTerms:
    """Time a seat has, in milliseconds.

    A turn of 0 turns clocks off: decisions and the wait for players have no end, and absence has
    one only where ``disconnect_ms`` is set.
    """

    turn_ms: int
    bank_ms: int
    warmup_ms: int
    disconnect_ms: int


@dataclass(frozen=True, slots=True)
class FaultTerms:
    """What a seat may do wrong before the default, or a stand-in, plays for it."""

    illegal_retries: int
    strikes: int


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """A match as its organiser made it.

    ``players`` are in order of entry, which is N E S W unless ``draws_seats``; empty where a place
    is free. ``secret`` is the seed's 80 bytes. ``dealer`` None leaves the first dealer to the seed.
    """

    match_id: str
    rules: Ruleset
    players: tuple[str, ...]
    deals: int
    secret: bytes
    dealer: int | None
    draws_seats: bool
    asks_cut: bool
    clocks: ClockTerms
    faults: FaultTerms
    board_id: str
    board_tables: int
    created_ms: int


class MatchState(StrEnum):
    """Where a match is in its life."""

    WAITING = "waiting"
    RUNNING = "running"
    ENDED = "ended"


class MatchEnd(StrEnum):
    """How a match as a whole ended."""

    PLAYED = "played"
    ADJUDICATED = "adjudicated"


class SeatEnd(StrEnum):
    """Why the part of one seat ended as it did."""

    CLEAN = "clean"
    STRIKES = "strikes"
    ILLEGAL_ACTS = "illegal_acts"
    TIME_OUTS = "time_outs"
    DISCONNECTED = "disconnected"
    NO_SHOW = "no_show"


class PlayedBy(StrEnum):
    """Who chose actions: the bot, the default at zero or after illegal acts, or a stand-in."""

    BOT = "bot"
    TIME_OUT = "time_out"
    ILLEGAL_ACTS = "illegal_acts"
    STAND_IN = "stand_in"


# A seat lost for one of these is given back when its bot returns.
RETURNABLE = frozenset({SeatEnd.DISCONNECTED, SeatEnd.NO_SHOW})
