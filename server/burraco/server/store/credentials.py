"""Tokens and the audit log in the tables of a relational store."""

from typing import Final

from sqlalchemy import ColumnElement, Select, insert, select
from sqlalchemy.engine import Connection, RowMapping

from burraco.server.store import AuditRow, TokenRow
from burraco.server.store.tables import audit, tokens

TOKEN_KEYS: Final = ("hash",)
TOKEN_CHANGES: Final = ("name", "scopes", "expires_ms", "revoked_ms")


def token_values(token: TokenRow) -> dict[str, object]:
    """A token as columns."""
    return {
        "hash": token.hash,
        "name": token.name,
        "scopes": " ".join(token.scopes),
        "created_ms": token.created_ms,
        "expires_ms": token.expires_ms,
        "revoked_ms": token.revoked_ms,
    }


def token_of(row: RowMapping) -> TokenRow:
    """A token from its columns."""
    return TokenRow(
        row["hash"],
        row["name"],
        tuple(row["scopes"].split()),
        row["created_ms"],
        row["expires_ms"],
        row["revoked_ms"],
    )


def add_note(noted: AuditRow, connection: Connection) -> None:
    """Keep an entry of the audit log."""
    values = {
        "at_ms": noted.at_ms,
        "actor": noted.actor,
        "token_id": noted.token_id,
        "act": noted.act,
        "subject": noted.subject,
        "detail": noted.detail,
    }
    connection.execute(insert(audit).values(values))


def notes_before(before: int | None, limit: int) -> Select[tuple[object, ...]]:
    """A query for entries of the audit log, newest first."""
    older: list[ColumnElement[bool]] = [] if before is None else [audit.c.number < before]
    return select(audit).where(*older).order_by(audit.c.number.desc()).limit(limit)


def note_of(row: RowMapping) -> AuditRow:
    """An entry of the audit log from its columns."""
    return AuditRow(**row)


def all_tokens() -> Select[tuple[object, ...]]:
    """A query for every token."""
    return select(tokens)
