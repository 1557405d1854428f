"""Which store a host has asked for."""

from pathlib import Path
from typing import Final

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from burraco.server.store import StoreUnusable
from burraco.server.store.postgres import postgres_store
from burraco.server.store.relational import RelationalStore
from burraco.server.store.sqlite import sqlite_store

_POSTGRES: Final = frozenset({"postgresql", "postgres", "postgresql+psycopg"})


def choose_store(database: str | None, usual: Path) -> RelationalStore:
    """The store at a URL, or in the file ``usual`` where none is given."""
    if database is None:
        return sqlite_store(usual)
    try:
        url = make_url(database)
    except (ArgumentError, ValueError):
        raise _refused() from None
    if url.drivername in _POSTGRES:
        return postgres_store(url)
    if url.drivername == "sqlite" and url.database:
        return sqlite_store(Path(url.database))
    raise _refused()


def _refused() -> StoreUnusable:
    # Not what was given: it may hold a password.
    return StoreUnusable(
        "--database is not a URL this server knows: postgresql://USER@HOST/NAME, or"
        " sqlite:///FILE, or leave it out for a file in the --data folder"
    )
