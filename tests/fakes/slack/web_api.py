"""The HTTP face: the Web API with tokens, scopes, faults and limits; files; response URLs."""

import asyncio
import json
from collections import deque
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from aiohttp import web

from tests.fakes.faults import Fault
from tests.fakes.slack.limits import RefusedError
from tests.fakes.slack.methods import METHODS, Call
from tests.fakes.slack.methods.registry import Method
from tests.fakes.slack.records import Payload, SlackSettings

if TYPE_CHECKING:
    from tests.fakes.slack.workspace import Workspace

_LOGIN_PAGE = "<!DOCTYPE html><html><head><title>Slack</title></head><body>Sign in to Fake</body></html>"
_JSON_ARGUMENTS = {"blocks", "attachments", "metadata", "files", "view"}


class PostPace:
    """About one post a second in each channel, as Slack allows; off unless the settings say so."""

    def __init__(self, settings: SlackSettings) -> None:
        self._settings = settings
        self._posts: dict[str, deque[float]] = {}

    def allows(self, channel: str) -> bool:
        most = self._settings.posts_per_window
        if most is None:
            return True
        now = asyncio.get_running_loop().time()
        posts = self._posts.setdefault(channel, deque())
        while posts and now - posts[0] > self._settings.window_s:
            posts.popleft()
        if len(posts) >= most:
            return False
        posts.append(now)
        return True


class WebApi:
    """Answers HTTP. Every call stands in `calls` with its result."""

    def __init__(self, workspace: "Workspace") -> None:
        self.calls: list[Call] = []
        self._workspace = workspace
        self._pace = PostPace(workspace.settings)

    def application(self) -> web.Application:
        """All routes of the server."""
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/api/{method}", self._call)
        app.router.add_get("/link/", self._workspace.sockets.handle)
        app.router.add_post("/actions/{token}", self._workspace.responses.handle)
        app.router.add_post("/upload/v1/{file}", self._upload)
        app.router.add_get("/files-pri/{team_file}/download/{name}", self._download)
        app.router.add_get("/files-pri/{team_file}/{name}", self._download)
        return app

    def called(self, method: str) -> list[Call]:
        """The calls of one method so far."""
        return [call for call in self.calls if call.method == method]

    async def _call(self, request: web.Request) -> web.StreamResponse:
        call = Call(request.match_info["method"], await _arguments(request), self._workspace)
        self.calls.append(call)
        fault = self._workspace.faults.take(call.method)
        if fault and not fault.after_effect:
            if fault.gate:
                await fault.gate.pass_through()
            if not fault.only_holds:
                return self._failed(request, call, fault)
        if call.method == "chat.postMessage" and not self._pace.allows(str(call.args.get("channel"))):
            return self._failed(request, call, Fault(call.method, status=429))
        answer = await self._answer(request, call)
        if fault and fault.after_effect:
            if fault.gate:
                await fault.gate.pass_through()
            if not fault.only_holds:
                return self._failed(request, call, fault)
        return answer

    async def _answer(self, request: web.Request, call: Call) -> web.Response:
        try:
            method = self._allowed(request, call)
            body: Payload = {"ok": True, **await method.run(call)}
        except RefusedError as refused:
            body = {"ok": False, "error": refused.code, **refused.more}
            if refused.messages:
                body |= {
                    "errors": list(refused.messages),
                    "response_metadata": {"messages": list(refused.messages)},
                }
        call.result = body.get("error", "ok")
        self._workspace.watch.notify()
        scopes = ",".join(sorted(self._workspace.settings.scopes))
        return web.json_response(body, headers={"X-OAuth-Scopes": scopes, "X-Slack-Req-Id": "fake"})

    def _allowed(self, request: web.Request, call: Call) -> Method:
        """The method, if it exists and the token may use it."""
        method = METHODS.get(call.method)
        if method is None:
            raise RefusedError("unknown_method")
        addresses = self._workspace.addresses
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or call.args.pop("token", "")
        if not token:
            raise RefusedError("not_authed")
        if token not in (addresses.bot_token, addresses.app_token):
            raise RefusedError("invalid_auth")
        if (token == addresses.app_token) != method.app_token and call.method not in (
            "auth.test",
            "api.test",
        ):
            raise RefusedError("not_allowed_token_type")
        granted = self._workspace.settings.scopes
        if method.scopes and not method.app_token and not set(method.scopes) & granted:
            raise RefusedError("missing_scope", needed=method.scopes[0], provided=",".join(sorted(granted)))
        return method

    def _failed(self, request: web.Request, call: Call, fault: Fault) -> web.Response:
        call.result = f"planned {fault.error or fault.status or 'drop'}"
        self._workspace.watch.notify()
        if fault.drop:
            if request.transport:
                request.transport.abort()
            raise web.HTTPInternalServerError
        if fault.error:
            return web.json_response({"ok": False, "error": fault.error})
        if fault.status == 429:
            retry_after_s = (
                self._workspace.settings.retry_after_s if fault.retry_after_s is None else fault.retry_after_s
            )
            return web.json_response(
                {"ok": False, "error": "ratelimited"},
                status=429,
                headers={"Retry-After": str(int(retry_after_s))},
            )
        return web.Response(status=fault.status or 500, text="upstream trouble", content_type="text/html")

    async def _upload(self, request: web.Request) -> web.Response:
        file = self._workspace.files.get(request.match_info["file"])
        if file is None or file.content:
            return web.Response(status=404, text="no such upload")
        if request.content_type == "multipart/form-data":
            form = await request.post()
            part: Any = form.get("file") or form.get("filename")
            file.content = part.file.read()
        else:
            file.content = await request.read()
        return web.Response(text=f"OK - {len(file.content)}")

    async def _download(self, request: web.Request) -> web.Response:
        file = self._workspace.files.get(request.match_info["team_file"].rpartition("-")[2])
        if request.headers.get("Authorization") != f"Bearer {self._workspace.addresses.bot_token}":
            return web.Response(text=_LOGIN_PAGE, content_type="text/html")
        if file is None:
            return web.Response(status=404)
        return web.Response(
            body=file.content, headers={"Content-Type": file.mimetype or "application/octet-stream"}
        )


async def _arguments(request: web.Request) -> Payload:
    """Arguments from the query, a JSON body and a form body, as slack_sdk spreads them."""
    found: Payload = dict(request.query)
    if request.content_type == "application/json":
        found |= json.loads(await request.text() or "{}")
    elif request.content_type == "application/x-www-form-urlencoded":
        found |= dict(parse_qsl(await request.text()))
    elif request.content_type == "multipart/form-data":
        found |= dict(await request.post())
    for name in _JSON_ARGUMENTS & set(found):
        if isinstance(found[name], str) and found[name][:1] in "[{":
            found[name] = json.loads(found[name])
    return {key: value for key, value in found.items() if value is not None}
