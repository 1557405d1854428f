"""Tournaments and their logs in the tables of a relational store."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlalchemy import Executable, Select, Table, insert, select, tuple_
from sqlalchemy.engine import Connection, RowMapping

from burraco.server.store import TournamentLogRow, TournamentRow
from burraco.server.store.tables import tournament_log, tournaments

Put = Callable[[Table, Sequence[str], Sequence[str]], Executable]
_KEYS: Final = ("tournament_id",)
_CHANGES: Final = ("state", "version", "summary")


def put_tournament(
    put: Put, changed: TournamentRow, rows: Sequence[TournamentLogRow], connection: Connection
) -> None:
    """Add rows to the log of a tournament, and put the tournament in place."""
    if rows:
        connection.execute(insert(tournament_log), [row._asdict() for row in rows])
    values = {
        "tournament_id": changed.tournament_id,
        "state": changed.state,
        "created_ms": changed.created_ms,
        "secret": changed.secret,
        "version": changed.version,
        "summary": changed.summary,
    }
    connection.execute(put(tournaments, _KEYS, _CHANGES), [values])


def has_row(row: TournamentLogRow, connection: Connection) -> bool:
    """Whether a row of a log is there."""
    wanted = select(tournament_log.c.chain).where(
        tournament_log.c.tournament_id == row.tournament_id,
        tournament_log.c.version == row.version,
    )
    return connection.execute(wanted).scalar() == row.chain


def log_of(tournament_id: str) -> Select[tuple[Any, ...]]:
    """A query for a whole log in order."""
    mine = tournament_log.c.tournament_id == tournament_id
    return select(tournament_log).where(mine).order_by(tournament_log.c.version)


def one_tournament(tournament_id: str) -> Select[tuple[Any, ...]]:
    """A query for one tournament."""
    return select(tournaments).where(tournaments.c.tournament_id == tournament_id)


def tournaments_after(
    after: tuple[int, str] | None, states: Sequence[str], limit: int | None
) -> Select[tuple[Any, ...]]:
    """A query for tournaments, oldest first; no states for all of them."""
    query = select(tournaments).order_by(tournaments.c.created_ms, tournaments.c.tournament_id)
    if after is not None:
        query = query.where(tuple_(tournaments.c.created_ms, tournaments.c.tournament_id) > after)
    if states:
        query = query.where(tournaments.c.state.in_(states))
    return query if limit is None else query.limit(limit)


def tournament_of(row: RowMapping) -> TournamentRow:
    """A tournament from its columns."""
    return TournamentRow(**row)


def log_row_of(row: RowMapping) -> TournamentLogRow:
    """A row of a log from its columns."""
    return TournamentLogRow(**row)
