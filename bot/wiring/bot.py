"""A bot: store, workers, inbox, answers, pages. Not for making its platforms: `bootstrap` hands them over."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from aiohttp import web

from bot.clock import random_id, system_clock
from bot.intake.connections import Connections
from bot.intake.inbox import KeptInbox
from bot.intake.presence import Presence
from bot.intake.work import Shift, Work
from bot.store.answers import SqlAnswers
from bot.store.inbox import SqlInbox
from bot.store.incidents import SqlIncidents
from bot.store.upkeep.claims import SqlClaims
from bot.store.upkeep.retention import SqlRetention
from bot.telemetry.figures import CONTENT_TYPE, Figures
from bot.triage.answering import Answering, Desk
from bot.triage.raising import Raising
from bot.triage.replies import Replies
from bot.web.app import build_app
from bot.wiring.asking import reception_of
from bot.wiring.pages import PageOptions, guard_of, parts_of, relaunching_of
from rules.engine.paste.keeping import kept_text

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from bot.intake.connections import Connection
    from bot.listening import Listener
    from bot.settings import Settings
    from bot.store.database import Database
    from bot.triage.looking.pool import LookingPool
    from bot.wiring.acting import Acting
    from bot.wiring.stage import Stage

_MIB = 1 << 20
#: characters that are masked on the event loop: less than two milliseconds
_MASKED_AT_ONCE = 8_000


async def mask_soon(text: str) -> tuple[str, int]:
    """Mask a text away from the workers: an acknowledgement waits for it."""
    return kept_text(text) if len(text) <= _MASKED_AT_ONCE else await asyncio.to_thread(kept_text, text)


class Chats(Protocol):
    """The platforms of a bot."""

    def connections(self) -> Sequence[Connection]:
        """Return each of them with what is looked at there."""

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes that the page uses."""

    def hooks(self) -> Sequence[web.RouteDef]:
        """Return the routes that platforms call; each checks by itself who calls."""


@dataclass(frozen=True)
class Bot:
    """A bot, wired and not yet running."""

    settings: Settings
    stage: Stage
    database: Database
    listener: Listener
    pool: LookingPool
    chats: Chats
    #: None: no registry is configured
    acting: Acting | None = None

    @cached_property
    def figures(self) -> Figures:
        """Return what the bot counts."""
        return Figures()

    @cached_property
    def inbox(self) -> KeptInbox:
        """Return the inbox that the platforms deliver to."""
        return KeptInbox(SqlInbox(self.database), mask_soon, system_clock, random_id)

    @cached_property
    def connections(self) -> Connections:
        """Return the platforms, each running by itself."""
        return Connections(self._connections, self.inbox, self.figures)

    @cached_property
    def _connections(self) -> Sequence[Connection]:
        return self.chats.connections()

    def work(self) -> Work:
        """Return what answers the inbox."""
        answers, incidents = SqlAnswers(self.database), SqlIncidents(self.database)
        platforms = {one.platform.name: one.platform for one in self._connections}
        replies = Replies(platforms, answers, incidents, system_clock, random_id, self.figures)
        desk = Desk(
            platforms=platforms,
            inbox=SqlInbox(self.database),
            incidents=incidents,
            answers=answers,
            replies=replies,
            looker=self.pool,
            new_id=random_id,
            file_limit_bytes=self.settings.triage.file_limit_mib * _MIB,
            figures=self.figures,
            allowed_bots=frozenset().union(*(one.admission.allowed_bots for one in self._connections)),
            servers=reception_of(self.acting, replies, incidents, platforms) if self.acting else None,
        )
        presence = Presence(self.settings.state_dir / "processes", random_id())
        shift = Shift(presence, system_clock, tuple(platforms), self.figures)
        claims = SqlClaims(self.database)
        return Work(
            SqlInbox(self.database), claims, Raising(Answering(desk), desk), self.inbox.arrived, shift
        )

    def acts(self) -> tuple[Coroutine[None, None, None], ...]:
        """Return what acts on hosts beside the answering; nothing where no registry is configured."""
        if self.acting is None:
            return ()
        return self.acting.work({one.platform.name: one.platform for one in self._connections})

    def app(self, text_limit_bytes: int, files_limit: int) -> web.Application:
        """Return the HTTP app, for a page that takes so much at once. Raises `CatalogueError`."""
        options = PageOptions(
            readiness=self,
            channels=self.settings.console.channels,
            text_limit_bytes=text_limit_bytes,
            file_limit_bytes=self.settings.triage.file_limit_mib * _MIB,
            files_limit=files_limit,
            sample=self.stage.sample,
            needs_sign_in=self.stage.everybody is None,
            relaunching=relaunching_of(self.acting) if self.acting is not None else None,
        )
        guard = guard_of(self.settings.console, self.database, self.listener.port, self.stage.everybody)
        hooks = [web.get("/metrics", self._show_figures), *self.chats.hooks()]
        return build_app(parts_of(self.database, options), guard, self.chats.routes(), hooks)

    async def faults(self) -> list[str]:
        """Return what keeps the bot from answering right now; meets `Readiness`."""
        faults = [] if await self.database.is_reachable() else ["the store does not answer"]
        if not self.pool.is_ready:
            faults.append("the workers are starting")
        return [*faults, *self.connections.faults()]

    def connected(self) -> dict[str, bool]:
        """Return for each platform whether messages can arrive."""
        return self.connections.connected()

    async def _show_figures(self, _request: web.Request) -> web.Response:
        waiting = await SqlRetention(self.database).waiting()
        body = self.figures.page(waiting, self.connected())
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE})
