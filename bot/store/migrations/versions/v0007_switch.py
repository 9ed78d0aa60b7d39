"""Whether somebody turned relaunching off."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table; relaunching is on."""
    op.create_table(
        "switched_off",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("by", sa.String(length=255), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_switched_off")),
    )


def downgrade() -> None:
    """Forget that it was off; an older release knows the setting alone."""
    op.drop_table("switched_off")
