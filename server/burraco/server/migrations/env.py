"""What alembic runs the migrations in: the connection and transaction of whoever opens a store."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
