"""The tables, as SQLAlchemy describes them. Not their history: that is in `migrations`.

Times are whole milliseconds since 1970 in UTC, so that every database compares them the same way.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

#: a whole number that counts up by itself on every database
_COUNTER = BigInteger().with_variant(Integer, "sqlite")


def _place() -> tuple[Column[str], ...]:
    """Return the columns of a place; no thread is the empty text, because NULLs are never equal."""
    names = ("platform", "team", "channel", "thread")
    return tuple(Column(name, String(255), nullable=False) for name in names)


inbox = Table(
    "inbox",
    metadata,
    Column("id", String(64), primary_key=True),
    *_place(),
    Column("message", String(255), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("payload", JSON, nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("received_at", BigInteger, nullable=False),
    Column("claimed_by", String(64)),
    #: without an owner: nobody takes it before this time
    Column("claimed_until", BigInteger),
    Index(None, "state", "received_at"),
    Index(None, "platform", "team", "channel", "thread", "received_at"),
)

delivery_keys = Table(
    "delivery_keys",
    metadata,
    Column("platform", String(255), primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("inbox_id", ForeignKey("inbox.id", ondelete="CASCADE"), nullable=False, index=True),
)

incidents = Table(
    "incidents",
    metadata,
    Column("id", String(64), primary_key=True),
    *_place(),
    Column("fingerprint", String(64), nullable=False),
    Column("status", String(32), nullable=False),
    Column("title", Text, nullable=False),
    Column("rule", String(255)),
    Column("failure_class", String(255)),
    Column("confidence", String(32)),
    Column("vllm_version", String(64)),
    Column("gpu", Text),
    Column("model", Text),
    Column("opened_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False, index=True),
    UniqueConstraint("platform", "team", "channel", "thread"),
    Index(None, "fingerprint", "seen_at"),
)

answers = Table(
    "answers",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("inbox_id", ForeignKey("inbox.id", ondelete="CASCADE"), nullable=False, unique=True),
    Column("incident_id", ForeignKey("incidents.id", ondelete="CASCADE"), index=True),
    *_place(),
    Column("message", String(255)),
    Column("status", String(32), nullable=False),
    Column("rule", String(255)),
    Column("card", JSON, nullable=False),
    Column("decided_at", BigInteger, nullable=False),
    # all that figures ask for, so that they never read the cards
    Index(None, "decided_at", "status", "rule"),
)

feedback = Table(
    "feedback",
    metadata,
    Column("answer_id", ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    Column("person", String(255), primary_key=True),
    Column("rule", String(255), index=True),
    Column("given_at", BigInteger, nullable=False),
)

people = Table(
    "people",
    metadata,
    Column("id", String(255), primary_key=True),
    Column("name", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)

login_links = Table(
    "login_links",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("person_id", ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("used_at", BigInteger),
)

sessions = Table(
    "sessions",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("person_id", ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False, index=True),
)

room_events = Table(
    "room_events",
    metadata,
    Column("sequence", _COUNTER, primary_key=True, autoincrement=True),
    Column("channel", String(255), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("key", String(255), nullable=False),
    Column("payload", JSON, nullable=False),
    UniqueConstraint("kind", "key"),
    sqlite_autoincrement=True,
)

notes = Table(
    "notes",
    metadata,
    Column("name", String(255), primary_key=True),
    Column("value", Text, nullable=False),
)

#: every link of the journal; nothing in it is ever changed or removed
journal = Table(
    "journal",
    metadata,
    Column("sequence", _COUNTER, primary_key=True, autoincrement=False),
    Column("record", Text, nullable=False),
    Column("mac", String(64), nullable=False),
    # copies for looking things up; the record decides
    Column("at", BigInteger, nullable=False),
    Column("relaunch", String(64), nullable=False, index=True),
)

relaunches = Table(
    "relaunches",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("host", String(255), nullable=False),
    Column("server", String(255), nullable=False),
    #: `host/server` until the run has ended, so that a server has one at a time
    Column("open_key", String(512), unique=True),
    Column("state", String(32), nullable=False),
    #: the state that a host which does not answer was in
    Column("held", String(32)),
    Column("requester", String(255), nullable=False),
    Column("incident_id", String(64), nullable=False, index=True),
    Column("fingerprint", String(64), nullable=False),
    Column("plan", JSON),
    Column("plan_hash", String(64), nullable=False),
    #: where it was asked for and is reported
    Column("origin", JSON, nullable=False),
    Column("fence", BigInteger),
    Column("cancelled_by", String(255)),
    Column("detail", Text, nullable=False),
    Column("asked_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("ended_at", BigInteger),
    Index(None, "host", "asked_at"),
    Index(None, "requester", "asked_at"),
    Index(None, "asked_at"),
)

relaunch_events = Table(
    "relaunch_events",
    metadata,
    Column("sequence", _COUNTER, primary_key=True, autoincrement=True),
    Column("relaunch_id", ForeignKey("relaunches.id", ondelete="CASCADE"), nullable=False),
    #: the same moment has the same key, however often it is told
    Column("key", String(128), nullable=False),
    Column("state", String(32), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("detail", Text, nullable=False),
    Column("facts", JSON, nullable=False),
    UniqueConstraint("relaunch_id", "key"),
    sqlite_autoincrement=True,
)

approvals = Table(
    "approvals",
    metadata,
    Column("relaunch_id", ForeignKey("relaunches.id", ondelete="CASCADE"), primary_key=True),
    Column("actor_id", String(255), primary_key=True),
    Column("plan_hash", String(64), nullable=False),
    Column("actor", JSON, nullable=False),
    Column("at", BigInteger, nullable=False),
)

host_locks = Table(
    "host_locks",
    metadata,
    Column("host", String(255), primary_key=True),
    #: the run that holds the host; none: it is free
    Column("relaunch_id", String(64)),
    #: number of the newest run on this host; only grows
    Column("fence", BigInteger, nullable=False),
)

outbox = Table(
    "outbox",
    metadata,
    Column("sequence", _COUNTER, primary_key=True, autoincrement=True),
    Column("key", String(128), nullable=False, unique=True),
    Column("relaunch_id", ForeignKey("relaunches.id", ondelete="CASCADE"), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("made_at", BigInteger, nullable=False),
    #: when the engine had taken it; None: not yet
    Column("taken_at", BigInteger, index=True),
    sqlite_autoincrement=True,
)

#: which message shows a run, and what it showed last
run_cards = Table(
    "run_cards",
    metadata,
    Column("relaunch_id", ForeignKey("relaunches.id", ondelete="CASCADE"), primary_key=True),
    #: none: it is being posted
    Column("message", String(255)),
    #: SHA-256 of the card
    Column("shown", String(64), nullable=False),
)

#: what somebody turned off for all bots on this store, until somebody turns it on again
switched_off = Table(
    "switched_off",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("by", String(255), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("why", Text, nullable=False),
)


def to_millis(moment: datetime) -> int:
    """Return a time as it is kept. Raises `ValueError` for one without a time zone."""
    if moment.tzinfo is None:
        raise ValueError("a time without a time zone cannot be kept: pass one in UTC")
    return round(moment.timestamp() * 1000)


def from_millis(millis: int) -> datetime:
    """Return a kept time, in UTC."""
    return datetime.fromtimestamp(millis / 1000, UTC)
