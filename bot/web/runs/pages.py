"""The list of relaunches, the page of each, and its buttons. Not for deciding what anybody may."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from aiohttp import web

from adapters.chat.interface import card_to_json
from bot.relaunch.chat.actions import APPROVE, CANCEL, REJECT
from bot.relaunch.chat.words import said_card
from bot.relaunch.outcomes import OutcomeKind
from bot.store.relaunches.interface import UnknownRelaunchError
from bot.telemetry.measures import measured
from bot.web.language import language_of
from bot.web.refusals import Refusal, refuse
from bot.web.runs.people import reader_of
from bot.web.runs.view import live_to_json, minutes_of

if TYPE_CHECKING:
    from bot.relaunch.outcomes import DeskOutcome, Shown
    from bot.web.parts import Parts, Relaunching
    from bot.web.sheets import Sheets

_LIST_LIMIT = 200
_DONE = frozenset({OutcomeKind.APPROVED, OutcomeKind.COUNTED, OutcomeKind.REJECTED, OutcomeKind.CALLED_OFF})


@dataclass(frozen=True)
class RunPages:
    """The pages of relaunches."""

    parts: Parts
    relaunching: Relaunching
    sheets: Sheets

    def routes(self) -> list[web.RouteDef]:
        """Return the routes of the pages."""
        return [
            web.get("/relaunches", self._runs),
            web.get("/relaunches/{id}", self._run),
            web.get("/api/relaunches/{id}", self._live),
            web.get("/api/relaunches/{id}/log", self._log),
            web.post("/api/relaunches/{id}", self._act),
        ]

    async def _runs(self, request: web.Request) -> web.Response:
        found = await self.relaunching.desk.list(reader_of(request), _LIST_LIMIT)
        now = self.relaunching.desk.tools.clock()
        listed = [(run, minutes_of(run, now)) for run in found]
        off = await self.relaunching.desk.permission.switched_off()
        return self.sheets.page(request, "relaunches.html", {"runs": listed, "off": off})

    async def _run(self, request: web.Request) -> web.Response:
        shown = await self._shown(request)
        if shown is None:
            return refuse(request, Refusal.NOT_FOUND)
        run = shown.relaunch
        boot = {**self.sheets.boot(request), "relaunch": run.id, "live": await self._told(request, shown)}
        incident = await self.parts.incidents.get(run.incident_id) if run.incident_id else None
        return self.sheets.page(request, "relaunch.html", {"run": run, "incident": incident, "boot": boot})

    async def _live(self, request: web.Request) -> web.Response:
        shown = await self._shown(request)
        if shown is None:
            return refuse(request, Refusal.NOT_FOUND)
        return web.json_response(await self._told(request, shown))

    async def _log(self, request: web.Request) -> web.Response:
        shown = await self._shown(request)
        if shown is None:
            return refuse(request, Refusal.NOT_FOUND)
        run = shown.relaunch
        look = await self.relaunching.looks.look(run.host, run.server, with_log=True)
        return web.json_response({"lines": look.lines, "trouble": look.trouble})

    async def _act(self, request: web.Request) -> web.Response:
        """Do what a button of the page asks for, on the plan that the page showed."""
        named = _named(await request.read())
        if named is None:
            return web.json_response({"error": "not-a-click", "values": {}}, status=HTTPStatus.BAD_REQUEST)
        shown = await self._shown(request)
        if shown is None:
            return refuse(request, Refusal.NOT_FOUND)
        action, seen = named
        desk, reader, run_id = self.relaunching.desk, reader_of(request), shown.relaunch.id
        acts = {
            APPROVE: lambda: desk.approve(reader, run_id, seen),
            REJECT: lambda: desk.reject(reader, run_id, seen),
            CANCEL: lambda: desk.cancel(reader, run_id),
        }
        return _answer(await acts[action](), language_of(request))

    async def _shown(self, request: web.Request) -> Shown | None:
        """Return the run that a request names; None where there is none that this person may see."""
        try:
            return await self.relaunching.desk.show(reader_of(request), request.match_info["id"])
        except UnknownRelaunchError:
            return None

    async def _told(self, request: web.Request, shown: Shown) -> dict[str, Any]:
        run = shown.relaunch
        incident = await self.parts.incidents.get(run.incident_id) if run.incident_id else None
        answer = await self.parts.answers.of_incident(run.incident_id) if run.incident_id else None
        times = measured(
            shown.timeline,
            incident.opened_at if incident is not None else None,
            answer.decided_at if answer is not None else None,
        )
        return live_to_json(shown, self.relaunching.news(run.id), times, language_of(request))


def _named(body: bytes) -> tuple[str, str] | None:
    """Return the action and the plan that a body names; None for anything else."""
    try:
        click = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(click, dict):
        return None
    action, seen = click.get("action"), click.get("plan")
    if action not in (APPROVE, REJECT, CANCEL) or not isinstance(seen, str):
        return None
    return action, seen


def _answer(outcome: DeskOutcome, language: str) -> web.Response:
    is_denied = outcome.kind is OutcomeKind.DENIED
    refused = HTTPStatus.FORBIDDEN if is_denied else HTTPStatus.CONFLICT
    told = {"kind": outcome.kind.value, "card": card_to_json(said_card(outcome, language))}
    return web.json_response(told, status=HTTPStatus.OK if outcome.kind in _DONE else refused)
