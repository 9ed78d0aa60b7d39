"""An index that holds all that the figures of a time ask for."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_NAME = "ix_answers_decided_at_status_rule"


def upgrade() -> None:
    """Make the index."""
    op.create_index(op.f(_NAME), "answers", ["decided_at", "status", "rule"], unique=False)


def downgrade() -> None:
    """Remove it."""
    op.drop_index(op.f(_NAME), table_name="answers")
