"""Who works on an event, and notes that outlive the process."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Let events be claimed, and make the table of notes."""
    op.add_column("inbox", sa.Column("claimed_by", sa.String(length=64), nullable=True))
    op.add_column("inbox", sa.Column("claimed_until", sa.BigInteger(), nullable=True))
    op.create_table(
        "notes",
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_notes")),
    )


def downgrade() -> None:
    """Forget both."""
    op.drop_table("notes")
    op.drop_column("inbox", "claimed_until")
    op.drop_column("inbox", "claimed_by")
