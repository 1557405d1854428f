"""The tables of the relational stores."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

SCHEMA_VERSION: Final = 1

metadata: Final = MetaData()

schema: Final = Table("schema", metadata, Column("version", Integer, primary_key=True))

tokens: Final = Table(
    "tokens",
    metadata,
    Column("hash", LargeBinary(32), primary_key=True),
    Column("name", String(40), nullable=False),
    Column("scopes", String(80), nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

matches: Final = Table(
    "matches",
    metadata,
    Column("match_id", String(64), primary_key=True),
    Column("state", String(10), nullable=False),
    Column("board_id", String(64), nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("summary", LargeBinary, nullable=False),
    Index("matches_by_age", "created_ms", "match_id"),
    Index("matches_by_board", "board_id"),
    Index("matches_by_state", "state"),
)

seats: Final = Table(
    "seats",
    metadata,
    Column("match_id", String(64), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("player", String(40), nullable=False),
    Index("seats_by_player", "player"),
)

log: Final = Table(
    "log",
    metadata,
    Column("match_id", String(64), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("payload", Text, nullable=False),
    Column("chain", LargeBinary(32), nullable=False),
)
