"""The HTTP app: health, static files, pages, and the routes that a chat platform brings. Not for them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from bot.web.guard import add_headers
from bot.web.pages import Pages
from bot.web.refusals import Refusal, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aiohttp.typedefs import Handler

    from bot.web.guard import Guard
    from bot.web.parts import Parts, Readiness

_STATIC = Path(__file__).parent / "static"
#: of requests that are not read piece by piece
_BODY_LIMIT = 64 << 10


def build_app(parts: Parts, guard: Guard, routes: Iterable[web.RouteDef]) -> web.Application:
    """Return the app. `routes` are those of the chat platforms; every one of them is guarded."""
    app = web.Application(middlewares=[_kind_not_found, *guard.middlewares()], client_max_size=_BODY_LIMIT)
    app.on_response_prepare.append(add_headers)
    app.add_routes(Pages(parts, guard).routes())
    app.add_routes(routes)
    app.add_routes([web.get("/healthz", _health), web.get("/readyz", _ready_of(parts.readiness))])
    app.add_routes([web.static("/static", _STATIC)])
    return app


@web.middleware
async def _kind_not_found(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except web.HTTPNotFound:
        return refuse(request, Refusal.NOT_FOUND)


async def _health(_request: web.Request) -> web.Response:
    """Say that the process runs its event loop."""
    return web.json_response({"status": "ok"})


def _ready_of(readiness: Readiness) -> Handler:
    async def ready(_request: web.Request) -> web.Response:
        """Say whether the bot can do its work, and what is wrong if it cannot."""
        faults = await readiness.faults()
        status = "ready" if not faults else "not-ready"
        return web.json_response({"status": status, "faults": faults}, status=503 if faults else 200)

    return ready
