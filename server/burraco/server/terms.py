"""What a match is played by, and how it and its seats may end."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from burraco.engine.deal import SUITS_AS_THEY_ARE
from burraco.engine.rules import Ruleset


class HandLimit(NamedTuple):
    """Time of a turn with up to so many cards in hand."""

    cards: int
    turn_ms: int


@dataclass(frozen=True, slots=True)
class ClockTerms:
    """Time a seat has, in milliseconds.

    A turn of 0 turns clocks off: decisions and the wait for players have no end, and absence has
    one only where ``disconnect_ms`` is set. The first of ``hand_limits`` that fits stands in place
    of ``turn_ms``; with ``whole_turn`` either is for all decisions of a turn together. What was
    added later has the values that matches had before.
    """

    turn_ms: int
    bank_ms: int
    warmup_ms: int
    disconnect_ms: int
    increment_ms: int = 0
    network_ms: int = 0
    hand_limits: tuple[HandLimit, ...] = ()
    whole_turn: bool = False

    def turn_of(self, cards: int) -> int:
        """Milliseconds for a turn that begins with so many cards in hand."""
        for limit in self.hand_limits:
            if cards <= limit.cards:
                return limit.turn_ms
        return self.turn_ms


class OwnerReturn(StrEnum):
    """Whether a seat that a stand-in plays goes back to its bot."""

    NEVER = "never"
    AFTER_ABSENCE = "after_absence"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class FaultTerms:
    """What a seat may do wrong before the default, or a stand-in, plays for it.

    The match goes on with the stand-in unless a seat is lost ``forfeit_after`` times, where that is
    not 0. What was added later has the values that matches had before.
    """

    illegal_retries: int
    strikes: int
    forgives_illegal: bool = False
    owner_return: OwnerReturn = OwnerReturn.AFTER_ABSENCE
    forfeit_after: int = 0

    def gives_back(self, end: "SeatEnd | None") -> bool:
        """Whether a seat that was lost for a reason goes back to its bot when that comes."""
        if self.owner_return is OwnerReturn.AFTER_ABSENCE:
            return end in ABSENCES
        return self.owner_return is OwnerReturn.ALWAYS


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """A match as its organiser made it.

    ``players`` are in order of entry, which is N E S W unless ``draws_seats``; empty where a place
    is free. ``secret`` is the seed's 80 bytes. ``dealer`` None leaves the first dealer to the seed.
    ``event`` is the tournament that it belongs to, empty for none. ``suits`` is what spades,
    hearts, diamonds and clubs become, as secret as the seed.
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
    event: str = ""
    suits: tuple[int, ...] = SUITS_AS_THEY_ARE


class MatchState(StrEnum):
    """Where a match is in its life."""

    WAITING = "waiting"
    RUNNING = "running"
    ENDED = "ended"


class MatchEnd(StrEnum):
    """How a match as a whole ended."""

    PLAYED = "played"
    ADJUDICATED = "adjudicated"
    VOID = "void"
    FORFEITED = "forfeited"


class SeatEnd(StrEnum):
    """Why the part of one seat ended as it did."""

    CLEAN = "clean"
    STRIKES = "strikes"
    ILLEGAL_ACTS = "illegal_acts"
    TIME_OUTS = "time_outs"
    DISCONNECTED = "disconnected"
    NO_SHOW = "no_show"
    LEFT = "left"
    STOPPED = "stopped"
    VOID = "void"


class Fault(StrEnum):
    """Whose fault the end of a seat's part was."""

    NOBODY = "nobody"
    BOT = "bot"
    NETWORK = "network"
    SERVER = "server"
    ORGANISER = "organiser"


class PlayedBy(StrEnum):
    """Who chose actions: the bot, the default at zero or after illegal acts, or a stand-in."""

    BOT = "bot"
    TIME_OUT = "time_out"
    ILLEGAL_ACTS = "illegal_acts"
    STAND_IN = "stand_in"


# Seats lost for one of these were lost because nobody was there.
ABSENCES = frozenset({SeatEnd.DISCONNECTED, SeatEnd.LEFT, SeatEnd.NO_SHOW})
