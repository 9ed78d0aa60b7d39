"""Acting on hosts: registry, desk, durable runs, their messages, the journal's head. Not for reaching hosts.

Made only where a registry is configured; without one the bot diagnoses and nothing else.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from bot.access.groups import PresentGroups
from bot.audit.denied_views import DeniedViews
from bot.audit.keys import read_keys
from bot.clock import random_id, system_clock
from bot.relaunch.acts.approving import Approving
from bot.relaunch.acts.switching import Switching
from bot.relaunch.acts.viewing import Viewing
from bot.relaunch.chat.board import Board, LatestNews
from bot.relaunch.desk import Desk
from bot.relaunch.durable.engine import DurableEngine, engine_url
from bot.relaunch.durable.leader import has_leader, leadership_of
from bot.relaunch.durable.outbox import Feeder
from bot.relaunch.durable.service import RelaunchService
from bot.relaunch.gating.wish import Switches
from bot.relaunch.interface import Tools
from bot.relaunch.permission import PresentPermission
from bot.relaunch.planning.drafting import Drafting
from bot.relaunch.planning.requesting import Requesting
from bot.relaunch.running.run import run
from bot.store.journal import SqlJournal
from bot.store.relaunches.approvals import SqlApprovals
from bot.store.relaunches.cards import SqlRunCards
from bot.store.relaunches.kill_switch import SqlKillSwitch
from bot.store.relaunches.letters import SqlOutbox
from bot.store.relaunches.locks import SqlLocks
from bot.store.relaunches.runs import SqlRelaunches
from bot.store.relaunches.trouble import may_pass
from bot.verification.looking import PoolLooker
from bot.wiring.heads import export_heads
from bot.wiring.hosts import Hosts
from bot.wiring.releases import ShippedFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from pathlib import Path

    from adapters.chat.interface import Capabilities, ChatPlatform
    from adapters.hosts.interface import Host
    from bot.hosts.registry import Host as RegisteredHost
    from bot.hosts.watching import RegistryFile
    from bot.settings import Settings
    from bot.store.database import Database
    from bot.triage.looking.engine import Looker


@dataclass(frozen=True)
class Acting:
    """All that acts on hosts, wired and not yet running."""

    settings: Settings
    database: Database
    registry: RegistryFile
    open_host: Callable[[RegisteredHost], Host]
    looker: Looker
    #: of the platform whose cards hold most: logs are diagnosed for a card that nobody sees
    limits: Capabilities

    @cached_property
    def journal(self) -> SqlJournal:
        """Return the journal. Raises `JournalKeyError`."""
        return SqlJournal(self.database, read_keys(self.settings.journal_key_file, os.environ))

    @cached_property
    def news(self) -> LatestNews:
        """Return the newest word on each run."""
        return LatestNews()

    @cached_property
    def hosts(self) -> Hosts:
        """Return the hosts that were asked so far."""
        return Hosts(self.registry, self.open_host)

    @cached_property
    def groups(self) -> PresentGroups:
        """Return what asks the platforms who is in their groups; at a terminal there is none to ask."""
        return PresentGroups()

    @cached_property
    def permission(self) -> PresentPermission:
        """Return what decides whether an act is allowed now."""
        runs = SqlRelaunches(self.database, self.journal)
        approvals = SqlApprovals(self.database, self.journal)
        return PresentPermission(
            runs, approvals, self.registry, self._switches, self.kill_switch, system_clock, self.groups
        )

    @cached_property
    def kill_switch(self) -> SqlKillSwitch:
        """Return the switch that all bots on this store heed."""
        return SqlKillSwitch(self.database, self.journal)

    @cached_property
    def switching(self) -> Switching:
        """Return what turns it."""
        return Switching(self.registry, self.kill_switch, self.journal, system_clock)

    @cached_property
    def tools(self) -> Tools:
        """Return what runs work with."""
        return self._tools(PoolLooker(self.looker, self.limits))

    def desk(self, wake: Callable[[], None], tools: Tools | None = None) -> Desk:
        """Return the desk where acts come in."""
        chosen = self.settings.relaunch
        drafting = Drafting(
            locks=SqlLocks(self.database),
            permission=self.permission,
            host=self.hosts,
            releases=ShippedFacts(),
            clock=system_clock,
            new_id=random_id,
            life=timedelta(minutes=chosen.approval_minutes),
            soak_s=float(chosen.soak_seconds),
            longest_start_s=60.0 * chosen.start_minutes,
        )
        requesting = Requesting(self.permission.runs, self.permission, drafting, system_clock, random_id)
        chosen_tools = tools or self.tools
        approving = Approving(chosen_tools, self.permission, wake)
        viewing = Viewing(chosen_tools, self.permission, self.denied_views)
        return Desk(chosen_tools, self.permission, requesting, approving, viewing, self.journal)

    @cached_property
    def denied_views(self) -> DeniedViews:
        """Return what writes refused looks down, for all that show runs in this process."""
        return DeniedViews(self.journal, system_clock)

    @cached_property
    def service(self) -> RelaunchService:
        """Return what carries out runs as long as the bot lives."""
        url = self.settings.relaunch.engine_url or engine_url(self.settings.store_url)
        return RelaunchService(
            leadership_of(self.settings.store_url, self._lock_file),
            lambda: DurableEngine(url, lambda run_id, stepper: run(run_id, stepper, self.tools)),
            Feeder(SqlOutbox(self.database), self.tools),
        )

    @property
    def has_leader(self) -> bool | None:
        """Tell whether a bot carries out runs now, in this process or another; None when that cannot be told."""
        return has_leader(self.settings.store_url, self._lock_file)

    @property
    def _lock_file(self) -> Path:
        return self.settings.state_dir / "relaunch.lock"

    def work(self, platforms: Mapping[str, ChatPlatform]) -> tuple[Coroutine[None, None, None], ...]:
        """Return what runs beside the answering, each until it is cancelled."""
        self.groups.ask_at(platforms)
        board = Board(self.tools, SqlRunCards(self.database), platforms, self.news)
        chosen = self.settings.audit
        work = (self.service.run(), self._show(board), self.denied_views.keep_telling())
        if chosen.head_file is None and not chosen.head_syslog:
            return work
        return *work, export_heads(self.journal, chosen.head_file, to_syslog=chosen.head_syslog)

    async def _show(self, board: Board) -> None:
        """Keep messages up to date in the one process that carries out runs."""
        showing: asyncio.Task[None] | None = None
        try:
            while True:
                if self.service.leads and showing is None:
                    showing = asyncio.create_task(board.run())
                elif not self.service.leads and showing is not None:
                    showing.cancel()
                    showing = None
                await asyncio.sleep(0.2)
        finally:
            if showing is not None:
                showing.cancel()

    def _tools(self, looker: PoolLooker) -> Tools:
        return Tools(
            runs=self.permission.runs,
            approvals=self.permission.approvals,
            locks=SqlLocks(self.database),
            host=self.hosts,
            permission=self.permission,
            looker=looker,
            witness=self.news,
            clock=system_clock,
            pause=asyncio.sleep,
            is_passing=may_pass,
        )

    def _switches(self) -> Switches:
        chosen = self.settings.relaunch
        return Switches(chosen.enabled, chosen.dry_run, chosen.per_person_per_hour)
