"""The first shape of the store."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make all tables."""
    _make_inbox()
    _make_incidents()
    _make_answers()
    _make_people()
    _make_room()


def downgrade() -> None:
    """Drop all tables, those that refer to others first."""
    for name in (
        "feedback",
        "answers",
        "incidents",
        "delivery_keys",
        "inbox",
        "sessions",
        "login_links",
        "people",
        "room_events",
    ):
        op.drop_table(name)


def _make_inbox() -> None:
    op.create_table(
        "inbox",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("platform", sa.String(length=255), nullable=False),
        sa.Column("team", sa.String(length=255), nullable=False),
        sa.Column("channel", sa.String(length=255), nullable=False),
        sa.Column("thread", sa.String(length=255), nullable=False),
        sa.Column("message", sa.String(length=255), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
    )
    op.create_index(
        op.f("ix_inbox_platform_team_channel_thread_received_at"),
        "inbox",
        ["platform", "team", "channel", "thread", "received_at"],
        unique=False,
    )
    op.create_index(op.f("ix_inbox_state_received_at"), "inbox", ["state", "received_at"], unique=False)
    op.create_table(
        "delivery_keys",
        sa.Column("platform", sa.String(length=255), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("inbox_id", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["inbox_id"], ["inbox.id"], name=op.f("fk_delivery_keys_inbox_id_inbox"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("platform", "key", name=op.f("pk_delivery_keys")),
    )
    op.create_index(op.f("ix_delivery_keys_inbox_id"), "delivery_keys", ["inbox_id"], unique=False)


def _make_incidents() -> None:
    op.create_table(
        "incidents",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("platform", sa.String(length=255), nullable=False),
        sa.Column("team", sa.String(length=255), nullable=False),
        sa.Column("channel", sa.String(length=255), nullable=False),
        sa.Column("thread", sa.String(length=255), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=32), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("rule", sa.String(length=255), nullable=True),
        sa.Column("failure_class", sa.String(length=255), nullable=True),
        sa.Column("confidence", sa.String(length=32), nullable=True),
        sa.Column("vllm_version", sa.String(length=64), nullable=True),
        sa.Column("gpu", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_incidents")),
        sa.UniqueConstraint(
            "platform", "team", "channel", "thread", name=op.f("uq_incidents_platform_team_channel_thread")
        ),
    )
    op.create_index(
        op.f("ix_incidents_fingerprint_seen_at"), "incidents", ["fingerprint", "seen_at"], unique=False
    )
    op.create_index(op.f("ix_incidents_seen_at"), "incidents", ["seen_at"], unique=False)


def _make_answers() -> None:
    op.create_table(
        "answers",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("inbox_id", sa.String(length=64), nullable=False),
        sa.Column("incident_id", sa.String(length=64), nullable=True),
        sa.Column("platform", sa.String(length=255), nullable=False),
        sa.Column("team", sa.String(length=255), nullable=False),
        sa.Column("channel", sa.String(length=255), nullable=False),
        sa.Column("thread", sa.String(length=255), nullable=False),
        sa.Column("message", sa.String(length=255), nullable=True),
        sa.Column("status", sa.String(length=32), nullable=False),
        sa.Column("rule", sa.String(length=255), nullable=True),
        sa.Column("card", sa.JSON(), nullable=False),
        sa.Column("decided_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["inbox_id"], ["inbox.id"], name=op.f("fk_answers_inbox_id_inbox"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name=op.f("fk_answers_incident_id_incidents"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answers")),
        sa.UniqueConstraint("inbox_id", name=op.f("uq_answers_inbox_id")),
    )
    op.create_index(op.f("ix_answers_incident_id"), "answers", ["incident_id"], unique=False)
    op.create_table(
        "feedback",
        sa.Column("answer_id", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=255), nullable=False),
        sa.Column("rule", sa.String(length=255), nullable=True),
        sa.Column("given_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["answer_id"], ["answers.id"], name=op.f("fk_feedback_answer_id_answers"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("answer_id", "person", name=op.f("pk_feedback")),
    )
    op.create_index(op.f("ix_feedback_rule"), "feedback", ["rule"], unique=False)


def _make_people() -> None:
    op.create_table(
        "people",
        sa.Column("id", sa.String(length=255), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
    )
    op.create_table(
        "login_links",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.String(length=255), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_login_links_person_id_people"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_login_links")),
    )
    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.String(length=255), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_sessions_person_id_people"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_sessions")),
    )
    op.create_index(op.f("ix_sessions_expires_at"), "sessions", ["expires_at"], unique=False)


def _make_room() -> None:
    op.create_table(
        "room_events",
        sa.Column(
            "sequence",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("channel", sa.String(length=255), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("sequence", name=op.f("pk_room_events")),
        sa.UniqueConstraint("kind", "key", name=op.f("uq_room_events_kind_key")),
        sqlite_autoincrement=True,
    )
