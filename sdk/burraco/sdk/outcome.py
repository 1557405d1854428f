"""How a match came out, for bots and organisers."""

from dataclasses import dataclass
from enum import StrEnum


class MatchEnd(StrEnum):
    """How the match as a whole ended; a void one counts for nobody."""

    PLAYED = "played"
    ADJUDICATED = "adjudicated"
    VOID = "void"
    FORFEITED = "forfeited"


class SeatEnd(StrEnum):
    """How a seat's part ended; the match is clean only when all are."""

    CLEAN = "clean"
    STRIKES = "strikes"
    ILLEGAL_ACTS = "illegal acts"
    TIME_OUTS = "time-outs"
    DISCONNECTED = "disconnected"
    NO_SHOW = "no show"
    LEFT = "left"
    STOPPED = "stopped"
    VOID = "void"


class Fault(StrEnum):
    """Whose fault an unclean end was."""

    NOBODY = "nobody"
    BOT = "bot"
    NETWORK = "network"
    SERVER = "server"
    ORGANISER = "organiser"


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How one seat did.

    ``think_ms`` is how long the player had its questions, in all, without the ``network_ms`` that
    were credited to its line. ``take_overs`` is how often a stand-in took the seat.
    """

    seat: int
    player: str
    end: SeatEnd
    fault: Fault
    illegal_acts: int
    time_outs: int
    decisions: int
    think_ms: int
    network_ms: int = 0
    strikes: int = 0
    take_overs: int = 0


@dataclass(frozen=True, slots=True)
class MatchResult:
    """Outcome of a match; ``winner`` is a side, or None for equal totals and for a void match.

    ``totals`` are by side as dealt, ``seats`` N E S W as far as there are players. ``seed`` is
    empty while another table still plays the same board.
    """

    end: MatchEnd
    totals: tuple[int, ...]
    winner: int | None
    deals: int
    seats: tuple[SeatResult, ...] = ()
    seed: bytes = b""
    nonces: tuple[bytes, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether it was played to its end without a fault of any seat."""
        return self.end is MatchEnd.PLAYED and all(seat.end is SeatEnd.CLEAN for seat in self.seats)
