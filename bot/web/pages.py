"""The pages: chat, incidents, rules, signing in. Not for what happens in the chat."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from bot.locale import LANGUAGES, say, sentences
from bot.web.guard import CSRF, PERSON, Guard
from bot.web.language import COOKIE as LANGUAGE_COOKIE
from bot.web.language import language_of
from bot.web.refusals import Refusal, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.store.interface import Incident
    from bot.web.parts import Parts

_HERE = Path(__file__).parent
_PLACEHOLDER = re.compile(r"\{([a-z_]+)(?::[a-z]+)?\}")
_LANGUAGE_DAYS = 365
_LIST_LIMIT = 200
_ALIKE_LIMIT = 10
_RECENT_LIMIT = 8


@dataclass(frozen=True)
class Pages:
    """All pages."""

    parts: Parts
    guard: Guard

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

    @cached_property
    def _templates(self) -> Environment:
        return Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    async def _chat(self, request: web.Request) -> web.Response:
        return self._page(request, "chat.html", {"boot": self._boot(request)})

    async def _incidents(self, request: web.Request) -> web.Response:
        found = await self.parts.incidents.recent(_LIST_LIMIT)
        return self._page(request, "incidents.html", {"incidents": found})

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
            **self._boot(request),
            "card": answer.card if answer else None,
            "message": answer.message if answer else None,
            "channel": incident.place.channel,
            "thread": incident.place.thread,
        }
        others = [other for other in alike if other.id != incident.id][:_ALIKE_LIMIT]
        return self._page(
            request, "incident.html", {"incident": incident, "alike": others, "boot": boot, "answer": answer}
        )

    async def _rules(self, request: web.Request) -> web.Response:
        return self._page(request, "rules.html", {"rules": self.parts.rulebook.rules()})

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
        return self._page(request, "rule.html", values)

    async def _login_form(self, request: web.Request) -> web.Response:
        return self._page(request, "login.html", {"token": request.query.get("token", "")})

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

    def _boot(self, request: web.Request) -> dict[str, Any]:
        """Return what the scripts of a page need to know."""
        person = request[PERSON]
        language = language_of(request)
        parts = self.parts
        return {
            "csrf": request[CSRF],
            "person": {"id": person.id, "name": person.name},
            "channels": list(parts.channels),
            "limits": {
                "text": parts.text_limit_bytes,
                "file": parts.file_limit_bytes,
                "files": parts.files_limit,
            },
            "language": language,
            "sample": parts.sample,
            "words": {key: text for key, text in sentences(language).items() if key.startswith("console.")},
        }

    def _page(self, request: web.Request, name: str, values: Mapping[str, Any]) -> web.Response:
        language = language_of(request)
        person = request.get(PERSON)
        other = next(one for one in LANGUAGES if one != language)
        html = self._templates.get_template(name).render(
            say=lambda key, **words: say(key, language, **words),
            json_of=_json_for_html,
            open_places=_open_places,
            language=language,
            other_language=other,
            path=request.path,
            person=person,
            needs_sign_in=self.parts.needs_sign_in,
            **values,
        )
        response = web.Response(text=html, content_type="text/html")
        if "lang" in request.query:
            response.set_cookie(
                LANGUAGE_COOKIE, language, max_age=_LANGUAGE_DAYS * 86_400, samesite="Lax", path="/"
            )
        return response


def _open_places(text: str) -> str:
    """Return the text of a rule with its placeholders as readers take them: `{model}` as `‹model›`."""
    return _PLACEHOLDER.sub(r"‹\1›", text)


def _json_for_html(value: object) -> str:
    """Return JSON that can stand in a data block of a page: nothing in it can end the block."""
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _short(incident: Incident) -> dict[str, Any]:
    return {
        "id": incident.id,
        "title": incident.title,
        "status": incident.status,
        "channel": incident.place.channel,
        "seen_at": incident.seen_at.isoformat(),
    }
