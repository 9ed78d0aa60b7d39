"""Says a reply exactly once, or brings the one that is out up to date. Not for its words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adapters.chat.interface import (
    CannotTellError,
    ChatError,
    IncomingMessage,
    MessageRef,
    NotAllowedError,
    Paragraph,
    Reply,
    Section,
    UnreachableError,
    Visibility,
    card_from_json,
    card_to_json,
)
from bot.locale import say
from bot.store.interface import Answer, Incident

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.chat.interface import Card, ChatPlatform, Click, Place
    from bot.clock import Clock, NewId
    from bot.store.interface import AnswerStore, InboxEntry, IncidentStore
    from bot.telemetry.figures import Figures
    from bot.triage.looking.outcome import Outcome


#: replies that certainly are not out are remembered up to so many
_UNSAID_LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class Saying:
    """What is to be said, and to whom."""

    entry: InboxEntry
    #: what is answered
    message: IncomingMessage | Click
    status: str
    card: Card
    reply_id: str
    rule: str | None = None
    incident_id: str | None = None
    is_private: bool = False

    @property
    def recipient(self) -> str:
        """Return the id of whoever is answered."""
        asked = self.message
        return asked.author.id if isinstance(asked, IncomingMessage) else asked.person.id


class Replies:
    """Posts and edits replies, with the store as its memory."""

    def __init__(
        self,
        platforms: Mapping[str, ChatPlatform],
        answers: AnswerStore,
        incidents: IncidentStore,
        clock: Clock,
        new_id: NewId,
        figures: Figures,
    ) -> None:
        self._platforms = platforms
        self._answers = answers
        self._incidents = incidents
        self._clock = clock
        self._new_id = new_id
        self._figures = figures
        #: ids of replies that this process tried to post, and that certainly are not out
        self._unsaid: set[str] = set()

    async def shown_in(self, incident: Incident | None) -> Answer | None:
        """Return the reply that is out for an incident."""
        answer = await self._answers.of_incident(incident.id) if incident is not None else None
        return answer if answer is not None and answer.message is not None else None

    async def say(self, saying: Saying) -> None:
        """Post a reply unless it is out already. Raises `ChatError`.

        One that may be out, where nothing may be read, is said to whoever asked alone: never twice to all.
        """
        entry = saying.entry
        wanted = Answer(
            id=saying.reply_id,
            entry_id=entry.id,
            place=entry.place,
            status=saying.status,
            decided_at=self._clock(),
            card=card_to_json(saying.card),
            incident_id=saying.incident_id,
            rule=saying.rule,
        )
        answer = await self._answers.decide(wanted)
        if answer.message is not None:
            return
        platform = self._platforms[entry.place.platform]
        reply = self._reply(saying, answer)
        ref = None
        # An answer that was decided on in an earlier life may be out already.
        is_new = answer is wanted or answer.id in self._unsaid
        if not is_new:
            try:
                ref = await _found(platform, entry.place, reply)
            except CannotTellError:
                reply = _again(reply, saying, platform)
        if ref is None:
            ref = await self._post(platform, entry.place, reply, is_new=is_new)
        await self._answers.posted(answer.id, ref.id)
        waited = self._clock() - entry.received_at
        self._figures.answered(platform.name, answer.status, waited.total_seconds())

    async def revise(self, shown: Answer, saying: Saying) -> None:
        """Put another card in the place of the one that is out. Raises `ChatError`."""
        changed = replace(
            shown,
            status=saying.status,
            rule=saying.rule,
            card=card_to_json(saying.card),
            incident_id=saying.incident_id or shown.incident_id,
        )
        ref = MessageRef(shown.place, shown.message or "")
        try:
            await self._platforms[shown.place.platform].edit(ref, Reply(shown.id, saying.card))
        except NotAllowedError:
            # What one person saw cannot be changed.
            await self.say(replace(saying, reply_id=self._new_id()))
            return
        await self._answers.revise(changed)

    async def record(self, entry: InboxEntry, outcome: Outcome) -> Incident:
        """Keep the incident of the entry's thread, or bring it up to date."""
        now = self._clock()
        return await self._incidents.record(
            Incident(
                id=self._new_id(),
                place=entry.place,
                fingerprint=outcome.fingerprint,
                status=outcome.status,
                title=outcome.title,
                opened_at=now,
                seen_at=now,
                rule=outcome.rule,
                failure_class=outcome.failure_class,
                confidence=outcome.confidence,
                vllm_version=outcome.vllm_version,
                gpu=outcome.gpu,
                model=outcome.model,
            )
        )

    async def _post(self, platform: ChatPlatform, place: Place, reply: Reply, *, is_new: bool) -> MessageRef:
        """Post, and remember of a first try that failed whether its reply may be out. Raises `ChatError`."""
        try:
            ref = await platform.post(place, reply)
        except ChatError as error:
            may_be_out = isinstance(error, UnreachableError) and error.may_be_out
            if is_new and not may_be_out and len(self._unsaid) < _UNSAID_LIMIT:
                self._unsaid.add(reply.id)
            else:
                self._unsaid.discard(reply.id)
            raise
        self._unsaid.discard(reply.id)
        return ref

    def _reply(self, saying: Saying, answer: Answer) -> Reply:
        private = saying.is_private and self._platforms[answer.place.platform].capabilities.can_be_private
        return Reply(
            id=answer.id,
            card=card_from_json(answer.card),
            visibility=Visibility.PRIVATE if private else Visibility.PUBLIC,
            recipient=saying.recipient if private else None,
            handle=saying.message.handle,
        )


async def _found(platform: ChatPlatform, place: Place, reply: Reply) -> MessageRef | None:
    """Return a reply that is out. Raises `CannotTellError`."""
    if reply.visibility is Visibility.PRIVATE and not platform.capabilities.repeats_private:
        raise CannotTellError(platform.name, "nothing: what one person sees cannot be read again")
    return await platform.find_reply(place, reply.id)


def _again(reply: Reply, saying: Saying, platform: ChatPlatform) -> Reply:
    """Return a reply that may be out already, for whoever asked alone."""
    note = Section("", (Paragraph(say("card.again", reply.card.language)),))
    card = replace(reply.card, sections=(note, *reply.card.sections))
    if not platform.capabilities.can_be_private:
        return replace(reply, card=card)
    return replace(reply, card=card, visibility=Visibility.PRIVATE, recipient=saying.recipient)
