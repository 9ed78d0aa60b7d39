"""Which message shows a relaunch."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "run_cards",
        sa.Column("relaunch_id", sa.String(length=64), nullable=False),
        sa.Column("message", sa.String(length=255), nullable=True),
        sa.Column("shown", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["relaunch_id"],
            ["relaunches.id"],
            name=op.f("fk_run_cards_relaunch_id_relaunches"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("relaunch_id", name=op.f("pk_run_cards")),
    )


def downgrade() -> None:
    """Forget which messages they are; the messages stay."""
    op.drop_table("run_cards")
