"""Migrations: fresh, older and newer databases, on both kinds of database."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Engine, NullPool, create_engine, make_url, text

from burraco.server.store import LogRow, StoreUnusable, TokenRow
from burraco.server.store.choosing import choose_store
from burraco.server.store.relational import RelationalStore
from burraco.server.store.tables import metadata

# What version 0.1 made, without migrations; read by no code of ours any more.
_UNMARKED = """
CREATE TABLE schema (version INTEGER NOT NULL, PRIMARY KEY (version));
INSERT INTO schema VALUES (1);
CREATE TABLE tokens (hash {bytes} NOT NULL, name VARCHAR(40) NOT NULL,
  scopes VARCHAR(80) NOT NULL, created_ms BIGINT NOT NULL, PRIMARY KEY (hash));
CREATE TABLE matches (match_id VARCHAR(64) NOT NULL, state VARCHAR(10) NOT NULL,
  board_id VARCHAR(64) NOT NULL, created_ms BIGINT NOT NULL, summary {bytes} NOT NULL,
  PRIMARY KEY (match_id));
CREATE INDEX matches_by_age ON matches (created_ms, match_id);
CREATE INDEX matches_by_board ON matches (board_id);
CREATE INDEX matches_by_state ON matches (state);
CREATE TABLE seats (match_id VARCHAR(64) NOT NULL, seat INTEGER NOT NULL,
  player VARCHAR(40) NOT NULL, PRIMARY KEY (match_id, seat));
CREATE INDEX seats_by_player ON seats (player);
CREATE TABLE log (match_id VARCHAR(64) NOT NULL, version INTEGER NOT NULL,
  kind VARCHAR(16) NOT NULL, payload TEXT NOT NULL, chain {bytes} NOT NULL,
  PRIMARY KEY (match_id, version));
INSERT INTO matches VALUES ('old', 'running', '', 1, {empty});
INSERT INTO log VALUES ('old', 1, 'created', '{{}}', {empty});
INSERT INTO tokens VALUES ({empty}, 'bot', 'play', 5)
"""


def engine_of(database: str) -> Engine:
    url = make_url(database)
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    return create_engine(url, poolclass=NullPool)


def run(database: str, *statements: str) -> None:
    engine = engine_of(database)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def difference(connection: Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(connection), metadata))


def store_of(database: str) -> RelationalStore:
    return choose_store(database, Path("unused"))


async def test_migrations_end_at_the_tables_that_the_code_reads(
    store: RelationalStore, database: str
) -> None:
    engine = engine_of(database)
    with engine.connect() as connection:
        assert difference(connection) == []
    engine.dispose()


async def test_a_database_from_before_migrations_is_taken_over_with_all_that_is_in_it(
    database: str,
) -> None:
    is_sqlite = database.startswith("sqlite")
    script = _UNMARKED.format(
        bytes="BLOB" if is_sqlite else "BYTEA", empty="x'00'" if is_sqlite else "'\\x00'::bytea"
    )
    run(database, *script.split(";"))
    store = store_of(database)
    await store.open()
    assert await store.claim() == ["old"]
    assert await store.log("old") == [LogRow("old", 1, "created", "{}", b"\0")]
    assert await store.tokens() == [TokenRow(b"\0", "bot", ("play",), 5, None, None)]
    await store.close()
    engine = engine_of(database)
    with engine.connect() as connection:
        assert difference(connection) == []
    engine.dispose()


async def test_a_database_is_opened_again_without_a_change(
    store: RelationalStore, database: str
) -> None:
    again = store_of(database)
    await again.open()
    await again.close()


@pytest.mark.parametrize(
    "statement",
    ["UPDATE alembic_version SET version_num = '9999'"],
)
async def test_a_newer_database_is_refused_in_words(
    store: RelationalStore, database: str, statement: str
) -> None:
    run(database, statement)
    newer = store_of(database)
    with pytest.raises(StoreUnusable, match="revision 9999, which this version does not know; use"):
        await newer.open()
    await newer.close()


async def test_an_unmarked_database_of_another_version_is_refused(database: str) -> None:
    run(database, "CREATE TABLE schema (version INTEGER)", "INSERT INTO schema VALUES (2)")
    store = store_of(database)
    with pytest.raises(StoreUnusable, match="revision 2, which"):
        await store.open()
    await store.close()
