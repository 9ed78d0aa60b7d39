"""Fetching for people in chat: a server's log and facts, diagnosed with what was pasted. Changes nothing there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from adapters.hosts.errors import HostError
from bot.access.authorization import OPERATIONS, Refusal
from bot.access.policy import Action
from bot.hosts.guess import candidates, the_one
from bot.relaunch.chat.actions import FETCH_PICK, digest_of, pick_of
from bot.relaunch.chat.asked import Told, reply_id_of
from bot.relaunch.chat.found import fetched_sections, launch_line, no_answer_card
from bot.relaunch.chat.people import channel_of
from bot.relaunch.chat.words import Picker, plain_card, refused_card
from bot.relaunch.fetching import Fetched
from bot.relaunch.scope import scope_of
from bot.triage.card import FETCH
from bot.triage.conversation import ASKED, FETCHED, GPU, MODEL, RELEASE, conversation_of
from bot.triage.looking.pool import LookingTooLongError
from bot.triage.policy import improves
from bot.triage.questions import question_of
from bot.triage.showing.trouble import trouble_card
from rules.engine.report import Status

if TYPE_CHECKING:
    from adapters.chat.interface import Card, Place, Section
    from bot.hosts.guess import Candidate
    from bot.relaunch.chat.asked import Asked, Speaking
    from bot.relaunch.fetching import Fetching
    from bot.relaunch.permission import PresentPermission
    from bot.store.interface import Answer, InboxEntry, InboxStore
    from bot.triage.looking.engine import Looker
    from bot.triage.looking.outcome import Outcome
    from bot.triage.offering import Offering

#: of a log's end; a traceback per worker is long, and only its diagnosis and the very last lines are shown
READ_LINES = 2_000


@dataclass(frozen=True, slots=True)
class _Case:
    """What a log is read together with, and where its answer goes."""

    entry: InboxEntry
    #: all that was said there, the entry included
    thread: tuple[InboxEntry, ...]
    place: Place
    #: what was answered before; None: a command asks
    answer: Answer | None = None


def _ordered(asked: Asked) -> _Case:
    """Return the case of a command, with which nothing was said."""
    entry = replace(asked.entry, payload={**asked.entry.payload, ASKED: True})
    return _Case(entry, (entry,), entry.place)


@dataclass(frozen=True, slots=True)
class Fetches:
    """Takes presses and commands that want something fetched."""

    fetching: Fetching
    offering: Offering
    looker: Looker
    inbox: InboxStore
    speaking: Speaking

    @property
    def _permission(self) -> PresentPermission:
        return self.fetching.permission

    async def press(self, asked: Asked, action: str, value: str) -> Card | None:
        """Fetch for an answer; returns what only the person who pressed is told."""
        picked = pick_of(value) if action == FETCH_PICK else (value, None)
        answer = await self.speaking.answers.get(picked[0]) if picked is not None else None
        told = await self.offering.told(answer) if answer is not None else None
        if picked is None or answer is None or told is None:
            return plain_card("relaunch.gone", asked.language)
        case = _Case(told.entry, told.thread, answer.place, answer)
        if picked[1] is not None:
            server = self._digested(picked[1])
            if server is None:
                return plain_card("relaunch.gone", asked.language)
            return await self._fetch(asked, server, case)
        found = await self._meant(answer)
        allowed = await self._permission.among(found, asked.actor, Action.FETCH)
        chosen = the_one(allowed)
        if chosen is not None or (found and not allowed):
            # whoever may fetch none of them is refused the likeliest one, and that is written down
            return await self._fetch(asked, (chosen or found[0]).server.name, case)
        if not found:
            return plain_card("servers.none", asked.language)
        most = self.speaking.platforms[asked.entry.place.platform].capabilities.options_limit
        names = [one.server.name for one in allowed]
        return Picker(FETCH_PICK, "servers.which", most).card(answer.id, names, asked.language)

    async def order(self, asked: Asked, name: str) -> Card | None:
        """Fetch a server that a command names; returns what only whoever asked is told."""
        if not name:
            return plain_card("servers.name-one", asked.language)
        return await self._fetch(asked, name, _ordered(asked))

    async def looked(self, asked: Asked, name: str) -> Outcome | Card:
        """Return what a server's log comes to, without showing it; or why that is not told."""
        fetched = await self._ask(asked, name)
        if not isinstance(fetched, Fetched):
            return fetched
        return (await self._read(asked, _ordered(asked), fetched, ""))[0]

    async def _meant(self, answer: Answer) -> tuple[Candidate, ...]:
        """Return the servers that may be meant where the failure was told, wherever the button is pressed."""
        registry, today = self._permission.registry(), self.fetching.clock().date()
        scope = scope_of(registry, channel_of(answer.place), today)
        outcome = await self.offering.look(answer, scope)
        found = candidates(registry, outcome.hints) if outcome is not None else ()
        return tuple(one for one in found if OPERATIONS[Action.FETCH] in one.server.operations)

    def _digested(self, digest: str) -> str | None:
        names = (server.name for _, server in self._permission.registry().servers())
        return next((name for name in names if digest_of(name) == digest), None)

    async def _ask(self, asked: Asked, server: str) -> Fetched | Card:
        if self._permission.find(server) is None:
            return plain_card("servers.unknown", asked.language, name=server)
        try:
            fetched = await self.fetching.fetch(asked.actor, server, READ_LINES)
        except (HostError, LookupError) as error:
            return no_answer_card(server, error, asked.language)
        return refused_card(fetched, asked.language) if isinstance(fetched, Refusal) else fetched

    async def _fetch(self, asked: Asked, server: str, case: _Case) -> Card | None:
        """Fetch, and say what comes of it; a second wish for the same answer is only told so."""
        answer = case.answer
        reply_id = reply_id_of(FETCH, answer.id if answer is not None else asked.entry.id, server)
        kept = await self.speaking.kept(reply_id)
        if kept is not None and kept.entry_id != asked.entry.id:
            return plain_card("servers.already", asked.language)
        if kept is not None:
            await self.speaking.say_kept(asked, kept, is_private=not self._is_for_all(asked, server))
        else:
            fetched = await self._ask(asked, server)
            if not isinstance(fetched, Fetched):
                return fetched
            try:
                outcome, payload = await self._read(asked, case, fetched, reply_id)
            except LookingTooLongError as error:
                return trouble_card(error, asked.entry.id, asked.language)
            await self.inbox.remember(case.entry.id, payload)
            await self.speaking.say(
                asked, await self._told(asked, case, outcome, reply_id, server), case.place
            )
        if answer is not None:
            await self.speaking.take_button(answer, FETCH)
        return None

    async def _told(self, asked: Asked, case: _Case, outcome: Outcome, reply_id: str, server: str) -> Told:
        is_private = not self._is_for_all(asked, server)
        answer, incident = case.answer, case.answer.incident_id if case.answer is not None else None
        is_news = answer is None or improves(outcome, answer.status)
        if outcome.status is not Status.NOT_AN_INCIDENT and is_news and not is_private:
            entry = replace(asked.entry, place=case.place)
            incident = (await self.speaking.replies.record(entry, outcome)).id
        return Told(reply_id, outcome.status, outcome.card, outcome.rule, incident, is_private=is_private)

    def _is_for_all(self, asked: Asked, server: str) -> bool:
        """Tell whether a server is acted on from the channel: others read there too, on the console of any server."""
        found = self._permission.find(server)
        return found is not None and asked.channel in found[1].channels

    async def _read(
        self, asked: Asked, case: _Case, fetched: Fetched, reply_id: str
    ) -> tuple[Outcome, dict[str, Any]]:
        """Return what a log comes to with what was said, and what is to be kept of both."""
        read: dict[str, Any] = {"text": "\n".join(fetched.lines), "fields": {}}
        bare = await self._look(asked, case, read, reply_id)
        if bare.status is not Status.NOT_AN_INCIDENT:
            # a calm log is not made a question by facts that nobody gave
            found = self._permission.find(fetched.server)
            gpu = next(iter(fetched.gpus or ()), None) or (found[1].gpu_name if found is not None else None)
            facts = {RELEASE: fetched.vllm_version, GPU: gpu, MODEL: found[1].model if found else None}
            read["fields"] = {name: value for name, value in facts.items() if value}
            read["launch"] = launch_line(fetched)
        added = fetched_sections(fetched, bare.language)
        outcome = await self._look(asked, case, read, reply_id, added)
        return outcome, {**case.entry.payload, FETCHED: read}

    async def _look(
        self, asked: Asked, case: _Case, read: dict[str, Any], reply_id: str, added: tuple[Section, ...] = ()
    ) -> Outcome:
        entry = replace(case.entry, payload={**case.entry.payload, FETCHED: read})
        thread = [entry if one.id == entry.id else one for one in case.thread]
        limits = self.speaking.platforms[case.place.platform].capabilities
        scope = scope_of(self._permission.registry(), asked.channel, self.fetching.clock().date())
        question = question_of(entry, conversation_of(thread, entry), (), reply_id, limits, scope)
        language = case.answer.card["language"] if case.answer is not None else question.language
        return await self.looker.look(replace(question, language=language, added=added))
