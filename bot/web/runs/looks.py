"""One look at a server at a time, however many pages want one. Not for runs: they ask hosts themselves."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from adapters.hosts.errors import HostError
from bot.relaunch.fetching import last_lines, log_end
from bot.triage.showing.defang import defang

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.hosts.interface import Host
    from adapters.hosts.records import RunState

#: lines of log that a page shows
LINES: Final = 100
#: seconds that a look may take
_PATIENCE_S: Final = 10.0
#: seconds that pages make do with the same look
_FRESH_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Look:
    """A server as it was a moment ago."""

    #: None: the host did not say, see `trouble`
    state: RunState | None
    #: the last lines of this start, masked
    lines: tuple[str, ...] = ()
    #: one sentence
    trouble: str = ""


@dataclass
class Looks:
    """Asks hosts for pages."""

    #: the host of a name. Raises `LookupError`
    host: Callable[[str], Host]
    #: seconds that only grow
    clock: Callable[[], float]
    _locks: defaultdict[tuple[str, str, bool], asyncio.Lock] = field(
        default_factory=lambda: defaultdict(asyncio.Lock)
    )
    _kept: dict[tuple[str, str, bool], tuple[float, Look]] = field(default_factory=dict)

    async def look(self, host: str, server: str, *, with_log: bool) -> Look:
        """Return how a registered server is."""
        key = (host, server, with_log)
        async with self._locks[key]:
            kept = self._kept.get(key)
            if kept is not None and self.clock() - kept[0] < _FRESH_S:
                return kept[1]
            look = await self._ask(host, server, with_log=with_log)
            self._kept[key] = (self.clock(), look)
            return look

    async def _ask(self, host: str, server: str, *, with_log: bool) -> Look:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                found = self.host(host)
                status = await (log_end(found, server) if with_log else found.status(server, 0, 0))
                return Look(status.state, await last_lines(status.log, LINES if with_log else 0))
        except (HostError, LookupError) as error:
            return Look(None, trouble=defang(str(error)))
        except TimeoutError:
            return Look(None, trouble=f"host {host}: no answer within {_PATIENCE_S:g} s")
