"""A tournament's log in memory: rows become values, and values rows with their hashes."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from burraco.server.journal import chained
from burraco.server.store import TournamentLogRow, TournamentRow
from burraco.server.tournaments.refusals import moved_on, over
from burraco.server.tournaments.terms import terms_from_text
from burraco.tournament.boards import commitment_to
from burraco.tournament.progress import Progress, Status
from burraco.tournament.rows import Opened, Row, row_from_json, row_to_json

OVER = frozenset({Status.FINISHED, Status.CANCELLED})
# State of one that was set aside; no status of a log that can be read.
DAMAGED = "damaged"
LIVING = tuple(status.value for status in Status if status not in OVER)


class TournamentDamaged(Exception):
    """A log that cannot be what this server wrote; the text says where."""


class Logbook:
    """A tournament as its log tells it, with the secret that the log shows only at its end.

    ``rows`` are all of them, ``chain`` is the hash of the last. ``ranked`` is what the standings
    were found to be, and by what; whoever finds them holds ``ranking``.
    """

    __slots__ = ("chain", "created_ms", "progress", "ranked", "ranking", "rows", "secret", "terms")

    def __init__(self, opened: Opened, chain: bytes, secret: bytes, created_ms: int) -> None:
        self.progress = Progress(opened)
        self.rows: list[Row] = [opened]
        self.chain = chain
        self.secret = secret
        self.created_ms = created_ms
        self.terms = terms_from_text(opened.terms)
        self.ranked: tuple[object, Any] = (None, None)
        self.ranking = asyncio.Lock()

    @property
    def tournament_id(self) -> str:
        """Its id."""
        return self.progress.opened.event_id

    @property
    def is_over(self) -> bool:
        """Whether nothing more can happen."""
        return self.progress.status in OVER

    def was_taken(self, expected: int, row: Row) -> bool:
        """Whether that very step followed on a version, whoever took it."""
        if not 0 < expected < len(self.rows):
            return False
        taken: Any = self.rows[expected]
        mine: Any = row
        return type(taken) is type(row) and replace(taken, by=mine.by) == row

    def is_repeated(self, expected: int, row: Row) -> bool:
        """Whether a step decided on a version, 0 for any, was taken before.

        Raises the refusal of one that was decided on what is no more.
        """
        version = self.progress.version
        if expected not in (0, version):
            if self.was_taken(expected, row):
                return True
            raise moved_on(version)
        if self.is_over:
            raise over(self.tournament_id)
        return False

    def written(self, rows: Sequence[Row]) -> list[TournamentLogRow]:
        """What the next rows of the log are stored as."""
        return _written(self.tournament_id, self.progress.version, self.chain, rows)

    def add(self, row: Row, chain: bytes) -> None:
        """Take in the next row of the log with its hash."""
        self.progress.apply(row)
        self.rows.append(row)
        self.chain = chain


def open_logbook(
    opened: Opened, secret: bytes, created_ms: int
) -> tuple[Logbook, TournamentLogRow]:
    """A new tournament, and the first row of its log."""
    (first,) = _written(opened.event_id, 0, b"", [opened])
    return Logbook(opened, first.chain, secret, created_ms), first


def fold(found: TournamentRow, rows: Sequence[TournamentLogRow]) -> Logbook:
    """The tournament that a whole log describes."""
    if len(rows) != found.version:
        raise _damaged(found, f"it has {len(rows)} rows, and {found.version} were written")
    book: Logbook | None = None
    chain = b""
    for place, stored in enumerate(rows, start=1):
        if stored.version != place or stored.chain != _chained(chain, stored):
            raise _damaged(found, f"it breaks at row {place}")
        chain = stored.chain
        try:
            row = row_from_json(stored.kind, stored.payload)
            if book is None:
                book = _begun(found, row, chain)
            else:
                book.add(row, chain)
        except Exception as error:
            # Whatever a row leads to that no server of ours would have written.
            raise _damaged(found, f"row {place} does not follow from those before it") from error
    if book is None:
        raise _damaged(found, "it is empty")
    return book


def _begun(found: TournamentRow, row: Row, chain: bytes) -> Logbook:
    assert isinstance(row, Opened), "a log begins with how its tournament was made"
    assert row.event_id == found.tournament_id, "the log is that of another tournament"
    assert row.commitment == commitment_to(row.event_id, found.secret), "the secret is another one"
    return Logbook(row, chain, found.secret, found.created_ms)


def _written(
    tournament_id: str, version: int, chain: bytes, rows: Sequence[Row]
) -> list[TournamentLogRow]:
    written = []
    for place, row in enumerate(rows, start=version + 1):
        plain = TournamentLogRow(tournament_id, place, *row_to_json(row), b"")
        chain = _chained(chain, plain)
        written.append(plain._replace(chain=chain))
    return written


def _chained(previous: bytes, row: TournamentLogRow) -> bytes:
    """The kind is hashed with the row, since its JSON does not have it."""
    return chained(previous, f"{row.kind} {row.payload}")


def _damaged(found: TournamentRow, why: str) -> TournamentDamaged:
    return TournamentDamaged(f"tournament {found.tournament_id}: the log is damaged: {why}")
