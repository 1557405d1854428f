"""Tournaments and their logs."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0004"
down_revision: Final = "0003"


def upgrade() -> None:
    """Make their tables."""
    op.create_table(
        "tournaments",
        sa.Column("tournament_id", sa.String(64), primary_key=True),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("secret", sa.LargeBinary(32), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("summary", sa.LargeBinary, nullable=False),
    )
    op.create_index("tournaments_by_age", "tournaments", ["created_ms", "tournament_id"])
    op.create_index("tournaments_by_state", "tournaments", ["state"])
    op.create_table(
        "tournament_log",
        sa.Column("tournament_id", sa.String(64), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("chain", sa.LargeBinary(32), nullable=False),
    )
