"""The rows of an event's log as values, and as the JSON that is stored and exported."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Final, get_args

from pydantic import TypeAdapter, ValidationError

from burraco.tournament.field import Entry, Round
from burraco.tournament.plan import Plan


@dataclass(frozen=True, slots=True)
class Opened:
    """An event was made. ``commitment`` binds it to a secret that is kept apart until the end.

    ``terms`` is what its matches are played by, as text of whoever makes them.
    """

    event_id: str
    plan: Plan
    terms: str
    commitment: str
    by: str


@dataclass(frozen=True, slots=True)
class Entered:
    """Somebody entered."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """An entry plays on no more; what it has played stays."""

    entry: int
    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class Started:
    """The field is complete, but for late entries; who plays which version is fixed."""

    by: str


@dataclass(frozen=True, slots=True)
class Paused:
    """No further table begins; those that are played end."""

    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """Tables begin again."""

    by: str


@dataclass(frozen=True, slots=True)
class RoundPaired:
    """A round begins."""

    stage: int
    round: Round


@dataclass(frozen=True, slots=True)
class Half:
    """A table of a board that ended. ``points`` and ``at_fault`` are by the sides of the pairing.

    ``end`` says how the match ended, ``reasons`` how each seat did, N E S W.
    """

    match_id: str
    points: tuple[int, int]
    at_fault: tuple[bool, bool]
    end: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoardPlayed:
    """All halves of a board of a table are over and count."""

    table: int
    board: int
    attempt: int
    halves: tuple[Half, ...]


@dataclass(frozen=True, slots=True)
class BoardVoided:
    """A board of a table counts for nobody: it is played again with other cards."""

    table: int
    board: int
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class TableRequeued:
    """An organiser has all boards of a table played again with other cards."""

    table: int
    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class TableAdjudicated:
    """An organiser decided a table: what its sides gain, in match points."""

    table: int
    gains: tuple[int, int]
    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The event is over: the only end that stands for one that was played out.

    ``secret`` shows what all cards and lots were drawn from.
    """

    reason: str
    secret: str


@dataclass(frozen=True, slots=True)
class Cancelled:
    """An organiser ended the event; its standings are those of the rounds that were played."""

    reason: str
    by: str
    secret: str


Row = (
    Opened
    | Entered
    | Withdrawn
    | Started
    | Paused
    | Resumed
    | RoundPaired
    | BoardPlayed
    | BoardVoided
    | TableRequeued
    | TableAdjudicated
    | Finished
    | Cancelled
)
_KINDS: Final[dict[str, type[Row]]] = {kind.__name__: kind for kind in get_args(Row)}


class UnreadableRow(ValueError):
    """A row that is not one of a log."""


def row_to_json(row: Row) -> tuple[str, str]:
    """Kind and JSON of a row; equal rows give equal bytes."""
    kind = type(row).__name__
    return kind, _adapter(kind).dump_json(row).decode()


def row_from_json(kind: str, payload: str) -> Row:
    """A row from what ``row_to_json`` wrote; every field has to be there and be of its type."""
    if kind not in _KINDS:
        raise UnreadableRow(f"{kind[:40]!r} is no kind of row")
    try:
        row: Row = _adapter(kind).validate_json(payload, strict=True)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise UnreadableRow(f"{kind}.{place}: {first['msg']}") from None
    return row


@cache
def _adapter(kind: str) -> "TypeAdapter[Any]":
    return TypeAdapter(_KINDS[kind])
