"""The page of figures, drawn by the server: it works without scripts. Not for counting."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Final

from aiohttp import web

from bot.locale import say
from bot.web.figures import charts, counting
from bot.web.language import language_of
from bot.web.runs.people import reader_of

if TYPE_CHECKING:
    from bot.store.relaunches.interface import Relaunch
    from bot.web.figures.counting import Repair
    from bot.web.parts import Parts
    from bot.web.sheets import Sheets

#: how far back the page looks, in days; the first is what it shows unasked
RANGES: Final = (30, 7, 90)
#: the newest answers whose waits are measured
_WAITS: Final = 500
_RUNS: Final = 500
_MOST_RULES: Final = 25
_TICKS: Final = ((10.0, "10 s"), (60.0, "1 min"), (600.0, "10 min"), (3600.0, "1 h"), (86_400.0, "24 h"))


@dataclass(frozen=True)
class FigurePages:
    """The page of figures."""

    parts: Parts
    sheets: Sheets

    def routes(self) -> list[web.RouteDef]:
        """Return the route of the page."""
        return [web.get("/figures", self._figures)]

    async def _figures(self, request: web.Request) -> web.Response:
        days = _days(request)
        now = self.parts.clock()
        since = datetime.combine(now.date() - timedelta(days=days - 1), time.min, UTC)
        tallies = await self.parts.answers.tallies(since)
        each_day = counting.by_day(tallies)
        shown_days = counting.days_until(now.date(), days)
        rules = counting.by_rule(
            await self.parts.answers.by_rule(since), await self.parts.answers.wrong_by_rule()
        )
        most = charts.highest(each_day)
        values = {
            "days": days,
            "ranges": sorted(RANGES),
            "size": (charts.WIDTH, charts.HEIGHT),
            "left": charts.LEFT,
            "statuses": counting.STATUSES,
            "by_day": [(day, each_day.get(day, {})) for day in reversed(shown_days) if day in each_day],
            "bars": charts.bars(shown_days, each_day, counting.STATUSES),
            "lines": charts.scale(most),
            "totals": counting.by_status(each_day),
            "rules": rules[:_MOST_RULES],
            "rules_left": len(rules) - len(rules[:_MOST_RULES]),
            "waits": counting.spread(await self.parts.answers.waits(_WAITS)),
            **await self._of_relaunches(request, since, now),
        }
        return self.sheets.page(request, "figures.html", values)

    async def _of_relaunches(self, request: web.Request, since: datetime, now: datetime) -> dict[str, Any]:
        """Return what is told of relaunches, of those that this person may see."""
        runs: list[Relaunch] = []
        if self.parts.relaunching is not None:
            listed = await self.parts.relaunching.desk.list(reader_of(request), _RUNS)
            runs = [run for run in listed if run.asked_at >= since]
        pasted = await self.parts.incidents.opened_at([run.incident_id for run in runs if run.incident_id])
        repairs = counting.repairs(runs, pasted)
        language = language_of(request)
        named = [(one.verified_at, one.seconds, _name(one, language)) for one in repairs]
        dots, ticks = charts.dots(named, since, now, _TICKS)
        return {
            "repairs": list(reversed(repairs)),
            "repair_spread": counting.spread([one.seconds for one in repairs]),
            "ends": counting.by_end(runs),
            "dots": dots,
            "ticks": ticks,
        }


def _days(request: web.Request) -> int:
    asked = request.query.get("days", "")
    return next((days for days in RANGES if str(days) == asked), RANGES[0])


def _name(repair: Repair, language: str) -> str:
    minutes = f"{repair.seconds / 60:.1f}"
    return say("figures.repair", language, server=repair.run.server, minutes=minutes)
