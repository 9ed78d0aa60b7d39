"""The HTTP face of the fake Discord: REST v10 with tokens, buckets, faults; the CDN; the gateway's door."""

import asyncio
import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.fakes.discord.records import ApiError, DiscordSettings, Payload
from tests.fakes.discord.routes import ROUTES, Asked
from tests.fakes.faults import Fault

if TYPE_CHECKING:
    from tests.fakes.discord.posting import Uploads
    from tests.fakes.discord.world import World

_PREFIX = "/api/v10"


@dataclass
class Bucket:
    """How many requests a route has left for one channel."""

    ends_at: float = 0.0
    used: int = 0


@dataclass
class Buckets:
    """Per-route limits; their headers go out with every answer to a bot's token."""

    settings: DiscordSettings
    _buckets: dict[str, Bucket] = field(default_factory=dict)

    def take(self, route: str, major: str) -> tuple[bool, dict[str, str]]:
        """Whether the request may pass, and the headers that say what is left."""
        now = asyncio.get_running_loop().time()
        bucket = self._buckets.setdefault(f"{route} {major}", Bucket())
        if now >= bucket.ends_at:
            bucket.ends_at, bucket.used = now + self.settings.bucket_window_s, 0
        allowed = bucket.used < self.settings.bucket_limit
        bucket.used += allowed
        left = self.settings.bucket_limit - bucket.used
        after_s = bucket.ends_at - now
        return allowed, {
            "X-RateLimit-Limit": str(self.settings.bucket_limit),
            "X-RateLimit-Remaining": str(left),
            "X-RateLimit-Reset-After": f"{after_s:.3f}",
            "X-RateLimit-Reset": f"{now + after_s:.3f}",
            "X-RateLimit-Bucket": f"{abs(hash(route)):x}",
            "Via": "1.1 fake",
        }


class Rest:
    """Answers HTTP. Every call stands in `calls` with its result."""

    def __init__(self, world: "World") -> None:
        self.calls: list[Asked] = []
        self._world = world
        self._buckets = Buckets(world.settings)

    def application(self) -> web.Application:
        """All routes of the server."""
        app = web.Application(client_max_size=64 * 1024 * 1024)
        for name in ROUTES:
            method, path = name.split(" ", 1)
            app.router.add_route(method, _PREFIX + path, self._handle)
        app.router.add_get("/gateway", self._world.gateway.handle)
        app.router.add_get("/gateway/", self._world.gateway.handle)
        app.router.add_get("/gateway/resume", self._world.gateway.handle)
        app.router.add_get("/attachments/{channel_id}/{file_id}/{name:.*}", self._attachment)
        app.router.add_route("*", "/{anything:.*}", self._unknown)
        return app

    def called(self, route: str) -> list[Asked]:
        """The calls of one route so far."""
        return [call for call in self.calls if call.route == route]

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        resource = request.match_info.route.resource
        assert resource
        route = f"{request.method} {resource.canonical.removeprefix(_PREFIX)}"
        asked = Asked(route, self._world, dict(request.match_info), dict(request.query))
        self.calls.append(asked)
        asked.body, asked.uploads = await _read(request)
        headers: dict[str, str] = {}
        if not route.startswith(
            ("POST /interactions", "POST /webhooks", "PATCH /webhooks", "GET /webhooks", "DELETE /webhooks")
        ):
            if request.headers.get("Authorization") != f"Bot {self._world.addresses.token}":
                return _json({"message": "401: Unauthorized", "code": 0}, 401)
            allowed, headers = self._buckets.take(route, asked.path.get("channel_id", ""))
            if not allowed:
                return self._failed(
                    request,
                    asked,
                    Fault(route, status=429, retry_after_s=float(headers["X-RateLimit-Reset-After"])),
                    headers,
                )
        fault = self._world.faults.take(route)
        if fault and not fault.after_effect:
            if fault.gate:
                await fault.gate.pass_through()
            if not fault.only_holds:
                return self._failed(request, asked, fault, headers)
        answer = await self._answer(asked, headers)
        if fault and fault.after_effect:
            if fault.gate:
                await fault.gate.pass_through()
            if not fault.only_holds:
                return self._failed(request, asked, fault, headers)
        return answer

    async def _answer(self, asked: Asked, headers: dict[str, str]) -> web.Response:
        try:
            body: Any = await ROUTES[asked.route](asked)
            status = 204 if body is None else 200
        except ApiError as refused:
            body, status = refused.body, refused.status
        asked.result = str(status if status < 400 else f"{status} {body['code']}")
        self._world.watch.notify()
        return web.Response(status=204, headers=headers) if status == 204 else _json(body, status, headers)

    def _failed(
        self, request: web.Request, asked: Asked, fault: Fault, headers: dict[str, str]
    ) -> web.Response:
        asked.result = f"planned {fault.error or fault.status or 'drop'}"
        self._world.watch.notify()
        if fault.drop:
            if request.transport:
                request.transport.abort()
            raise web.HTTPInternalServerError
        if fault.status == 429:
            after_s = (
                self._world.settings.retry_after_s if fault.retry_after_s is None else fault.retry_after_s
            )
            limits = {"Retry-After": str(math.ceil(after_s)), "X-RateLimit-Scope": "user", "Via": "1.1 fake"}
            return _json(
                {"message": "You are being rate limited.", "retry_after": after_s, "global": False},
                429,
                headers | limits,
            )
        if fault.error:
            code = int(fault.error)
            return _json({"message": "planned", "code": code}, fault.status or 403, headers)
        return web.Response(status=fault.status or 500, text="upstream trouble", headers=headers)

    async def _attachment(self, request: web.Request) -> web.Response:
        file = self._world.files.get(request.match_info["file_id"])
        made, ends, signed = (request.query.get(name, "") for name in ("is", "ex", "hm"))
        if (
            file is None
            or self._world.links.sign(file.id, made, ends) != signed
            or int(ends, 16) < self._world.clock.now()
        ):
            return web.Response(status=404, text="This content is no longer available.")
        return web.Response(
            body=file.content, headers={"Content-Type": file.content_type or "application/octet-stream"}
        )

    async def _unknown(self, request: web.Request) -> web.Response:
        self.calls.append(
            Asked(f"{request.method} {request.path}", self._world, {}, {}, result="404 unknown route")
        )
        return _json({"message": "404: Not Found", "code": 0}, 404)


def _json(body: Any, status: int, headers: dict[str, str] | None = None) -> web.Response:
    """discord.py reads JSON only if the header is exactly `application/json`."""
    return web.Response(
        status=status,
        body=json.dumps(body).encode(),
        headers={**(headers or {}), "Content-Type": "application/json"},
    )


async def _read(request: web.Request) -> tuple[Any, "Uploads"]:
    if request.content_type != "multipart/form-data":
        text = await request.text()
        return (json.loads(text) if text and request.content_type == "application/json" else None), []
    form = await request.post()
    body: Payload = json.loads(str(form.get("payload_json") or "{}"))
    uploads: Uploads = []
    for name, part in form.items():
        if name.startswith("files[") and isinstance(part, web.FileField):
            uploads.append((part.filename, part.file.read(), part.content_type))
    if "data" in body:  # an interaction's answer keeps its attachments one level down
        body["data"].setdefault("attachments", [])
    return body, uploads
