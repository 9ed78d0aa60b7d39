"""Gathers the evidence for a verdict from a host. Only asks; may be begun again at any time. Not for judging."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from adapters.hosts.records import ProbeKind, RunState
from bot.relaunch.planning.plan import Check
from bot.verification.evidence import Evidence, Sight

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from adapters.hosts.records import ProbeAnswer, ServerStatus
    from bot.relaunch.interface import Looker
    from bot.verification.evidence import Wanted

#: bytes of log that are read at once (hosts give no more), and in all: what is promised is logged early
_PIECE: Final = 128 * 1024
_MOST: Final = 8 * 1024 * 1024
_PROBES: Final = {
    Check.HEALTH: ProbeKind.HEALTH,
    Check.MODELS: ProbeKind.MODELS,
    Check.TEXT: ProbeKind.TEXT,
    Check.IMAGE: ProbeKind.IMAGE,
}


class Asked(Protocol):
    """The part of a host that is asked."""

    async def status(self, server: str, log_offset: int, log_limit: int) -> ServerStatus:
        """Return a server's state and the next piece of its log."""

    async def probe(
        self, server: str, kinds: Sequence[ProbeKind], model: str, timeout_seconds: float
    ) -> tuple[ProbeAnswer, ...]:
        """Ask the running server each question over its own port."""


async def gather(
    host: Asked,
    server: str,
    wanted: Wanted,
    looker: Looker,
    *,
    probe_seconds: float,
    soak: Callable[[], Awaitable[None]],
) -> Evidence:
    """Return what is seen of a server now and after the soak; one that is not there is not waited for."""
    before = sight_of(await host.status(server, 0, 0))
    if before.state is RunState.EXITED or before.start_id not in {None, wanted.start_id}:
        log, is_whole = await read_log(host, server)
        return Evidence(before, None, log, is_whole, await looker.failure_in(log))
    answers = await _ask_all(host, server, wanted, probe_seconds)
    await soak()
    later = await _ask_all(host, server, wanted, probe_seconds)
    log, is_whole = await read_log(host, server)
    failure = await looker.failure_in(log)
    after = sight_of(await host.status(server, 0, 0))
    return Evidence(before, after, log, is_whole, failure, answers, later)


async def read_log(host: Asked, server: str) -> tuple[str, bool]:
    """Return the log of the present start, and whether nothing of it is missing."""
    pieces: list[str] = []
    offset, is_whole, start_id = 0, True, None
    while offset < _MOST:
        part = (await host.status(server, offset, _PIECE)).log
        if pieces and part.start_id != start_id:
            return "".join(pieces), False
        start_id = part.start_id
        pieces.append(part.text)
        is_whole = is_whole and not part.skipped_bytes
        if part.next_offset <= offset:
            return "".join(pieces), is_whole
        offset = part.next_offset
    return "".join(pieces), False


def sight_of(status: ServerStatus) -> Sight:
    """Return the process as a status tells it."""
    return Sight(status.state, status.start_id, status.pid, status.restarts, status.running_spec_hash)


async def _ask_all(
    host: Asked, server: str, wanted: Wanted, probe_seconds: float
) -> dict[ProbeKind, ProbeAnswer]:
    """Ask each question that is to be asked once."""
    kinds = [_PROBES[check] for check in wanted.checks if check in _PROBES]
    answers = await host.probe(server, kinds, wanted.model, probe_seconds) if kinds else ()
    return dict(zip(kinds, answers, strict=True))
