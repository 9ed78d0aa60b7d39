"""What stands before every page: host, session, origin, form word, rate, headers. Not for any page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiohttp import web

from adapters.chat.interface import Person
from bot.access.tokens import csrf_of, hash_of, is_csrf_of
from bot.web.refusals import Refusal, refuse

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from aiohttp.typedefs import Handler, Middleware

    Check = Callable[[web.Request, Handler], Awaitable[web.StreamResponse]]

    from bot.access.signing_in import SigningIn
    from bot.web.hosts import KnownHosts
    from bot.web.rate import RateLimit

PERSON = web.RequestKey("person", Person)
#: the word that the page must send along with every change
CSRF = web.RequestKey("csrf", str)

#: methods that change nothing
_READING = frozenset({"GET", "HEAD"})
#: paths that need no session
_OPEN = frozenset({"/healthz", "/readyz", "/login"})
_STATIC = "/static/"
_CSRF_HEADER = "X-CSRF-Token"

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


@dataclass(frozen=True, slots=True)
class Guard:
    """The checks before every request."""

    hosts: KnownHosts
    signing_in: SigningIn
    rate: RateLimit
    cookie: str
    is_secure: bool
    #: who anybody on this machine is; None: people sign in
    everybody: Person | None

    def middlewares(self, unguarded: frozenset[str] = frozenset()) -> list[Middleware]:
        """Return the checks in the order to run them; paths of `unguarded` check their requests themselves."""
        checks = (self._check_host, self._check_person, self._check_change)
        return [_middleware(check, unguarded) for check in checks]

    def sign_in(self, response: web.StreamResponse, token: str) -> None:
        """Give the browser its session."""
        response.set_cookie(
            self.cookie,
            token,
            max_age=int(self.signing_in.session_life.total_seconds()),
            httponly=True,
            samesite="Strict",
            secure=self.is_secure,
            path="/",
        )

    async def _check_host(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if not self.hosts.knows(request.host):
            return refuse(request, Refusal.UNKNOWN_HOST)
        return await handler(request)

    async def _check_person(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path in _OPEN or request.path.startswith(_STATIC):
            return await handler(request)
        token = request.cookies.get(self.cookie, "")
        session = await self.signing_in.session(token) if token else None
        if session is not None:
            request[PERSON] = Person(session.person_id, session.person_name)
            request[CSRF] = csrf_of(token)
            return await handler(request)
        if self.everybody is None or request.method not in _READING or request.path.startswith("/api/"):
            return refuse(request, Refusal.SIGN_IN)
        token = await self.signing_in.open_session(self.everybody)
        request[PERSON] = self.everybody
        request[CSRF] = csrf_of(token)
        response = await handler(request)
        if not response.prepared:
            self.sign_in(response, token)
        return response

    async def _check_change(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.method in _READING:
            return await handler(request)
        origin = request.headers.get("Origin", "")
        if not self.hosts.is_own_origin(origin, request.host, request.scheme):
            return refuse(request, Refusal.FOREIGN_ORIGIN)
        token = request.cookies.get(self.cookie, "")
        if request.path != "/login" and not is_csrf_of(token, request.headers.get(_CSRF_HEADER, "")):
            return refuse(request, Refusal.NO_FORM_WORD)
        if not self.rate.allows(hash_of(token) if token else request.remote or ""):
            response = refuse(request, Refusal.TOO_MANY)
            response.headers["Retry-After"] = str(self.rate.wait_s())
            return response
        return await handler(request)


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Put the headers on that keep a page to itself; a signal handler, so that no answer goes out without."""
    response.headers.update(_HEADERS)
    response.headers.setdefault("Cache-Control", "no-store")
    response.headers.pop("Server", None)


def _middleware(check: Check, unguarded: frozenset[str]) -> Middleware:
    """Return a check as aiohttp wants it: a plain function with a mark."""

    @web.middleware
    async def checked(request: web.Request, handler: Handler) -> web.StreamResponse:
        return await (handler(request) if request.path in unguarded else check(request, handler))

    return checked
