"""Tokens that end, and the audit log of what was done with them."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0003"
down_revision: Final = "0002"


def upgrade() -> None:
    """Tokens made before never expire."""
    op.add_column("tokens", sa.Column("expires_ms", sa.BigInteger, nullable=True))
    op.add_column("tokens", sa.Column("revoked_ms", sa.BigInteger, nullable=True))
    op.create_table(
        "audit",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("actor", sa.String(40), nullable=False),
        sa.Column("token_id", sa.String(16), nullable=False),
        sa.Column("act", sa.String(40), nullable=False),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
    )
