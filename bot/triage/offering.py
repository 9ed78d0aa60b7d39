"""Diagnoses what was answered once more, for what a relaunch could do about it. Not for asking for one.

Nothing of a fix is kept with an answer or carried by a button: it is worked out anew from what was pasted, by
today's rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.triage.conversation import conversation_of
from bot.triage.questions import THREAD_LIMIT, question_of

if TYPE_CHECKING:
    from adapters.chat.interface import Capabilities
    from bot.relaunch.offer import Offer
    from bot.store.interface import Answer, InboxStore
    from bot.triage.looking.engine import Looker


@dataclass(frozen=True, slots=True)
class Offering:
    """Where offers come from."""

    inbox: InboxStore
    looker: Looker
    #: of any platform: the card that is made beside the offer is not shown
    limits: Capabilities

    async def of(self, answer: Answer) -> Offer | None:
        """Return what a relaunch could do about an answered failure; None: nothing, or it is no longer kept."""
        thread = await self.inbox.thread_messages(answer.place, THREAD_LIMIT)
        entry = next((one for one in thread if one.id == answer.entry_id), None)
        if entry is None:
            return None
        question = question_of(entry, conversation_of(thread, entry), (), answer.id, self.limits)
        return (await self.looker.look(question)).offer
