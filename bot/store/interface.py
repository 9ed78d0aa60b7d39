"""What the store keeps, as records and protocols. Not how: that is beside it, once for every database.

Everything textual that comes from people is masked before it reaches the store. Times come in as arguments,
always with a time zone, and go out in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import date, datetime

    from adapters.chat.interface import Place


class StoreError(Exception):
    """The store could not be used; says where it is, what failed and what to do."""

    def __init__(self, where: str, what: str, next_step: str) -> None:
        super().__init__(f"the store {where}: {what}. {next_step}")
        self.where = where
        self.what = what
        self.next_step = next_step


class InboxState(StrEnum):
    """How far an event has come."""

    #: kept, and to be looked at
    NEW = "new"
    #: done: answered, or rightly left alone
    DONE = "done"
    #: given up after several tries
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """An event as it is kept."""

    id: str
    #: `message` or `click`
    kind: str
    place: Place
    #: the platform's id of the message
    message: str
    #: the event as JSON, masked
    payload: Mapping[str, Any]
    received_at: datetime
    attempts: int = 0


class InboxStore(Protocol):
    """Events that were delivered, each kept once."""

    async def keep(self, entry: InboxEntry, keys: Sequence[str]) -> bool:
        """Keep a new event; False when its platform used one of the keys before, and nothing is kept."""

    async def waiting(self, limit: int) -> list[InboxEntry]:
        """Return events that are still to be looked at, oldest first."""

    async def tried(self, entry_id: str) -> int:
        """Count one more try and return how many there were."""

    async def settle(self, entry_id: str, state: InboxState) -> None:
        """Say that an event needs no more looking at."""

    async def remember(self, entry_id: str, payload: Mapping[str, Any]) -> None:
        """Replace what is kept of an event, masked."""

    async def thread_messages(self, place: Place, limit: int) -> list[InboxEntry]:
        """Return the messages of a thread that were kept, its head included, oldest first."""

    async def said_before(self, last: InboxEntry, since: datetime) -> list[InboxEntry]:
        """Return the messages outside of threads that were kept in the same channel since then, oldest first."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a process takes on."""

    #: id of the process, different at each start
    owner: str
    now: datetime
    until: datetime
    #: platforms that the process speaks to
    platforms: tuple[str, ...]


class ClaimStore(Protocol):
    """Which process works on which event."""

    async def claim(self, claim: Claim, limit: int) -> list[InboxEntry]:
        """Claim events that nobody works on, oldest first, of each thread only its oldest."""

    async def renew(self, owner: str, entry_ids: Collection[str], until: datetime) -> set[str]:
        """Keep claims for longer; returns those that are still the owner's."""

    async def release(self, owner: str, entry_id: str, not_before: datetime | None = None) -> None:
        """Give a claim back; nobody takes the event before a time."""

    async def forget(self, owner: str) -> None:
        """Give back all claims of an owner that is no more."""


@dataclass(frozen=True, slots=True)
class Purged:
    """How much was removed."""

    incidents: int
    events: int
    room_events: int


@dataclass(frozen=True, slots=True)
class Incident:
    """One problem in one thread."""

    id: str
    place: Place
    fingerprint: str
    status: str
    title: str
    opened_at: datetime
    seen_at: datetime
    rule: str | None = None
    failure_class: str | None = None
    confidence: str | None = None
    vllm_version: str | None = None
    gpu: str | None = None
    model: str | None = None


class IncidentStore(Protocol):
    """Incidents, one per thread."""

    async def record(self, incident: Incident) -> Incident:
        """Keep an incident, or bring the one of the same thread up to date; returns it as it is kept."""

    async def get(self, incident_id: str) -> Incident | None:
        """Return one incident."""

    async def in_thread(self, place: Place) -> Incident | None:
        """Return the incident of a thread."""

    async def recent(self, limit: int, before: datetime | None = None) -> list[Incident]:
        """Return incidents, the one seen last first; `before` asks for those seen earlier."""

    async def alike(self, fingerprint: str, limit: int) -> list[Incident]:
        """Return incidents with this fingerprint, the one seen last first."""

    async def opened_at(self, incident_ids: Sequence[str]) -> dict[str, datetime]:
        """Return when incidents were opened; those that are not there any more are left out."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply that was decided on; `message` is filled once it is out."""

    id: str
    entry_id: str
    place: Place
    status: str
    decided_at: datetime
    #: the card as JSON
    card: Mapping[str, Any]
    incident_id: str | None = None
    rule: str | None = None
    #: the platform's id of the reply
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """How many answers of a status were given on a day (UTC)."""

    day: date
    status: str
    count: int


class AnswerStore(Protocol):
    """Replies, and what people say about them."""

    async def decide(self, answer: Answer) -> Answer:
        """Keep an answer before it is posted; the one already kept for the same event comes back instead."""

    async def posted(self, answer_id: str, message: str) -> None:
        """Say that a reply is out."""

    async def revise(self, answer: Answer) -> None:
        """Replace what a reply says."""

    async def of_incident(self, incident_id: str) -> Answer | None:
        """Return the reply that an incident's thread shows."""

    async def get(self, answer_id: str) -> Answer | None:
        """Return one answer."""

    async def call_wrong(self, answer_id: str, person: str, at: datetime) -> bool:
        """Count a person's word that an answer is wrong; False when it was counted before or is unknown."""

    async def wrong_by_rule(self) -> dict[str, int]:
        """Return how often the answers of each rule were called wrong."""

    async def tallies(self, since: datetime) -> list[Tally]:
        """Return how many answers were given since a time, by day and status, oldest day first."""

    async def by_rule(self, since: datetime) -> dict[str, int]:
        """Return how often each rule was the answer since a time, the most frequent first."""

    async def waits(self, limit: int) -> list[float]:
        """Return how many seconds passed from keeping an event to its answer, for the newest answers."""


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in browser."""

    person_id: str
    person_name: str
    expires_at: datetime


class PeopleStore(Protocol):
    """People, their one-time links and their sessions. Tokens are only kept as hashes."""

    async def add_person(self, person_id: str, name: str, at: datetime) -> None:
        """Keep a person; the name of one already kept is brought up to date."""

    async def add_link(self, token_hash: str, person_id: str, at: datetime, expires_at: datetime) -> None:
        """Keep a one-time link."""

    async def use_link(self, token_hash: str, at: datetime) -> str | None:
        """Use up a link and return its person; None when it is unknown, used or expired."""

    async def add_session(self, token_hash: str, person_id: str, at: datetime, expires_at: datetime) -> None:
        """Keep a session."""

    async def session(self, token_hash: str, at: datetime) -> Session | None:
        """Return a session that has not expired."""

    async def end_session(self, token_hash: str) -> None:
        """Forget a session."""


@dataclass(frozen=True, slots=True)
class RoomEvent:
    """Something that happened in the console's own chat, as its log keeps it."""

    sequence: int
    channel: str
    kind: str
    payload: Mapping[str, Any]


class RoomLog(Protocol):
    """The console's chat as a log that only grows; the sequence is what a page resumes from."""

    async def append(self, channel: str, kind: str, key: str, payload: Mapping[str, Any]) -> RoomEvent:
        """Add an event; one with the same kind and key is added once, and comes back as it was kept."""

    async def after(self, sequence: int, limit: int) -> list[RoomEvent]:
        """Return what happened after a sequence number, oldest first."""

    async def find(self, kind: str, key: str) -> RoomEvent | None:
        """Return the event of this kind and key."""

    async def last_sequence(self) -> int:
        """Return the number of the newest event, 0 when there is none."""
