"""From a kept event to what is said about it: one event after the other. Not for the diagnosis."""

from __future__ import annotations

import tempfile
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.chat.interface import ChatError, Mark, RateLimitedError, UnreachableError, card_to_json
from bot.asking.hearing import may_be_question, worded
from bot.intake.inbox import CLICK
from bot.intake.payload import click_from_json, message_from_json
from bot.locale import supported
from bot.relaunch.chat.orders import order_of
from bot.relaunch.chat.words import plain_card
from bot.relaunch.scope import NOTHING
from bot.triage.card import WRONG_ANSWER
from bot.triage.conversation import ASKED, BEFORE, READ, Conversation, conversation_of
from bot.triage.looking.pool import LookingTooLongError
from bot.triage.policy import deserves_answer, improves, is_heard
from bot.triage.questions import THREAD_LIMIT, question_of
from bot.triage.replies import Saying
from bot.triage.showing.trouble import empty_card, trouble_card
from bot.triage.splitting import REACH, may_be_last_part, parts_before, tells_more
from rules.engine.report import Status

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from typing import Protocol

    from adapters.chat.interface import Card, ChatPlatform, Click, IncomingMessage, Place
    from bot.asking.asked import Worded
    from bot.clock import NewId
    from bot.relaunch.chat.orders import Order
    from bot.relaunch.scope import Scope
    from bot.store.interface import Answer, AnswerStore, InboxEntry, InboxStore, IncidentStore
    from bot.telemetry.figures import Figures
    from bot.triage.looking.outcome import Outcome, Question
    from bot.triage.replies import Replies

    class Servers(Protocol):
        """Whoever does what people want of servers; raises `ChatError` when it is worth another try."""

        def scope(self, place: Place) -> Scope:
            """Return what a card may offer at a place."""

        async def press(self, entry: InboxEntry, click: Click) -> None:
            """Do what a press asks for."""

        async def order(self, entry: InboxEntry, message: IncomingMessage, order: Order) -> None:
            """Do what a command asks for."""

    class Looker(Protocol):
        """Whoever answers questions, away from the event loop."""

        async def look(self, question: Question) -> Outcome:
            """Return what came of a question. Raises `LookingTooLongError`, `WorkerLostError`."""

        async def tell(self, words: Worded) -> Card | None:
            """Return the answer to a question in words, None when they are none; raises the same."""


_TROUBLE = "trouble"
#: status of the answer to a question in words
_TOLD = "told"


@dataclass(frozen=True, slots=True)
class Desk:
    """What answering works with."""

    platforms: Mapping[str, ChatPlatform]
    inbox: InboxStore
    incidents: IncidentStore
    answers: AnswerStore
    replies: Replies
    looker: Looker
    new_id: NewId
    file_limit_bytes: int
    figures: Figures
    allowed_bots: frozenset[str] = frozenset()
    #: None: no registry of servers is configured
    servers: Servers | None = None


class Answering:
    """Answers kept events."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def handle(self, entry: InboxEntry) -> None:
        """Do all that an event asks for; doing it again changes nothing.

        Raises `ChatError` or `WorkerLostError` when it is worth another try.
        """
        if entry.kind == CLICK:
            await self._click(entry)
            return
        message = message_from_json(entry.place, entry.message, entry.payload)
        if not is_heard(message.author, self._desk.allowed_bots):
            return
        platform = self._desk.platforms[entry.place.platform]
        await platform.mark(message.ref, Mark.WORKING)
        try:
            is_said = await self._message(entry, message)
        except LookingTooLongError as error:
            await self.give_up(entry, error)
            return
        if not is_said:
            self._desk.figures.kept_quiet(platform.name)
        await platform.mark(message.ref, Mark.ANSWERED if is_said else Mark.QUIET)
        await self._forget_files(message)

    async def give_up(self, entry: InboxEntry, error: Exception) -> None:
        """Tell whoever asked that it did not work. Raises `ChatError`."""
        if entry.kind == CLICK:
            return
        message = message_from_json(entry.place, entry.message, entry.payload)
        await self._trouble(entry, message, trouble_card(error, entry.id, supported(message.language)))
        await self._desk.platforms[entry.place.platform].mark(message.ref, Mark.FAILED)
        await self._forget_files(message)

    async def _forget_files(self, message: IncomingMessage) -> None:
        for file in message.files:
            await self._desk.platforms[message.ref.place.platform].done_with(file)

    async def _message(self, entry: InboxEntry, message: IncomingMessage) -> bool:
        """Answer a message; False when there is nothing to say."""
        order = order_of(message)
        if order is not None:
            await self._order(entry, message, order)
            return True
        if may_be_question(message) and await self._tell(entry, message):
            return True
        try:
            async with self._files(message) as files:
                return await self._answer(entry, message, files)
        except (RateLimitedError, UnreachableError):
            raise
        except ChatError as error:
            if not message.files or not message.trigger.is_asking:
                raise
            await self._trouble(entry, message, trouble_card(error, entry.id, supported(message.language)))
            return True

    async def _answer(self, entry: InboxEntry, message: IncomingMessage, files: tuple[Path, ...]) -> bool:
        desk = self._desk
        thread = await desk.inbox.thread_messages(entry.place, THREAD_LIMIT)
        incident = await desk.incidents.in_thread(entry.place)
        shown = await desk.replies.shown_in(incident)
        own = shown is not None and shown.entry_id == entry.id
        reply_id = shown.id if shown is not None else desk.new_id()
        talk = conversation_of(thread, entry)
        if not files and not any(text.strip() for text in talk.texts):
            await self._trouble(entry, message, empty_card(supported(message.language)))
            return message.trigger.is_asking
        outcome = await desk.looker.look(self._question(entry, talk, files, reply_id))
        # Parts change what an answer says, never whether there is one.
        if shown is None and may_be_last_part(entry) and deserves_answer(outcome, message.trigger):
            entry, outcome = await self._with_parts(entry, outcome, files, reply_id)
        await self._remember(entry, outcome)
        if shown is None or incident is None or own:
            return await self._first(entry, message, outcome, reply_id)
        if shown.status == Status.DIAGNOSED:
            alone = conversation_of([], entry)
            other = await desk.looker.look(self._question(entry, alone, files, reply_id))
            if other.status is Status.DIAGNOSED and other.fingerprint != incident.fingerprint:
                outcome = other
        return await self._again(entry, message, outcome, shown)

    async def _with_parts(
        self, entry: InboxEntry, outcome: Outcome, files: tuple[Path, ...], reply_id: str
    ) -> tuple[InboxEntry, Outcome]:
        """Read a paste that was sent in several messages as one, where that tells more than its last part."""
        desk = self._desk
        before = parts_before(await desk.inbox.said_before(entry, entry.received_at - REACH), entry)
        if not before:
            return entry, outcome
        whole = replace(entry, payload={**entry.payload, BEFORE: before})
        together = await desk.looker.look(self._question(whole, conversation_of([], whole), files, reply_id))
        if not tells_more(together, outcome):
            return entry, outcome
        earlier = await desk.looker.look(self._question(entry, Conversation((before,)), (), reply_id))
        if earlier.status is Status.DIAGNOSED:
            # A failure of its own, which has its own answer.
            return entry, outcome
        await desk.inbox.remember(entry.id, whole.payload)
        return whole, together

    async def _tell(self, entry: InboxEntry, message: IncomingMessage) -> bool:
        """Answer a question in words, with what the thread knows beside it; False when it is none."""
        desk = self._desk
        limits = desk.platforms[entry.place.platform].capabilities
        incident = await desk.incidents.in_thread(entry.place)
        card = await desk.looker.tell(worded(message, limits, incident))
        if card is None:
            return False
        await desk.replies.say(Saying(entry, message, _TOLD, card, desk.new_id(), is_private=True))
        await desk.inbox.remember(entry.id, {**entry.payload, ASKED: True})
        return True

    async def _first(
        self, entry: InboxEntry, message: IncomingMessage, outcome: Outcome, reply_id: str
    ) -> bool:
        """Answer the first time in a thread."""
        if not deserves_answer(outcome, message.trigger):
            return False
        is_incident = outcome.status is not Status.NOT_AN_INCIDENT
        incident = await self._desk.replies.record(entry, outcome) if is_incident else None
        saying = _saying(entry, message, outcome, reply_id)
        incident_id = incident.id if incident is not None else None
        await self._desk.replies.say(replace(saying, incident_id=incident_id, is_private=not is_incident))
        return True

    async def _again(
        self, entry: InboxEntry, message: IncomingMessage, outcome: Outcome, shown: Answer
    ) -> bool:
        """Bring the card of a thread up to date; only who asks hears that nothing changed."""
        saying = _saying(entry, message, outcome, shown.id)
        is_same = card_to_json(outcome.card) == shown.card
        if improves(outcome, shown.status) and not is_same:
            incident = await self._desk.replies.record(entry, outcome)
            await self._desk.replies.revise(shown, replace(saying, incident_id=incident.id))
            return True
        if not message.trigger.is_asking:
            return False
        fresh = _saying(entry, message, outcome, self._desk.new_id())
        await self._desk.replies.say(replace(fresh, is_private=True))
        return True

    def _question(
        self, entry: InboxEntry, talk: Conversation, files: tuple[Path, ...], reply_id: str
    ) -> Question:
        limits = self._desk.platforms[entry.place.platform].capabilities
        servers = self._desk.servers
        scope = servers.scope(entry.place) if servers is not None else NOTHING
        return question_of(entry, talk, files, reply_id, limits, scope)

    @asynccontextmanager
    async def _files(self, message: IncomingMessage) -> AsyncIterator[tuple[Path, ...]]:
        """Fetch the files of a message into a folder that is gone afterwards."""
        if not message.files:
            yield ()
            return
        platform = self._desk.platforms[message.ref.place.platform]
        with tempfile.TemporaryDirectory(prefix="vllm-diagnose-") as folder:
            paths = []
            for number, file in enumerate(message.files):
                path = Path(folder) / f"{number}.log"
                await platform.fetch(file, path, self._desk.file_limit_bytes)
                paths.append(path)
            yield tuple(paths)

    async def _remember(self, entry: InboxEntry, outcome: Outcome) -> None:
        """Keep the masked text of files, so that a later message of the thread is read together with it."""
        if outcome.read is not None and READ not in entry.payload:
            await self._desk.inbox.remember(entry.id, {**entry.payload, READ: outcome.read, "files": []})

    async def _trouble(self, entry: InboxEntry, message: IncomingMessage, card: Card) -> None:
        if message.trigger.is_asking:
            saying = Saying(entry, message, _TROUBLE, card, self._desk.new_id(), is_private=True)
            await self._desk.replies.say(saying)

    async def _click(self, entry: InboxEntry) -> None:
        click = click_from_json(entry.place, entry.message, entry.payload)
        if click.action == WRONG_ANSWER:
            await self._desk.answers.call_wrong(click.value, click.person.id, click.clicked_at)
        elif self._desk.servers is not None:
            await self._desk.servers.press(entry, click)

    async def _order(self, entry: InboxEntry, message: IncomingMessage, order: Order) -> None:
        """Have an order on servers done; what it says tells nothing of what failed."""
        desk = self._desk
        if desk.servers is not None:
            await desk.servers.order(entry, message, order)
            return
        card = plain_card("servers.no-registry", supported(message.language))
        await desk.replies.say(Saying(entry, message, _TOLD, card, desk.new_id(), is_private=True))


def _saying(entry: InboxEntry, message: IncomingMessage, outcome: Outcome, reply_id: str) -> Saying:
    return Saying(entry, message, outcome.status, outcome.card, reply_id, rule=outcome.rule)
