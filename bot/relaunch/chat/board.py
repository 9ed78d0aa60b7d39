"""Keeps one message per run up to date wherever it was asked for, at most one edit in three seconds.

It shows what the store says, so a run that somebody approves at a terminal moves in chat too, and a bot that was
killed goes on with the message that is there. One process does it: the one that carries out runs.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import structlog

from adapters.chat.interface import (
    CannotTellError,
    ChatError,
    MessageRef,
    Place,
    RateLimitedError,
    Reply,
    card_to_json,
)
from bot.locale import supported
from bot.relaunch.chat.words import run_card
from bot.relaunch.outcomes import Shown
from bot.relaunch.planning.kept_plan import ForeignPlanError, plan_from_json
from bot.relaunch.states import State
from bot.store.relaunches.cards import RunCard
from bot.triage.showing.fitting import fit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.chat.interface import Card, ChatPlatform
    from bot.relaunch.interface import News, Tools
    from bot.store.relaunches.cards import SqlRunCards
    from bot.store.relaunches.interface import Relaunch

#: seconds between two edits of one message
EDIT_S: Final = 3.0
_LOOK_S: Final = 0.5
#: runs that ended, whose last card may not be out yet
_RECENT: Final = 20
_UNTOLD: Final = frozenset({State.REQUESTED, State.PLANNED, State.PREFLIGHT_OK})


@dataclass
class LatestNews:
    """The newest word on each run, for the percentages that no store keeps; meets `Witness`."""

    told: dict[str, News] = field(default_factory=dict)

    async def hear(self, news: News) -> None:
        """Take in that a run has moved."""
        self.told[news.relaunch_id] = news


@dataclass
class Board:
    """The messages about runs."""

    tools: Tools
    cards: SqlRunCards
    platforms: Mapping[str, ChatPlatform]
    news: LatestNews
    #: when each message may be edited again, by the loop's clock
    _rests: dict[str, float] = field(default_factory=dict)

    async def run(self) -> None:
        """Look at all runs, over and over."""
        log = structlog.get_logger(__name__)
        while True:
            try:
                await self.look()
            except Exception as error:  # noqa: BLE001 (outermost loop: store and platforms may come back)
                log.warning("cannot-show-relaunches", error=repr(error))
            await asyncio.sleep(_LOOK_S)

    async def look(self) -> None:
        """Bring every message up to date that is not."""
        open_runs = await self.tools.runs.unfinished()
        ended = [run for run in await self.tools.runs.recent(_RECENT) if run.ended_at is not None]
        for run in (*open_runs, *ended):
            place = _place_of(run)
            if place is not None and place.platform in self.platforms and run.state not in _UNTOLD:
                await self._show(run, place)

    async def _show(self, run: Relaunch, place: Place) -> None:
        now = asyncio.get_running_loop().time()
        if now < self._rests.get(run.id, 0.0):
            return
        platform = self.platforms[place.platform]
        card = fit(await self._card(run), platform.capabilities)
        shown = hashlib.sha256(json.dumps(card_to_json(card), sort_keys=True).encode()).hexdigest()
        kept = await self.cards.get(run.id)
        if kept is not None and kept.shown == shown:
            return
        self._rests[run.id] = now + EDIT_S
        try:
            message = await self._put(run, place, kept, card)
        except RateLimitedError as error:
            self._rests[run.id] = now + max(EDIT_S, error.retry_after_s)
            return
        except ChatError as error:
            structlog.get_logger(__name__).warning("cannot-show-relaunch", relaunch=run.id, error=str(error))
            return
        await self.cards.showed(RunCard(run.id, message, shown))

    async def _put(self, run: Relaunch, place: Place, kept: RunCard | None, card: Card) -> str:
        """Edit the message, or post it once; returns its id. Raises `ChatError`."""
        platform, reply = self.platforms[place.platform], Reply(run.id, card)
        if kept is None:
            await self.cards.begin(run.id)
            return (await platform.post(place, reply)).id
        message = kept.message
        if message is None:
            # a process died while it posted: it may be out
            try:
                found = await platform.find_reply(place, run.id)
            except CannotTellError:
                found = None
            if found is None:
                return (await platform.post(place, reply)).id
            message = found.id
        await platform.edit(MessageRef(place, message), reply)
        return message

    async def _card(self, run: Relaunch) -> Card:
        try:
            plan = plan_from_json(run.plan) if run.plan is not None else None
        except ForeignPlanError:
            plan = None
        approvers = tuple(approval.actor_id for _, approval in await self.tools.approvals.of(run.id))
        moments = tuple(await self.tools.runs.moments(run.id))
        language = supported(str(run.origin.get("language") or ""))
        return run_card(Shown(run, plan, moments, approvers), self.news.told.get(run.id), language)


def origin_of(place: Place, language: str) -> dict[str, object]:
    """Return where a run is reported, as its row keeps it; the thread is made on the message that was answered."""
    return {
        "platform": place.platform,
        "team": place.team,
        "channel": place.channel,
        "thread": place.thread,
        "language": language,
    }


def _place_of(run: Relaunch) -> Place | None:
    origin = run.origin
    if "platform" not in origin:
        return None
    thread = origin.get("thread")
    return Place(
        str(origin["platform"]),
        str(origin["team"]),
        str(origin["channel"]),
        str(thread) if thread is not None else None,
    )


__all__ = ["EDIT_S", "Board", "LatestNews", "origin_of"]
