"""The HTTP app: health, static files, pages, and the routes that a chat platform brings. Not for them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from bot.web.figures.pages import FigurePages
from bot.web.guard import add_headers
from bot.web.pages import Pages
from bot.web.refusals import Refusal, refuse
from bot.web.runs.hosts import HostPages
from bot.web.runs.pages import RunPages
from bot.web.sheets import Sheets

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from aiohttp.typedefs import Handler

    from bot.web.guard import Guard
    from bot.web.parts import Parts, Readiness

_STATIC = Path(__file__).parent / "static"
#: of requests that are not read piece by piece
_BODY_LIMIT = 64 << 10
#: of a request to a hook: a platform tells a long message twice in it
_HOOK_BODY_LIMIT = 1 << 20


def build_app(
    parts: Parts,
    guard: Guard,
    routes: Iterable[web.RouteDef],
    hooks: Iterable[web.RouteDef] = (),
) -> web.Application:
    """Return the app. `routes` are those of the console; every one of them is guarded.

    `hooks` are for programs: they check by themselves who may use them.
    """
    hooks = tuple(hooks)
    checks = guard.middlewares(frozenset(hook.path for hook in hooks))
    app = web.Application(middlewares=[_kind_not_found, *checks], client_max_size=_BODY_LIMIT)
    app.on_response_prepare.append(add_headers)
    sheets = Sheets(parts)
    app.add_routes(Pages(parts, guard, sheets).routes())
    app.add_routes(FigurePages(parts, sheets).routes())
    if parts.relaunching is not None:
        app.add_routes(RunPages(parts, parts.relaunching, sheets).routes())
        app.add_routes(HostPages(parts.relaunching, sheets).routes())
    app.add_routes(routes)
    app.add_routes([web.get("/healthz", _health), web.get("/readyz", _ready_of(parts.readiness))])
    app.add_routes([web.static("/static", _STATIC)])
    app.add_routes([web.route(hook.method, hook.path, _with_large_body(hook.handler)) for hook in hooks])
    return app


def _with_large_body(handler: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        return await handler(request.clone(client_max_size=_HOOK_BODY_LIMIT))

    return handle


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
        told = {"status": status, "faults": faults, "platforms": readiness.connected()}
        return web.json_response(told, status=503 if faults else 200)

    return ready
