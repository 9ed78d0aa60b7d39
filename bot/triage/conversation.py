"""What was said in a thread so far, as one question. Not for answering it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.triage.looking.outcome import WHOLE_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.store.interface import InboxEntry

#: names of the form's fields, in chat and in the store
RELEASE, GPU, MODEL = "release", "gpu", "model"
#: key under which the masked text of a message's files is kept with it
READ = "read"
#: key under which the earlier messages of a paste that was split are kept with its last
BEFORE = "before"
#: key that is set where a message asked something in words: it tells nothing of what failed
ASKED = "asked"
#: key under which what a server told is kept with the message that it was fetched for
FETCHED = "fetched"


@dataclass(frozen=True, slots=True)
class Conversation:
    """The texts of a thread, oldest first, and what its forms said."""

    texts: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    #: secrets that were taken out of the texts
    masked: int = 0
    #: the launch of the server that something was fetched of, as one line of shell
    launch: str | None = None
    #: something was fetched for the thread
    is_fetched: bool = False


def conversation_of(entries: Sequence[InboxEntry], newest: InboxEntry) -> Conversation:
    """Return what a thread says up to and including its newest message.

    Of a message that was edited only the last text counts. Older messages are left out, the thread's head
    last, when all of them together are more than is read as a whole.
    """
    latest: dict[str, Mapping[str, Any]] = {entry.message: entry.payload for entry in entries}
    own = [one.payload for one in entries if one.message == newest.message and one.id != newest.id]
    before = own[-1] if own else {}
    kept = {READ: before[READ]} if READ in before and before["text"] == newest.payload["text"] else {}
    kept |= {key: before[key] for key in (BEFORE, FETCHED) if key in before}
    latest[newest.message] = {**kept, **newest.payload}
    fields: dict[str, str] = {}
    texts: list[str] = []
    fetched: Mapping[str, Any] = {}
    for message, payload in latest.items():
        is_other = message != newest.message
        fetched = payload.get(FETCHED) or fetched
        if is_other and (payload["author"]["is_bot"] or payload.get(ASKED)):
            continue
        if payload.get(ASKED) and FETCHED in payload:
            continue
        fields.update({name: value for name, value in payload["fields"].items() if value})
        texts.extend(text for text in (payload.get(BEFORE), payload["text"], payload.get(READ)) if text)
    if fetched:
        texts.append(fetched["text"])
        fields = {**fetched["fields"], **fields}
    while len(texts) > 1 and sum(map(len, texts)) > WHOLE_BYTES:
        del texts[1 if len(texts) > 2 else 0]
    masked = sum(payload["masked"] for payload in latest.values())
    return Conversation(tuple(texts), fields, masked, fetched.get("launch"), bool(fetched))
