"""The page of hosts and their servers, as the registry names them and as they are now. Not for acting on them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiohttp import web

from bot.access.policy import Action
from bot.locale import say
from bot.web.guard import PERSON
from bot.web.language import language_of
from bot.web.runs.people import reader_of

if TYPE_CHECKING:
    from bot.hosts.registry import Host, Server
    from bot.store.relaunches.interface import Relaunch
    from bot.web.parts import Relaunching
    from bot.web.sheets import Sheets

#: runs among which the last one of each server is looked for
_PAST = 500


@dataclass(frozen=True)
class HostPages:
    """The page of hosts."""

    relaunching: Relaunching
    sheets: Sheets

    def routes(self) -> list[web.RouteDef]:
        """Return the routes of the page."""
        return [web.get("/hosts", self._hosts), web.get("/api/hosts", self._states)]

    async def _hosts(self, request: web.Request) -> web.Response:
        hosts = [(host, servers) for host, servers in self._seen(request) if servers]
        faults = self.relaunching.registry.faults
        last: dict[tuple[str, str], Relaunch] = {}
        for run in await self.relaunching.desk.list(reader_of(request), _PAST):
            last.setdefault((run.host, run.server), run)
        values = {
            "hosts": hosts,
            "last": last,
            "is_faulty": bool(faults),
            "faults": faults if request[PERSON].id == self.relaunching.operator else (),
            "boot": self.sheets.boot(request),
        }
        return self.sheets.page(request, "hosts.html", values)

    async def _states(self, request: web.Request) -> web.Response:
        """Ask all servers at once how they are."""
        seen = [(host, server) for host, servers in self._seen(request) for server in servers]
        looks = self.relaunching.looks
        found = await asyncio.gather(
            *(looks.look(host.name, server.name, with_log=False) for host, server in seen)
        )
        language = language_of(request)
        told = {
            server.name: {
                "state": look.state.value if look.state is not None else None,
                "word": say(f"console.hosts.state.{look.state or 'silent'}", language),
                "trouble": look.trouble,
            }
            for (_, server), look in zip(seen, found, strict=True)
        }
        return web.json_response(told)

    def _seen(self, request: web.Request) -> list[tuple[Host, tuple[Server, ...]]]:
        """Return the hosts with those of their servers that this person may see."""
        permission, reader = self.relaunching.desk.permission, reader_of(request)
        authorizer = permission.authorizer

        def may_see(host: Host, server: Server) -> bool:
            is_known = permission.find(server.name) is not None
            return is_known and authorizer.decide(reader, Action.VIEW, host.target(server)).is_allowed

        return [
            (host, tuple(server for server in host.servers if may_see(host, server)))
            for host in self.relaunching.registry().hosts
        ]
