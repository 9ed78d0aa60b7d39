"""The pages: chat, incidents, rules, signing in. Not for what happens in the chat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

from bot.locale import LANGUAGES
from bot.web.language import language_of
from bot.web.refusals import Refusal, refuse

if TYPE_CHECKING:
    from bot.store.interface import Incident
    from bot.web.guard import Guard
    from bot.web.parts import Parts
    from bot.web.sheets import Sheets

_LIST_LIMIT = 200
_ALIKE_LIMIT = 10
_RECENT_LIMIT = 8


@dataclass(frozen=True)
class Pages:
    """All pages."""

    parts: Parts
    guard: Guard
    sheets: Sheets

    def routes(self) -> list[web.RouteDef]:
        """Return the routes of the pages."""
        return [
            web.get("/", self._chat),
            web.get("/incidents", self._incidents),
            web.get("/incidents/{id}", self._incident),
            web.get("/rules", self._rules),
            web.get("/rules/{id}", self._rule),
            web.get("/login", self._login_form),
            web.post("/login", self._login),
            web.post("/api/sign-out", self._sign_out),
            web.get("/api/incidents", self._recent),
        ]

    async def _chat(self, request: web.Request) -> web.Response:
        return self.sheets.page(request, "chat.html", {"boot": self.sheets.boot(request)})

    async def _incidents(self, request: web.Request) -> web.Response:
        found = await self.parts.incidents.recent(_LIST_LIMIT)
        return self.sheets.page(request, "incidents.html", {"incidents": found})

    async def _recent(self, _request: web.Request) -> web.Response:
        found = await self.parts.incidents.recent(_RECENT_LIMIT)
        return web.json_response([_short(incident) for incident in found])

    async def _incident(self, request: web.Request) -> web.Response:
        incident = await self.parts.incidents.get(request.match_info["id"])
        if incident is None:
            return refuse(request, Refusal.NOT_FOUND)
        answer = await self.parts.answers.of_incident(incident.id)
        alike = await self.parts.incidents.alike(incident.fingerprint, _ALIKE_LIMIT + 1)
        boot = {
            **self.sheets.boot(request),
            "card": answer.card if answer else None,
            "message": answer.message if answer else None,
            "channel": incident.place.channel,
            "thread": incident.place.thread,
        }
        others = [other for other in alike if other.id != incident.id][:_ALIKE_LIMIT]
        return self.sheets.page(
            request, "incident.html", {"incident": incident, "alike": others, "boot": boot, "answer": answer}
        )

    async def _rules(self, request: web.Request) -> web.Response:
        return self.sheets.page(request, "rules.html", {"rules": self.parts.rulebook.rules()})

    async def _rule(self, request: web.Request) -> web.Response:
        rule = self.parts.rulebook.rule(request.match_info["id"])
        if rule is None:
            return refuse(request, Refusal.NOT_FOUND)
        language = language_of(request)
        words = self.parts.rulebook.fix_words(rule, language)
        wrong = (await self.parts.answers.wrong_by_rule()).get(rule.id, 0)
        values = {
            "rule": rule,
            "text": rule.texts.get(language) or rule.texts[LANGUAGES[0]],
            "fixes": list(zip(rule.fixes, words, strict=True)),
            "wrong": wrong,
        }
        return self.sheets.page(request, "rule.html", values)

    async def _login_form(self, request: web.Request) -> web.Response:
        return self.sheets.page(request, "login.html", {"token": request.query.get("token", "")})

    async def _login(self, request: web.Request) -> web.Response:
        token = str((await request.post()).get("token", ""))
        session = await self.guard.signing_in.use_link(token)
        if session is None:
            return refuse(request, Refusal.LINK_USED)
        response = web.Response(status=303, headers={"Location": "/"})
        self.guard.sign_in(response, session)
        return response

    async def _sign_out(self, request: web.Request) -> web.Response:
        await self.guard.signing_in.close_session(request.cookies.get(self.guard.cookie, ""))
        response = web.json_response({})
        response.del_cookie(self.guard.cookie, path="/")
        return response


def _short(incident: Incident) -> dict[str, Any]:
    return {
        "id": incident.id,
        "title": incident.title,
        "status": incident.status,
        "channel": incident.place.channel,
        "seen_at": incident.seen_at.isoformat(),
    }
