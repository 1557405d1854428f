"""What the server refuses besides the rules of the game, with its canonical code: one table."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

DOMAIN: Final = "burraco"


class Complaint(StrEnum):
    """Why a request was refused; part of the contract, so members are added and never renamed."""

    MALFORMED_FRAME = "MALFORMED_FRAME"
    INVALID_FIELD = "INVALID_FIELD"
    HELLO_FIRST = "HELLO_FIRST"
    HELLO_AGAIN = "HELLO_AGAIN"
    PLAYER_UNKNOWN = "PLAYER_UNKNOWN"
    TOKEN_MISSING = "TOKEN_MISSING"
    TOKEN_UNKNOWN = "TOKEN_UNKNOWN"
    TOKEN_EXPIRED = "TOKEN_EXPIRED"
    TOKEN_REVOKED = "TOKEN_REVOKED"
    TOKEN_ID_UNKNOWN = "TOKEN_ID_UNKNOWN"
    TOKEN_ENDED = "TOKEN_ENDED"
    SCOPE_MISSING = "SCOPE_MISSING"
    MATCH_UNKNOWN = "MATCH_UNKNOWN"
    MATCH_EXISTS = "MATCH_EXISTS"
    SEAT_TAKEN = "SEAT_TAKEN"
    ALREADY_SEATED = "ALREADY_SEATED"
    MATCH_STARTED = "MATCH_STARTED"
    MATCH_RUNNING = "MATCH_RUNNING"
    MATCH_ENDED = "MATCH_ENDED"
    MATCH_QUARANTINED = "MATCH_QUARANTINED"
    SEATS_NOT_DRAWN = "SEATS_NOT_DRAWN"
    BOARD_MISMATCH = "BOARD_MISMATCH"
    NAME_TAKEN = "NAME_TAKEN"
    SUPERSEDED = "SUPERSEDED"
    SLOW_READER = "SLOW_READER"
    MAILBOX_FULL = "MAILBOX_FULL"
    BUSY = "BUSY"
    FRAME_TOO_LARGE = "FRAME_TOO_LARGE"
    METADATA_TOO_LARGE = "METADATA_TOO_LARGE"
    TOO_MANY_STREAMS = "TOO_MANY_STREAMS"
    TOO_MANY_MATCHES = "TOO_MANY_MATCHES"
    TOO_MANY_ACTS = "TOO_MANY_ACTS"
    TOO_MANY_ILLEGAL_ACTS = "TOO_MANY_ILLEGAL_ACTS"
    TOURNAMENT_UNKNOWN = "TOURNAMENT_UNKNOWN"
    TOURNAMENT_EXISTS = "TOURNAMENT_EXISTS"
    TOURNAMENT_MOVED_ON = "TOURNAMENT_MOVED_ON"
    TOURNAMENT_NOT_STARTED = "TOURNAMENT_NOT_STARTED"
    TOURNAMENT_STARTED = "TOURNAMENT_STARTED"
    TOURNAMENT_OVER = "TOURNAMENT_OVER"
    TOURNAMENT_DAMAGED = "TOURNAMENT_DAMAGED"
    ENTRIES_CLOSED = "ENTRIES_CLOSED"
    ALREADY_ENTERED = "ALREADY_ENTERED"
    ENTRY_UNKNOWN = "ENTRY_UNKNOWN"
    FIELD_TOO_SMALL = "FIELD_TOO_SMALL"
    NO_SUCH_TABLE = "NO_SUCH_TABLE"
    LOG_UNAVAILABLE = "LOG_UNAVAILABLE"
    DRAINING = "DRAINING"
    INTERNAL = "INTERNAL"


CODES: Final[Mapping[Complaint, str]] = {
    Complaint.MALFORMED_FRAME: "INVALID_ARGUMENT",
    Complaint.INVALID_FIELD: "INVALID_ARGUMENT",
    Complaint.HELLO_FIRST: "FAILED_PRECONDITION",
    Complaint.HELLO_AGAIN: "FAILED_PRECONDITION",
    Complaint.PLAYER_UNKNOWN: "INVALID_ARGUMENT",
    Complaint.TOKEN_MISSING: "UNAUTHENTICATED",
    Complaint.TOKEN_UNKNOWN: "UNAUTHENTICATED",
    Complaint.TOKEN_EXPIRED: "UNAUTHENTICATED",
    Complaint.TOKEN_REVOKED: "UNAUTHENTICATED",
    Complaint.TOKEN_ID_UNKNOWN: "NOT_FOUND",
    Complaint.TOKEN_ENDED: "FAILED_PRECONDITION",
    Complaint.SCOPE_MISSING: "PERMISSION_DENIED",
    Complaint.MATCH_UNKNOWN: "NOT_FOUND",
    Complaint.MATCH_EXISTS: "ALREADY_EXISTS",
    Complaint.SEAT_TAKEN: "FAILED_PRECONDITION",
    Complaint.ALREADY_SEATED: "FAILED_PRECONDITION",
    Complaint.MATCH_STARTED: "FAILED_PRECONDITION",
    Complaint.MATCH_RUNNING: "FAILED_PRECONDITION",
    Complaint.MATCH_ENDED: "FAILED_PRECONDITION",
    Complaint.MATCH_QUARANTINED: "DATA_LOSS",
    Complaint.SEATS_NOT_DRAWN: "FAILED_PRECONDITION",
    Complaint.BOARD_MISMATCH: "FAILED_PRECONDITION",
    Complaint.NAME_TAKEN: "ALREADY_EXISTS",
    Complaint.SUPERSEDED: "ABORTED",
    Complaint.SLOW_READER: "RESOURCE_EXHAUSTED",
    Complaint.MAILBOX_FULL: "RESOURCE_EXHAUSTED",
    Complaint.BUSY: "RESOURCE_EXHAUSTED",
    Complaint.FRAME_TOO_LARGE: "RESOURCE_EXHAUSTED",
    Complaint.METADATA_TOO_LARGE: "RESOURCE_EXHAUSTED",
    Complaint.TOO_MANY_STREAMS: "RESOURCE_EXHAUSTED",
    Complaint.TOO_MANY_MATCHES: "RESOURCE_EXHAUSTED",
    Complaint.TOO_MANY_ACTS: "RESOURCE_EXHAUSTED",
    Complaint.TOO_MANY_ILLEGAL_ACTS: "RESOURCE_EXHAUSTED",
    Complaint.TOURNAMENT_UNKNOWN: "NOT_FOUND",
    Complaint.TOURNAMENT_EXISTS: "ALREADY_EXISTS",
    Complaint.TOURNAMENT_MOVED_ON: "ABORTED",
    Complaint.TOURNAMENT_NOT_STARTED: "FAILED_PRECONDITION",
    Complaint.TOURNAMENT_STARTED: "FAILED_PRECONDITION",
    Complaint.TOURNAMENT_OVER: "FAILED_PRECONDITION",
    Complaint.TOURNAMENT_DAMAGED: "DATA_LOSS",
    Complaint.ENTRIES_CLOSED: "FAILED_PRECONDITION",
    Complaint.ALREADY_ENTERED: "ALREADY_EXISTS",
    Complaint.ENTRY_UNKNOWN: "NOT_FOUND",
    Complaint.FIELD_TOO_SMALL: "FAILED_PRECONDITION",
    Complaint.NO_SUCH_TABLE: "FAILED_PRECONDITION",
    Complaint.LOG_UNAVAILABLE: "UNAVAILABLE",
    Complaint.DRAINING: "UNAVAILABLE",
    Complaint.INTERNAL: "INTERNAL",
}


class ArenaError(Exception):
    """A request that the server refuses; nothing has changed.

    ``message`` says what was wrong and what to do next, ``facts`` are its variable parts.
    """

    def __init__(self, complaint: Complaint, message: str, **facts: str) -> None:
        self.complaint = complaint
        self.message = message
        self.facts: dict[str, str] = facts
        super().__init__(complaint, message)

    def __str__(self) -> str:
        return f"{self.complaint}: {self.message}"

    @property
    def code(self) -> str:
        """Name of the canonical gRPC code."""
        return CODES[self.complaint]

    @property
    def retry_ms(self) -> int | None:
        """Milliseconds after which the same may be sent again, None where waiting does not help."""
        told = self.facts.get("retry_ms")
        return None if told is None else int(told)


def invalid(field: str, problem: str) -> ArenaError:
    """A field that cannot be used; ``problem`` says why and what fits."""
    return ArenaError(Complaint.INVALID_FIELD, f"{field}: {problem}", field=field)


def unknown_match(match_id: str) -> ArenaError:
    """One text for a match that is not there and for one that is not the caller's."""
    return ArenaError(
        Complaint.MATCH_UNKNOWN,
        "no such match, or it is not yours: list yours with ListMatches",
        match_id=match_id[:64],
    )


def quarantined(match_id: str) -> ArenaError:
    """The answer for a match whose log is not what this server wrote."""
    return ArenaError(
        Complaint.MATCH_QUARANTINED,
        "the log of this match is damaged: it is kept aside and counts for nobody; play another",
        match_id=match_id,
    )


def draining() -> ArenaError:
    """The answer to everything new while the server stops."""
    return ArenaError(
        Complaint.DRAINING,
        "the server is about to stop: reconnect in a few seconds",
        retry_ms="2000",
    )


def internal(error_id: str) -> ArenaError:
    """A fault of the server's own; the id finds it in the log."""
    return ArenaError(
        Complaint.INTERNAL,
        f"internal error {error_id}: a fault of the server, no fault of yours; send the same again,"
        " and if that fails too, tell whoever runs the server this id",
        error_id=error_id,
    )


def log_unavailable() -> ArenaError:
    """The log could not take it, so nothing happened."""
    return ArenaError(
        Complaint.LOG_UNAVAILABLE,
        "the event log is not available, nothing was changed: send the same again in a second",
        retry_ms="1000",
    )
