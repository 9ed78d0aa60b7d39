"""Asks of every registered server whether the same failure waits there. Changes nothing. Not for mending any.

What is asked is the launch as its host has it: by the preflight of that release, and by the settings that the fix
would change.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol

from adapters.hosts.errors import HostError
from bot.access.policy import Action
from bot.hosts.guess import same_model
from bot.locale import say
from bot.relaunch.acts.deciding import Act
from bot.relaunch.choosing import holds, remedy_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from adapters.hosts.interface import Host
    from adapters.hosts.records import Launch
    from bot.access.actor import Actor
    from bot.audit.interface import Journal
    from bot.clock import Clock
    from bot.hosts.registry import Host as RegisteredHost
    from bot.hosts.registry import Server
    from bot.relaunch.offer import Offer
    from bot.relaunch.permission import PresentPermission

#: hosts that are asked at a time
_AT_ONCE: Final = 8
_MASKED: Final = "<masked>"


class Fate(StrEnum):
    """Whether the failure waits at a server."""

    #: the preflight of its release says so
    WOULD_FAIL = "would-fail"
    #: it has the setting, a release that refuses it, and the same model
    LIKELY = "likely"
    #: it has the setting, and something is not known or differs
    POSSIBLE = "possible"
    CLEAR = "clear"
    #: it could not be asked
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Swept:
    """What is said of one server."""

    server: str
    host: str
    fate: Fate
    #: one sentence
    reason: str
    vllm_version: str | None = None
    #: the sentence in other languages, where it is one of ours
    told: Reason | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a fate is expected, as one of our own sentences."""

    key: str
    settings: str = ""
    release: str = ""

    def __str__(self) -> str:
        return self.in_language("en")

    def in_language(self, language: str) -> str:
        """Return the sentence."""
        return say(f"servers.reason.{self.key}", language, settings=self.settings, release=self.release)


@dataclass(frozen=True, slots=True)
class Examined:
    """A launch with what is known of where it runs."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    vllm_version: str | None
    gpu: str | None


class Examiner(Protocol):
    """Whoever knows what is wrong with a launch before it is started."""

    async def faults(self, launch: Examined) -> Mapping[str, str]:
        """Return rule → sentence for all that stops the start; empty where nothing is found or nothing can be said."""


@dataclass(frozen=True, slots=True)
class Sweeping:
    """Asks hosts about a failure."""

    permission: PresentPermission
    #: the host of a name. Raises `LookupError`
    host: Callable[[str], Host]
    examiner: Examiner
    journal: Journal
    clock: Clock

    async def sweep(self, actor: Actor, offer: Offer) -> tuple[Swept, ...]:
        """Return what is said of each server that somebody may ask about, by name; the others are not named."""
        registry, today = self.permission.registry(), self.clock().date()
        gate = asyncio.Semaphore(_AT_ONCE)

        async def ask(host: RegisteredHost) -> list[Swept]:
            async with gate:
                return [
                    swept
                    for server in host.servers
                    if (swept := await self._sweep(actor, offer, host, server)) is not None
                ]

        found = await asyncio.gather(*(ask(host) for host in registry.hosts if not host.has_expired(today)))
        return tuple(sorted((one for some in found for one in some), key=lambda one: one.server))

    async def _sweep(self, actor: Actor, offer: Offer, host: RegisteredHost, server: Server) -> Swept | None:
        target = host.target(server)
        act = Act(actor, Action.SWEEP, target)
        decision = await self.permission.decide(actor, Action.SWEEP, target)
        await self.journal.write(act.decided(decision, self.clock()))
        if not decision.is_allowed:
            return None
        await self.journal.write(act.begins(self.clock()))
        try:
            swept = await self._ask(offer, host.name, server)
        except (HostError, LookupError) as error:
            reason = error.what if isinstance(error, HostError) else str(error)
            await self.journal.write(act.ended(self.clock(), "failed", reason))
            return Swept(server.name, host.name, Fate.UNKNOWN, f"{reason}.", server.vllm_version)
        await self.journal.write(act.ended(self.clock(), "done", f"{swept.fate}: {swept.reason}"))
        return swept

    async def _ask(self, offer: Offer, host_name: str, server: Server) -> Swept:
        host = self.host(host_name)
        facts = await host.facts()
        version = facts.vllm_versions.get(server.name) or server.vllm_version
        gpu = server.gpu_name or (facts.gpus[0].name if facts.gpus else None)
        launch = (await host.snapshot(server.name)).launch
        known = {name: value for name, value in launch.env.items() if value != _MASKED}
        faults = await self.examiner.faults(Examined(launch.argv, known, version, gpu))
        if offer.rule in faults:
            return Swept(server.name, host_name, Fate.WOULD_FAIL, faults[offer.rule], version)
        fate, reason = judged(offer, server, launch, version)
        return Swept(server.name, host_name, fate, str(reason), version, reason)


def judged(offer: Offer, server: Server, launch: Launch, version: str | None) -> tuple[Fate, Reason]:
    """Return what the fix's own settings say of a launch, with the reason."""
    remedy = remedy_for(offer, version)
    change = remedy.change
    if change is None:
        return Fate.CLEAR, Reason("no-setting-changed")
    has = _has(launch, (*change.env_unset, *change.env_set, *change.flags_unset, *change.flags_set))
    has = [one for one in has if one not in _wanted(change.env_set, change.flags_set)]
    if not has:
        return Fate.CLEAR, Reason("without")
    said = ", ".join(has)
    if version is None:
        return Fate.POSSIBLE, Reason("release-unknown", said)
    if remedy.releases and not holds(remedy.releases, version):
        return Fate.CLEAR, Reason("other-release", said, version)
    if offer.model is None or not same_model(offer.model, server.model):
        return Fate.POSSIBLE, Reason("other-model", said, version)
    return Fate.LIKELY, Reason("same-model", said, version)


def _has(launch: Launch, names: Sequence[str]) -> list[str]:
    """Return the settings of a launch that have one of the names, as they are written."""
    found = [f"{name}={launch.env[name]}" for name in names if name in launch.env]
    words = launch.argv
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name not in names or not name.startswith("--"):
            continue
        following = words[place + 1] if place + 1 < len(words) else ""
        shown = value if equals else ("" if following.startswith("--") else following)
        found.append(f"{name} {shown}".rstrip())
    return found


def _wanted(env: Mapping[str, str], flags: Mapping[str, str]) -> set[str]:
    """Return the settings as they are once the fix is made."""
    return {f"{name}={value}" for name, value in env.items()} | {
        f"{name} {value}".rstrip() for name, value in flags.items()
    }
