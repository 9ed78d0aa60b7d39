"""A desk with a store on a real file, a host in memory and a clock that only waiting moves. Not tests."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from adapters.hosts.interface import Host
from bot.access.actor import Actor, Surface
from bot.access.policy import Action, Grant, Policy
from bot.audit.chain import Keys
from bot.audit.denied_views import DeniedViews
from bot.hosts.registry import DriverKind, ProbeSort, Registry, Server, TransportKind
from bot.hosts.registry import Host as RegisteredHost
from bot.relaunch.acts.approving import Approving
from bot.relaunch.acts.switching import Switching
from bot.relaunch.acts.viewing import Viewing
from bot.relaunch.desk import Desk
from bot.relaunch.gating.wish import Switches
from bot.relaunch.interface import News, Tools
from bot.relaunch.permission import PresentPermission
from bot.relaunch.planning.drafting import Drafting
from bot.relaunch.planning.requesting import Requesting
from bot.relaunch.planning.wanted import Wanted
from bot.relaunch.running.run import run
from bot.store.database import Database
from bot.store.journal import SqlJournal
from bot.store.relaunches.approvals import SqlApprovals
from bot.store.relaunches.kill_switch import SqlKillSwitch
from bot.store.relaunches.letters import SqlOutbox
from bot.store.relaunches.locks import SqlLocks
from bot.store.relaunches.runs import SqlRelaunches
from bot.store.relaunches.trouble import may_pass
from bot.verification.evidence import Failure
from rules.engine.report import Change, FixKind, Proof, ProofKind, Remedy, Risk
from tests.bot.store.kept import opened
from tests.fakes.host import MODEL, FakeHost

NOON = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
CHANNEL = "slack:T1:C1"
EVERYTHING = frozenset(Action)
OLD_FAILURE = "f" * 24
LINE = "Using FLASH_ATTN backend."


def person(name: str, **values) -> Actor:
    return Actor(Surface.SLACK, f"slack:T1:{name}", channel=CHANNEL, source=f"click-{name}", **values)


ANNA, BEN, EVE = person("ANNA"), person("BEN"), person("EVE")
ROOT = Actor(Surface.TERMINAL, "os:root")


def a_policy() -> Policy:
    return Policy(
        {"operators": frozenset({ANNA.id, BEN.id, ROOT.id})},
        (Grant("operators", EVERYTHING, frozenset({"lab"})),),
    )


def a_registry(**server) -> Registry:
    values = {
        "name": "qwen",
        "driver": DriverKind.PROCESS,
        "port": 8000,
        "model": MODEL,
        "gpus": (),
        "vllm_version": None,
        "gpu_name": "H100",
        "expected_start_seconds": 60,
        "probe": ProbeSort.TEXT,
        "operations": frozenset({"relaunch"}),
        "approvers": frozenset({"operators"}),
        "approvals_needed": 1,
        "requester_may_approve": False,
        "channels": frozenset({CHANNEL}),
        "maintenance": (),
        "relaunches_per_hour": 20,
    }
    host = RegisteredHost(
        name="gpu-1",
        group="lab",
        is_production=False,
        owner="the lab",
        expires=None,
        transport=TransportKind.LOCAL,
        route=(),
        key_file=None,
        certificate_file=None,
        helper=(),
        servers=(Server(**{**values, **server}),),
    )
    return Registry((host,), a_policy())


def a_remedy(**values) -> Remedy:
    settings = {
        "id": "unset-variable",
        "kind": FixKind.UNSET_ENV,
        "summary": "Remove the variable.",
        "releases": ">=0.11,<0.12",
        "relaunchable": True,
        "risk": Risk.LOW,
        "change": Change(env_unset=("VLLM_ATTENTION_BACKEND",)),
        "commands": (),
        "verify": (Proof(ProofKind.LOG, "grep", "", (LINE, "Using FLASHINFER backend.")),),
    }
    return Remedy(**{**settings, **values})


def wanted(**values) -> Wanted:
    settings = {
        "server": "qwen",
        "remedy": a_remedy(),
        "incident": "i1",
        "fingerprint": OLD_FAILURE,
        "rule": "vit-backend-rejected",
        "rule_version": 3,
    }
    return Wanted(**{**settings, **values})


class Now:
    """A clock that waiting moves, so that minutes pass at once."""

    def __init__(self) -> None:
        self.moment = NOON
        #: called after each wait with the seconds waited
        self.waits: list[float] = []
        self.on_wait: Callable[[float], Awaitable[None]] | None = None

    def __call__(self) -> datetime:
        return self.moment

    async def wait(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)
        self.waits.append(seconds)
        if self.on_wait is not None:
            await self.on_wait(seconds)
        # others get their turn
        await asyncio.sleep(0)


class NoFacts:
    """No release is shipped."""

    def release(self, version: str) -> None:
        """No facts."""


class SeedLooker:
    """Knows one failure."""

    async def failure_in(self, log: str) -> Failure | None:
        if "does not support AttentionBackendEnum" in log:
            return Failure(OLD_FAILURE, "The vision encoder refuses this attention backend")
        return None


class Listener:
    """Keeps all the news."""

    def __init__(self) -> None:
        self.news: list[News] = []

    async def hear(self, news: News) -> None:
        self.news.append(news)

    @property
    def states(self) -> list[str]:
        """Each state in the order of its first news of a visit."""
        told = [one.state.value for one in self.news]
        return [state for place, state in enumerate(told) if place == 0 or told[place - 1] != state]


class Memory:
    """Remembers steps as an engine would; `die` makes it forget the one under way."""

    def __init__(self) -> None:
        self.results: dict[str, dict] = {}

    async def step(self, name, work):
        if name not in self.results:
            self.results[name] = await work()
        return dict(self.results[name])


@dataclass
class Team:
    """All that takes part."""

    database: Database
    host: Host
    now: Now
    listener: Listener = field(default_factory=Listener)
    registry: Registry = field(default_factory=a_registry)
    switches: Switches = field(default_factory=lambda: Switches(is_enabled=True, is_dry_run=False))
    keys: Keys = field(default_factory=lambda: Keys(os.urandom(32)))
    looker: object = field(default_factory=SeedLooker)
    facts: object = field(default_factory=NoFacts)
    number: int = 0

    def __post_init__(self):
        journal = SqlJournal(self.database, self.keys)
        self.journal = journal
        self.runs = SqlRelaunches(self.database, journal)
        self.approvals = SqlApprovals(self.database, journal)
        self.locks = SqlLocks(self.database)
        self.outbox = SqlOutbox(self.database)
        self.denied_views = DeniedViews(journal, self.now)
        self.kill_switch = SqlKillSwitch(self.database, journal)
        self.switching = Switching(lambda: self.registry, self.kill_switch, journal, self.now)
        self.permission = PresentPermission(
            self.runs,
            self.approvals,
            lambda: self.registry,
            lambda: self.switches,
            self.kill_switch,
            self.now,
        )
        self.tools = Tools(
            runs=self.runs,
            approvals=self.approvals,
            locks=self.locks,
            host=self.find_host,
            permission=self.permission,
            looker=self.looker,
            witness=self.listener,
            clock=self.now,
            pause=getattr(self.now, "wait", asyncio.sleep),
            is_passing=may_pass,
        )
        self.desk = self.a_desk()

    def a_desk(self) -> Desk:
        """A desk with the tools as they are now."""
        drafting = Drafting(self.locks, self.permission, self.find_host, self.facts, self.now, self.new_id)
        requesting = Requesting(self.runs, self.permission, drafting, self.now, self.new_id)
        approving = Approving(self.tools, self.permission, lambda: None)
        viewing = Viewing(self.tools, self.permission, self.denied_views)
        return Desk(self.tools, self.permission, requesting, approving, viewing, self.journal)

    def find_host(self, name: str) -> Host:
        if name != "gpu-1":
            raise LookupError(f"no host {name} is registered")
        return self.host

    def new_id(self) -> str:
        self.number += 1
        return f"{self.number:032x}"

    async def approved(self, **values) -> str:
        """Ask as Anna, approve as Ben; returns the id of the run."""
        outcome = await self.desk.request(ANNA, wanted(**values))
        assert outcome.plan is not None, outcome
        done = await self.desk.approve(BEN, outcome.relaunch.id, outcome.plan.hash)
        assert done.kind == "approved", done
        return outcome.relaunch.id

    async def run(self, relaunch_id: str, memory: Memory | None = None) -> str:
        """Carry a run out."""
        return await run(relaunch_id, memory or Memory(), self.tools)

    async def journalled(self) -> list[Mapping]:
        """All entries, oldest first."""
        return [json.loads(link.record) async for link in self.journal.links()]


@asynccontextmanager
async def a_team(folder, **values):
    now = values.pop("now", None) or Now()
    host = values.pop("host", None) or FakeHost(now)
    async with opened(folder) as database:
        yield Team(database, host, now, **values)


def quick(team: Team, **values) -> None:
    """Change tools of a team."""
    team.tools = replace(team.tools, **values)
    team.desk = team.a_desk()
