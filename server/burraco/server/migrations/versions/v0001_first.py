"""The tables of version 0.1: tokens, matches with their seats, and the log."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0001"
down_revision: Final = None


def upgrade() -> None:
    """Make them."""
    op.create_table("schema", sa.Column("version", sa.Integer, primary_key=True))
    op.create_table(
        "tokens",
        sa.Column("hash", sa.LargeBinary(32), primary_key=True),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("scopes", sa.String(80), nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "matches",
        sa.Column("match_id", sa.String(64), primary_key=True),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("board_id", sa.String(64), nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("summary", sa.LargeBinary, nullable=False),
    )
    op.create_index("matches_by_age", "matches", ["created_ms", "match_id"])
    op.create_index("matches_by_board", "matches", ["board_id"])
    op.create_index("matches_by_state", "matches", ["state"])
    op.create_table(
        "seats",
        sa.Column("match_id", sa.String(64), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("player", sa.String(40), nullable=False),
    )
    op.create_index("seats_by_player", "seats", ["player"])
    op.create_table(
        "log",
        sa.Column("match_id", sa.String(64), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("chain", sa.LargeBinary(32), nullable=False),
    )
