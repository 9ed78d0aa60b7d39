"""Diagnoses what was answered once more, for what can be done about it. Not for asking for anything.

Nothing of a fix is kept with an answer or carried by a button: it is worked out anew from what was pasted, by
today's rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.relaunch.scope import NOTHING
from bot.triage.conversation import FETCHED, conversation_of
from bot.triage.questions import THREAD_LIMIT, question_of

if TYPE_CHECKING:
    from adapters.chat.interface import Capabilities
    from bot.relaunch.offer import Offer
    from bot.relaunch.scope import Scope
    from bot.store.interface import Answer, InboxEntry, InboxStore
    from bot.triage.conversation import Conversation
    from bot.triage.looking.engine import Looker
    from bot.triage.looking.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Told:
    """What was told of a failure that was answered."""

    #: the message that was answered
    entry: InboxEntry
    #: all that was said in its thread
    thread: tuple[InboxEntry, ...]

    @property
    def talk(self) -> Conversation:
        """Return the thread up to the message."""
        return conversation_of(self.thread, self.entry)


@dataclass(frozen=True, slots=True)
class Offering:
    """Where offers come from."""

    inbox: InboxStore
    looker: Looker
    #: of any platform: the card that is made beside the offer is not shown
    limits: Capabilities

    async def of(self, answer: Answer) -> Offer | None:
        """Return what a relaunch could do about an answered failure; None: nothing, or it is no longer kept."""
        outcome = await self.look(answer)
        return outcome.offer if outcome is not None else None

    async def look(self, answer: Answer, scope: Scope = NOTHING) -> Outcome | None:
        """Return what an answered failure comes to now; None: it is no longer kept."""
        told = await self.told(answer)
        if told is None:
            return None
        question = question_of(told.entry, told.talk, (), answer.id, self.limits, scope)
        return await self.looker.look(question)

    async def told(self, answer: Answer) -> Told | None:
        """Return what was told of an answered failure; None: it is no longer kept."""
        thread = await self.inbox.thread_messages(answer.place, THREAD_LIMIT)
        # what answers a press has no message of its own: it was fetched for one
        fetched = [one for one in thread if FETCHED in one.payload]
        own = [one for one in thread if one.id == answer.entry_id]
        entry = next(iter((*own, *fetched[-1:])), None)
        return Told(entry, tuple(thread)) if entry is not None else None
