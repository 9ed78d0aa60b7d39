"""The journal of acts on hosts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of the journal."""
    op.create_table(
        "journal",
        sa.Column(
            "sequence",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("mac", sa.String(length=64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("relaunch", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("sequence", name=op.f("pk_journal")),
    )
    op.create_index(op.f("ix_journal_relaunch"), "journal", ["relaunch"])


def downgrade() -> None:
    """Drop the journal: export it first."""
    op.drop_table("journal")
