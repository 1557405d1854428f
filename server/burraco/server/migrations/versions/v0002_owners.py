"""Owner epochs of the service and of every match; alembic's own table for ``schema``."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0002"
down_revision: Final = "0001"


def upgrade() -> None:
    """Nobody owns anything yet: the first server to come takes epoch 1."""
    service = op.create_table(
        "service",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
    )
    op.bulk_insert(service, [{"id": 1, "epoch": 0}])
    op.add_column("matches", sa.Column("epoch", sa.BigInteger, nullable=False, server_default="0"))
    op.drop_table("schema")
