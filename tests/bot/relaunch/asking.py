"""Everybody who may ask servers in chat or at a terminal, with a store on a real file. Not tests."""

from dataclasses import dataclass, field
from datetime import timedelta
from types import SimpleNamespace

from adapters.chat.console.platform import CAPABILITIES
from adapters.chat.interface import (
    Click,
    IncomingMessage,
    MessageRef,
    Person,
    Place,
    Reply,
    Trigger,
    Visibility,
)
from bot.access.actor import Surface
from bot.cli.exits import CommandError
from bot.cli.relaunch import looking
from bot.cli.relaunch.counter import Counter
from bot.intake.inbox import CLICK, MESSAGE
from bot.intake.payload import click_to_json, message_to_json
from bot.relaunch.chat.asked import Speaking
from bot.relaunch.chat.fetches import READ_LINES, Fetches
from bot.relaunch.chat.orders import order_of
from bot.relaunch.chat.presses import RelaunchPresses
from bot.relaunch.chat.reception import Reception
from bot.relaunch.chat.sweeps import Sweeps
from bot.relaunch.fetching import Fetching
from bot.relaunch.sweeping import Sweeping
from bot.store.answers import SqlAnswers
from bot.store.inbox import SqlInbox
from bot.store.incidents import SqlIncidents
from bot.store.interface import InboxEntry, InboxState
from bot.telemetry.figures import Figures
from bot.triage.answering import Answering, Desk
from bot.triage.looking.here import LookingHere
from bot.triage.offering import Offering
from bot.triage.replies import Replies
from tests.bot.relaunch.team import NOON
from tests.bot.triage.handmade_engine import handmade_engine

PASTE = (
    "vLLM API server version 0.11.2\nQwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now.\n"
)


class NoFaults:
    """A preflight that finds nothing."""

    async def faults(self, launch):
        return {}


@dataclass
class Platform:
    """Keeps what is said."""

    name: str
    said: list[tuple[Place, Reply]] = field(default_factory=list)
    edits: list[tuple[MessageRef, Reply]] = field(default_factory=list)
    capabilities = CAPABILITIES

    async def post(self, place, reply):
        self.said.append((place, reply))
        return MessageRef(place, f"m{len(self.said)}")

    async def find_reply(self, place, reply_id):
        return None

    async def edit(self, ref, reply):
        self.edits.append((ref, reply))

    async def mark(self, ref, mark):
        return None

    async def done_with(self, file):
        return None

    @property
    def private(self):
        """What one person alone was told."""
        return [reply for _, reply in self.said if reply.visibility is Visibility.PRIVATE]

    @property
    def public(self):
        """What all were told."""
        return [reply for _, reply in self.said if reply.visibility is Visibility.PUBLIC]


class Street:
    """A team's servers with all who may walk in and ask."""

    def __init__(self, team):
        self.team = team
        self.looker = LookingHere(handmade_engine)
        self.platforms = {name: Platform(name) for name in ("slack", "discord", "console")}
        self.answers, self.inbox = SqlAnswers(team.database), SqlInbox(team.database)
        self.incidents = SqlIncidents(team.database)
        self.replies = Replies(self.platforms, self.answers, self.incidents, team.now, team.new_id, Figures())
        offering = Offering(self.inbox, self.looker, CAPABILITIES)
        speaking = Speaking(self.replies, self.answers, self.platforms)
        fetching = Fetching(team.permission, team.find_host, team.journal, team.now, READ_LINES)
        fetches = Fetches(fetching, offering, self.looker, self.inbox, speaking)
        sweeping = Sweeping(team.permission, team.find_host, NoFaults(), team.journal, team.now)
        self.reception = Reception(
            lambda: team.registry,
            team.now,
            RelaunchPresses(
                team.desk, lambda: team.registry, self.answers, offering, team.now, self.platforms
            ),
            fetches,
            Sweeps(sweeping, offering, fetches, self.incidents, speaking),
            self.platforms,
        )
        desk = Desk(
            self.platforms,
            self.inbox,
            self.incidents,
            self.answers,
            self.replies,
            self.looker,
            team.new_id,
            1 << 20,
            Figures(),
            servers=self.reception,
        )
        self.answering = Answering(desk)

    async def hears(self, message):
        """Keep a message and answer it; returns its entry."""
        entry = self._entry(MESSAGE, message.ref, message_to_json(message))
        await self.inbox.keep(entry, (entry.id,))
        await self.answering.handle(entry)
        await self.inbox.settle(entry.id, InboxState.DONE)
        return entry

    async def pressed(self, click):
        """Keep a press and do what it asks for."""
        entry = self._entry(CLICK, click.message, click_to_json(click))
        await self.inbox.keep(entry, (entry.id,))
        await self.answering.handle(entry)
        await self.inbox.settle(entry.id, InboxState.DONE)

    async def shown(self, entry):
        """The answer to a message."""
        incident = await self.incidents.in_thread(entry.place)
        return await self.answers.of_incident(incident.id)

    def counter(self, actor):
        """Where somebody at a terminal stands."""
        team = self.team
        acting = SimpleNamespace(
            permission=team.permission,
            hosts=team.find_host,
            journal=team.journal,
            registry=lambda: team.registry,
            database=team.database,
            looker=self.looker,
            limits=CAPABILITIES,
        )
        return Counter(None, actor, acting, team.desk)

    def _entry(self, kind, ref, payload):
        place = Place(ref.place.platform, ref.place.team, ref.place.channel, ref.place.thread or ref.id)
        # what is kept later was said later
        self.team.now.moment += timedelta(seconds=1)
        return InboxEntry(self.team.new_id(), kind, place, ref.id, payload, self.team.now())


def said(place, person, text, trigger=Trigger.SAID, message="said-1", **more):
    """A message."""
    return IncomingMessage(MessageRef(place, message), person, text, trigger, NOON, (), **more)


def press(place, person, answer, action, **more):
    """A press of a button under an answer."""
    ref = MessageRef(Place(place.platform, place.team, place.channel, answer.place.thread), answer.message)
    return Click(ref, person, action, answer.id, NOON, (), **more)


def where(channel):
    """The place of a channel as the registry writes it."""
    words = channel.split(":")
    return Place("console", "local", words[1]) if words[0] == "console" else Place(*words)


def who(actor):
    """The person of an actor, as a platform tells them."""
    name = actor.id if actor.surface is Surface.CONSOLE else actor.id.rpartition(":")[2]
    return Person(name, name, actor.is_bot)


async def at_the_terminal(street, actor, action, incident_id):
    """Type the command; tell whether it was done."""
    counter = street.counter(actor)
    try:
        if action == "fetch":
            await looking.fetch(counter, "qwen", 5, as_json=True)
        else:
            await looking.sweep(counter, incident_id, as_json=True)
    except CommandError:
        return False
    return True


async def in_chat(street, actor, action, how, answer):
    """Press the button or give the command; tell whether it was done."""
    place, person = where(actor.channel), who(actor)
    platform = street.platforms[place.platform]
    before = len(platform.said)
    if how == "button":
        await street.pressed(press(place, person, answer, action))
    else:
        name = "qwen" if action == "fetch" else answer.rule
        message = said(place, person, f"{action} {name}", Trigger.COMMAND, f"command-{before}")
        assert order_of(message) is not None
        await street.hears(message)
    new = [reply for _, reply in platform.said[before:]]
    return any(reply.card.sections and "You may not" not in reply.card.title for reply in new)
