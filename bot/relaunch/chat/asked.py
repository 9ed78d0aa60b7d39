"""Somebody in chat wants something of servers, and where what comes of it goes. Not for what they want."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adapters.chat.interface import ChatError, MessageRef, Reply, card_from_json, card_to_json
from bot.relaunch.chat.people import channel_of
from bot.triage.replies import Saying

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.chat.interface import Card, ChatPlatform, Click, IncomingMessage, Place
    from bot.access.actor import Actor
    from bot.store.interface import Answer, AnswerStore, InboxEntry
    from bot.triage.replies import Replies


@dataclass(frozen=True, slots=True)
class Asked:
    """What was done, by whom."""

    entry: InboxEntry
    message: IncomingMessage | Click
    actor: Actor
    language: str

    @property
    def channel(self) -> str:
        """Return where, as the registry writes channels."""
        return channel_of(self.entry.place)


@dataclass(frozen=True, slots=True)
class Told:
    """What is said because of it."""

    #: the same for the same wish: it is said once
    reply_id: str
    status: str
    card: Card
    rule: str | None = None
    incident_id: str | None = None
    is_private: bool = False


@dataclass(frozen=True, slots=True)
class Speaking:
    """Says what comes of acts, once, and takes buttons away that have done their work."""

    replies: Replies
    answers: AnswerStore
    platforms: Mapping[str, ChatPlatform]

    async def kept(self, reply_id: str) -> Answer | None:
        """Return what was decided to be said under an id."""
        return await self.answers.get(reply_id)

    async def say(self, asked: Asked, told: Told, place: Place | None = None) -> None:
        """Say it, unless it is out already. Raises `ChatError`."""
        entry = asked.entry if place is None else replace(asked.entry, place=place)
        saying = Saying(
            entry=entry,
            message=asked.message,
            status=told.status,
            card=told.card,
            reply_id=told.reply_id,
            rule=told.rule,
            incident_id=told.incident_id,
            is_private=told.is_private,
        )
        await self.replies.say(saying)

    async def say_kept(self, asked: Asked, kept: Answer, *, is_private: bool) -> None:
        """Say what was decided before a process died, unless it is out already. Raises `ChatError`."""
        card = card_from_json(kept.card)
        told = Told(kept.id, kept.status, card, kept.rule, kept.incident_id, is_private=is_private)
        await self.say(asked, told, kept.place)

    async def take_button(self, answer: Answer, action: str) -> None:
        """Take a button off an answer that is out; what one person saw stays as it is."""
        shown = await self.answers.get(answer.id)
        if shown is None or shown.message is None:
            return
        card = card_from_json(shown.card)
        bare = replace(card, buttons=tuple(one for one in card.buttons if one.action != action))
        if bare == card:
            return
        platform = self.platforms[shown.place.platform]
        try:
            await platform.edit(MessageRef(shown.place, shown.message), Reply(shown.id, bare))
        except ChatError:
            # the wish is done, and a second press is only told so
            return
        await self.answers.revise(replace(shown, card=card_to_json(bare)))


def reply_id_of(*words: str) -> str:
    """Return the id of what is said for a wish, as fresh ids look."""
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:32]
