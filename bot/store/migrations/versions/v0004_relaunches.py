"""Relaunches: runs, their events, approvals, locks of hosts, and the outbox to the engine."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    _make_relaunches()
    _make_events()
    _make_approvals()
    _make_locks()
    _make_outbox()


def downgrade() -> None:
    """Drop the tables, those that refer to others first."""
    for name in ("outbox", "host_locks", "approvals", "relaunch_events", "relaunches"):
        op.drop_table(name)


def _counter() -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return sa.Column("sequence", kind, autoincrement=True, nullable=False)


def _of_relaunch(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_relaunch_id_relaunches")
    return sa.ForeignKeyConstraint(["relaunch_id"], ["relaunches.id"], name=name, ondelete="CASCADE")


def _make_relaunches() -> None:
    op.create_table(
        "relaunches",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("server", sa.String(length=255), nullable=False),
        sa.Column("open_key", sa.String(length=512), nullable=True),
        sa.Column("state", sa.String(length=32), nullable=False),
        sa.Column("held", sa.String(length=32), nullable=True),
        sa.Column("requester", sa.String(length=255), nullable=False),
        sa.Column("incident_id", sa.String(length=64), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("plan", sa.JSON(), nullable=True),
        sa.Column("plan_hash", sa.String(length=64), nullable=False),
        sa.Column("origin", sa.JSON(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=True),
        sa.Column("cancelled_by", sa.String(length=255), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_relaunches")),
        sa.UniqueConstraint("open_key", name=op.f("uq_relaunches_open_key")),
    )
    for columns in (["host", "asked_at"], ["requester", "asked_at"], ["asked_at"], ["incident_id"]):
        op.create_index(op.f(f"ix_relaunches_{'_'.join(columns)}"), "relaunches", columns)


def _make_events() -> None:
    op.create_table(
        "relaunch_events",
        _counter(),
        sa.Column("relaunch_id", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=128), nullable=False),
        sa.Column("state", sa.String(length=32), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        _of_relaunch("relaunch_events"),
        sa.PrimaryKeyConstraint("sequence", name=op.f("pk_relaunch_events")),
        sa.UniqueConstraint("relaunch_id", "key", name=op.f("uq_relaunch_events_relaunch_id_key")),
        sqlite_autoincrement=True,
    )


def _make_approvals() -> None:
    op.create_table(
        "approvals",
        sa.Column("relaunch_id", sa.String(length=64), nullable=False),
        sa.Column("actor_id", sa.String(length=255), nullable=False),
        sa.Column("plan_hash", sa.String(length=64), nullable=False),
        sa.Column("actor", sa.JSON(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        _of_relaunch("approvals"),
        sa.PrimaryKeyConstraint("relaunch_id", "actor_id", name=op.f("pk_approvals")),
    )


def _make_locks() -> None:
    op.create_table(
        "host_locks",
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("relaunch_id", sa.String(length=64), nullable=True),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_host_locks")),
    )


def _make_outbox() -> None:
    op.create_table(
        "outbox",
        _counter(),
        sa.Column("key", sa.String(length=128), nullable=False),
        sa.Column("relaunch_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("taken_at", sa.BigInteger(), nullable=True),
        _of_relaunch("outbox"),
        sa.PrimaryKeyConstraint("sequence", name=op.f("pk_outbox")),
        sa.UniqueConstraint("key", name=op.f("uq_outbox_key")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_outbox_taken_at"), "outbox", ["taken_at"])
