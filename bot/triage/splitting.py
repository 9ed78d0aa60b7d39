"""Finds the earlier parts of a paste that was sent as several messages. Pure. Not for looking at them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from adapters.chat.interface import Trigger
from bot.triage.conversation import ASKED, BEFORE
from bot.triage.looking.outcome import WHOLE_BYTES
from rules.engine.report import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.store.interface import InboxEntry
    from bot.triage.looking.outcome import Outcome

#: the most that lies between two parts of one paste
PAUSE: Final = timedelta(seconds=60)
#: how long before its last part a paste may begin
REACH: Final = 5 * PAUSE
#: what has fewer lines is talk, and what talk names need not be about the failure
_LINES = 3


def may_be_last_part(entry: InboxEntry) -> bool:
    """Tell whether a message may go on with an earlier one: said outside of threads, and not read so already."""
    is_outside = entry.payload["thread"] is None and entry.place.thread == entry.message
    return (
        is_outside
        and entry.payload["trigger"] in {Trigger.SAID, Trigger.MENTION}
        and BEFORE not in entry.payload
    )


def parts_before(around: Sequence[InboxEntry], last: InboxEntry) -> str:
    """Return what the same person pasted just before, in one piece; `around` are messages outside of threads."""
    texts: list[str] = []
    until = last.received_at
    for entry in sorted(around, key=lambda one: one.received_at, reverse=True):
        if entry.id == last.id or entry.received_at > until or entry.message == last.message:
            continue
        if entry.payload["author"]["id"] != last.payload["author"]["id"]:
            continue
        if until - entry.received_at > PAUSE:
            break
        text = entry.payload["text"]
        if entry.payload.get(ASKED) or text.count("\n") + 1 < _LINES:
            break
        texts.insert(0, text)
        until = entry.received_at
    found = "\n".join(texts)
    return found if len(found) + len(last.payload["text"]) <= WHOLE_BYTES else ""


def tells_more(together: Outcome, alone: Outcome) -> bool:
    """Tell whether all parts show a failure that the last one alone does not, or the same one with more beside it."""
    if together.status is not Status.DIAGNOSED:
        return False
    return alone.status is not Status.DIAGNOSED or together.rule == alone.rule
