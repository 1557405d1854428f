"""The tables of the relational stores, as the last migration leaves them."""

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

metadata: Final = MetaData()

# One row: the epoch of the server that has the database.
service: Final = Table(
    "service",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("epoch", BigInteger, nullable=False),
)

tokens: Final = Table(
    "tokens",
    metadata,
    Column("hash", LargeBinary(32), primary_key=True),
    Column("name", String(40), nullable=False),
    Column("scopes", String(80), nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=True),
    Column("revoked_ms", BigInteger, nullable=True),
)

audit: Final = Table(
    "audit",
    metadata,
    # SQLite counts rows by itself in a column of exactly this type.
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
    Column("actor", String(40), nullable=False),
    Column("token_id", String(16), nullable=False),
    Column("act", String(40), nullable=False),
    Column("subject", String(64), nullable=False),
    Column("detail", Text, nullable=False),
)

# ``epoch`` is that of the server that owns the match: nobody else may write to its log.
matches: Final = Table(
    "matches",
    metadata,
    Column("match_id", String(64), primary_key=True),
    Column("state", String(10), nullable=False),
    Column("board_id", String(64), nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("summary", LargeBinary, nullable=False),
    Column("epoch", BigInteger, nullable=False, server_default="0"),
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

# ``secret`` is what cards and lots are drawn from; the log has it in its last row, at the end.
tournaments: Final = Table(
    "tournaments",
    metadata,
    Column("tournament_id", String(64), primary_key=True),
    Column("state", String(10), nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("secret", LargeBinary(32), nullable=False),
    Column("version", Integer, nullable=False),
    Column("summary", LargeBinary, nullable=False),
    Index("tournaments_by_age", "created_ms", "tournament_id"),
    Index("tournaments_by_state", "state"),
)

tournament_log: Final = Table(
    "tournament_log",
    metadata,
    Column("tournament_id", String(64), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("payload", Text, nullable=False),
    Column("chain", LargeBinary(32), nullable=False),
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
