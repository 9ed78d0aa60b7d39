"""The store of the bot as `watch` uses it: raises incidents there, and keeps where reading goes on.

Not for answering: whichever bot works on the store does that.
"""

from __future__ import annotations

import hashlib
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from adapters.chat.interface import IncomingMessage, MessageRef, Person, Trigger
from bot.clock import random_id, system_clock
from bot.intake.inbox import KeptInbox
from bot.store.database import open_database
from bot.store.inbox import SqlInbox
from bot.store.interface import StoreError
from bot.store.notes import SqlNotes
from bot.triage.conversation import GPU, MODEL, RELEASE
from bot.watching.channel import channel_of
from bot.watching.remembered import Remembered
from bot.wiring.bot import mask_soon
from rules.engine.paste.keeping import kept_text

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from adapters.chat.interface import Place
    from bot.settings import Settings
    from rules.engine.paste.facts import Given

#: variables of other programs are nobody's business
_OURS = (
    *("VLLM_", "CUDA_", "NCCL_", "TORCH", "PYTORCH_", "HIP_", "ROCM_", "RAY_"),
    *("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"),
)
_SOURCE_LIMIT = 120


@dataclass(frozen=True, slots=True)
class Incident:
    """What is raised."""

    #: the same for one failure of one start, however often it is read
    event_id: str
    #: which machine and which log
    source: str
    #: the log of the start
    text: str
    #: None: that of the text
    language: str | None = None


@dataclass(frozen=True, slots=True)
class StoreRaiser:
    """Raises incidents in one channel."""

    place: Place
    given: Given
    inbox: KeptInbox
    notes: SqlNotes
    where: str

    async def raise_incident(self, incident: Incident) -> bool:
        """Keep an incident for the bot; False when it was raised before. Raises `StoreError`."""
        source = kept_text(incident.source)[0][:_SOURCE_LIMIT]
        key = f"watched:{self.place.channel}:{incident.event_id}"
        given = {RELEASE: self.given.vllm_version, GPU: self.given.gpu, MODEL: self.given.model}
        message = IncomingMessage(
            ref=MessageRef(self.place, incident.event_id),
            author=Person("watch", source),
            text="\n".join((*_told(self.given), incident.text)),
            trigger=Trigger.WATCHED,
            sent_at=system_clock(),
            delivery_keys=(key,),
            fields={name: value for name, value in given.items() if value},
            language=incident.language,
        )
        with self._answering():
            return await self.inbox.accept(message)

    async def recall(self, log: str) -> Remembered | None:
        """Return what is remembered of a log. Raises `StoreError`."""
        with self._answering():
            text = await self.notes.read(self._name(log))
        return Remembered.from_text(text) if text is not None else None

    async def remember(self, log: str, remembered: Remembered) -> None:
        """Keep what the next life needs to know of a log. Raises `StoreError`."""
        with self._answering():
            await self.notes.write(self._name(log), remembered.to_text())

    @contextmanager
    def _answering(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, OSError) as error:
            what = " ".join(str(getattr(error, "orig", None) or error).split())
            raise StoreError(
                self.where, what, "Start it again once the store answers: it goes on there."
            ) from error

    def _name(self, log: str) -> str:
        parts = f"{self.place.platform}:{self.place.channel}:{log}"
        return hashlib.sha256(parts.encode("utf-8", "replace")).hexdigest()


def _told(given: Given) -> Iterator[str]:
    """Yield what the options say of the launch as a log would show it."""
    for name, value in given.env.items():
        if name.startswith(_OURS):
            yield f"export {name}={value}"
    if given.command:
        yield f"$ {given.command}"


@asynccontextmanager
async def raising_in(channel: str, settings: Settings, given: Given) -> AsyncIterator[StoreRaiser]:
    """Give what raises incidents in a channel. Raises `BadChannelError`, `StoreError`."""
    place = channel_of(channel, settings)
    settings.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    database = await open_database(settings.store_url)
    try:
        inbox = KeptInbox(SqlInbox(database), mask_soon, system_clock, random_id)
        notes = SqlNotes(database, "watch")
        where = make_url(settings.store_url).render_as_string(hide_password=True)
        yield StoreRaiser(place, given, inbox, notes, where)
    finally:
        await database.close()
