"""How alembic reaches the database: over the connection it was handed. Not for its command line."""

from __future__ import annotations

from alembic import context

from bot.store.tables import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
