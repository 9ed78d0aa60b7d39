"""What a page shows of a run, as JSON for its script. Pure. Not the page, nor the card itself."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from adapters.chat.interface import card_to_json
from bot.locale import say
from bot.relaunch.chat.words import run_card
from bot.relaunch.states import TERMINAL
from bot.triage.showing.defang import defang

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.relaunch.interface import News
    from bot.relaunch.outcomes import Shown
    from bot.store.relaunches.interface import Moment, Relaunch
    from bot.telemetry.measures import Measures


def live_to_json(shown: Shown, news: News | None, times: Measures, language: str) -> dict[str, Any]:
    """Return all that changes while a run goes on."""
    run = shown.relaunch
    card = run_card(shown, None, language)
    # what a chat folds away, the newest moments, stands on the page in full
    card = replace(card, sections=tuple(one for one in card.sections if not one.detail))
    return {
        "state": run.state.value,
        "title": card.title,
        "has_ended": run.state in TERMINAL,
        "plan": run.plan_hash,
        "card": card_to_json(card),
        "progress": _progress(news) if news is not None and news.state is run.state else None,
        "timeline": _timeline(shown.timeline, language),
        "clock": _clock(times, language),
    }


def minutes_of(run: Relaunch, now: datetime) -> float:
    """Return how long a run took, or has taken so far."""
    return max(0.0, ((run.ended_at or now) - run.asked_at).total_seconds()) / 60


def _progress(news: News) -> dict[str, Any] | None:
    if news.percent is None:
        return None
    phase = " ".join(part for part in (news.phase, news.count) if part)
    return {"percent": round(min(100.0, max(0.0, news.percent))), "phase": defang(phase)}


def _timeline(moments: Sequence[Moment], language: str) -> list[dict[str, Any]]:
    return [
        {
            "at": moment.at.isoformat(),
            "word": say(f"relaunch.word.{moment.state}", language),
            "detail": defang(moment.detail),
            "seconds": max(0.0, (moment.at - moments[0].at).total_seconds()),
        }
        for moment in moments
    ]


def _clock(times: Measures, language: str) -> list[dict[str, Any]]:
    """Return each part of the time from paste to verified; one that has not come yet has no seconds."""
    return [
        {
            "part": say(f"console.runs.clock.{part.name.replace('_', '-')}", language),
            "seconds": getattr(times, part.name),
        }
        for part in fields(times)
    ]
