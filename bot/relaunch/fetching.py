"""Fetches the end of a server's log and what is true of it, for who may see that. Changes nothing; not for runs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.hosts.errors import HostError
from bot.access.policy import Action
from bot.relaunch.acts.deciding import Act
from rules.engine.paste.keeping import kept_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.hosts.interface import Host
    from adapters.hosts.records import LogPart, ServerStatus, Snapshot
    from bot.access.actor import Actor
    from bot.access.authorization import Refusal
    from bot.audit.interface import Journal
    from bot.clock import Clock
    from bot.relaunch.permission import PresentPermission

#: so many lines are shown at most
MOST_LINES: Final = 200
_LONGEST_LINE: Final = 2_000
#: bytes of log that a host gives at once
_PIECE: Final = 128 << 10
#: no log is longer; a host that says so lies
_LONGEST_LOG: Final = 1 << 44


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was fetched of one server; every text is masked."""

    server: str
    host: str
    #: installed there, as far as the host or the registry know
    vllm_version: str | None
    #: name of each GPU; None: the host could not tell
    gpus: tuple[str, ...] | None
    state: str
    phase: str
    exit_code: int | None
    restarts: int
    argv: tuple[str, ...]
    #: `NAME=value`
    variables: tuple[str, ...]
    #: the last ones of the present start, oldest first
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fetching:
    """Asks hosts for what somebody wants to see."""

    permission: PresentPermission
    #: the host of a name. Raises `LookupError`
    host: Callable[[str], Host]
    journal: Journal
    clock: Clock
    #: nobody gets more at once; more may be read where less is shown
    most_lines: int = MOST_LINES

    async def fetch(self, actor: Actor, server: str, lines: int) -> Fetched | Refusal:
        """Return what is fetched, or why not. Raises `LookupError` for a server nobody registered, `HostError`."""
        found = self.permission.find(server)
        if found is None:
            raise LookupError(f"no server {server!a} is registered")
        target = found[0].target(found[1])
        act = Act(actor, Action.FETCH, target)
        decision = await self.permission.decide(actor, Action.FETCH, target)
        await self.journal.write(act.decided(decision, self.clock()))
        if decision.refusal is not None:
            return decision.refusal
        await self.journal.write(act.begins(self.clock()))
        try:
            fetched = await self._ask(target.host, server, found[1].vllm_version, min(lines, self.most_lines))
        except HostError as error:
            await self.journal.write(act.ended(self.clock(), "failed", error.what))
            raise
        await self.journal.write(act.ended(self.clock(), "done", f"{len(fetched.lines)} lines of log"))
        return fetched

    async def _ask(self, host_name: str, server: str, named: str | None, lines: int) -> Fetched:
        host = self.host(host_name)
        facts = await host.facts()
        snapshot = await host.snapshot(server)
        status = await log_end(host, server) if lines > 0 else await host.status(server, 0, 0)
        return Fetched(
            server=server,
            host=host_name,
            vllm_version=facts.vllm_versions.get(server) or named,
            gpus=None if facts.gpus is None else tuple(gpu.name for gpu in facts.gpus),
            state=status.state.value,
            phase=status.phase.value,
            exit_code=status.exit_code,
            restarts=status.restarts,
            argv=snapshot.launch.argv,
            variables=await _variables(snapshot),
            lines=await last_lines(status.log, lines),
        )


async def log_end(host: Host, server: str) -> ServerStatus:
    """Return a server's status with the last piece of its log, found by halving: nobody says how long a log is."""
    status = await host.status(server, 0, _PIECE)
    if not _goes_on(status.log, 0):
        return status
    below, above = 0, _PIECE
    while above < _LONGEST_LOG and _goes_on((await host.status(server, above, _PIECE)).log, above):
        below, above = above, above * 2
    while above - below > _PIECE // 2:
        middle = (below + above) // 2
        if _goes_on((await host.status(server, middle, _PIECE)).log, middle):
            below = middle
        else:
            above = middle
    # the end is less than half a piece away: the half before it is shown too
    return await host.status(server, max(0, below - _PIECE // 2), _PIECE)


def _goes_on(log: LogPart, offset: int) -> bool:
    """Tell whether a log has anything at an offset or after it."""
    return bool(log.text) or log.next_offset > offset


async def _variables(snapshot: Snapshot) -> tuple[str, ...]:
    text = "\n".join(f"{name}={value}" for name, value in sorted(snapshot.launch.env.items()))
    return tuple((await asyncio.to_thread(kept_text, text))[0].splitlines())


async def last_lines(log: LogPart, most: int) -> tuple[str, ...]:
    """Return the last lines, masked once more by what masks pastes; the host has its own idea of secrets."""
    if most <= 0:
        return ()
    end = "\n".join(line[:_LONGEST_LINE] for line in log.text.splitlines()[-most:])
    masked, _ = await asyncio.to_thread(kept_text, end)
    return tuple(masked.splitlines()[-most:])
