"""A store on a real file, and entries for it. Not tests."""

from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from adapters.chat.interface import Place
from bot.store.database import open_database
from bot.store.interface import Answer, InboxEntry, Incident

NOON = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
THREAD = Place("console", "local", "incidents", "m1")


def url_of(folder):
    return f"sqlite+aiosqlite:///{folder}/store.db"


@asynccontextmanager
async def opened(folder):
    database = await open_database(url_of(folder))
    try:
        yield database
    finally:
        await database.close()


def an_entry(
    entry_id="e1", *, place=THREAD, message="m1", minutes=0, text="hello", kind="message", **payload
):
    content = {
        "author": {"id": "u1", "name": "Ada", "is_bot": False},
        "text": text,
        "trigger": "said",
        "sent_at": NOON.isoformat(),
        "thread": None,
        "files": [],
        "fields": {},
        "language": None,
        "masked": 0,
        "handle": None,
        **payload,
    }
    return InboxEntry(entry_id, kind, place, message, content, NOON + timedelta(minutes=minutes))


def an_incident(incident_id="i1", *, place=THREAD, fingerprint="f1", minutes=0, **values):
    seen = NOON + timedelta(minutes=minutes)
    return Incident(incident_id, place, fingerprint, "diagnosed", "A title", seen, seen, **values)


def an_answer(answer_id="a1", *, entry="e1", place=THREAD, **values):
    return Answer(answer_id, entry, place, "diagnosed", NOON, {"title": "A title"}, **values)
