"""Gives what a followed log shows a message that heads a thread, from where it is a paste like any other.

Not for the answer: the message is kept in the inbox as if somebody had said it, and is answered from there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from adapters.chat.interface import Card, Reply
from bot.intake.inbox import MESSAGE, RAISED
from bot.intake.payload import message_from_json
from bot.store.interface import InboxEntry
from bot.triage.conversation import conversation_of
from bot.triage.questions import question_of
from rules.engine.report import Status

if TYPE_CHECKING:
    from bot.intake.work import Handler
    from bot.triage.answering import Desk
    from bot.triage.looking.outcome import Outcome


class Raising:
    """Hands on all events but those of followed logs; meets `bot.intake.work.Handler`."""

    def __init__(self, inside: Handler, desk: Desk) -> None:
        self._inside = inside
        self._desk = desk

    async def handle(self, entry: InboxEntry) -> None:
        """Do all that an event asks for; doing it again changes nothing."""
        if entry.kind == RAISED:
            await self._raise(entry)
        else:
            await self._inside.handle(entry)

    async def give_up(self, entry: InboxEntry, error: Exception) -> None:
        """Tell whoever asked that it did not work; nobody asked for what a log shows."""
        if entry.kind != RAISED:
            await self._inside.give_up(entry, error)

    async def _raise(self, entry: InboxEntry) -> None:
        desk = self._desk
        platform = desk.platforms[entry.place.platform]
        question = question_of(entry, conversation_of([], entry), (), entry.id, platform.capabilities)
        outcome = await desk.looker.look(question)
        if outcome.status is Status.NOT_AN_INCIDENT:
            return
        source = message_from_json(entry.place, entry.message, entry.payload).author.name
        reply = Reply(entry.id, _head(outcome, source))
        head = await platform.open_thread(entry.place.channel, reply, may_be_out=entry.attempts > 0)
        said = InboxEntry(
            id=desk.new_id(),
            kind=MESSAGE,
            place=replace(head.place, thread=head.id),
            message=head.id,
            payload=entry.payload,
            received_at=entry.received_at,
        )
        await desk.inbox.keep(said, (f"raised:{entry.id}",))


def _head(outcome: Outcome, source: str) -> Card:
    """Return what the channel shows: the verdict and whose it is; all else stands in the thread."""
    card = outcome.card
    return Card(
        title=card.title,
        summary=f"{card.title} ({source})",
        tone=card.tone,
        badges=(source,),
        language=card.language,
    )
