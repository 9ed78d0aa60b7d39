"""Tells the engine what it was not told yet, and ends what waited too long. Not for carrying anything out.

A click, its entry in the journal and a letter to the engine are one transaction of the store. Here letters are
delivered until the engine has them; delivering one twice changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Protocol

from bot.relaunch.interface import News
from bot.relaunch.running.abandoning import abandon
from bot.relaunch.states import State
from bot.store.relaunches.interface import Move, MoveRefusedError

if TYPE_CHECKING:
    from bot.relaunch.interface import Tools
    from bot.store.relaunches.interface import Outbox, Relaunch

_AT_ONCE: Final = 50
#: whoever was making a plan has died when it takes longer
_PLANNING: Final = timedelta(minutes=10)
_BEING_PLANNED: Final = frozenset({State.REQUESTED, State.PLANNED, State.PREFLIGHT_OK})


class Engine(Protocol):
    """What letters are delivered to."""

    async def start(self, relaunch_id: str) -> None:
        """Begin a run, once."""

    async def has_ended(self, relaunch_id: str) -> bool:
        """Tell whether the engine will do nothing more for a run."""


@dataclass(frozen=True, slots=True)
class Feeder:
    """Feeds an engine from the outbox."""

    outbox: Outbox
    tools: Tools

    async def feed(self, engine: Engine) -> None:
        """Deliver what waits, then end what waited too long."""
        for letter in await self.outbox.waiting(_AT_ONCE):
            await engine.start(letter.relaunch_id)
            await self.outbox.taken(letter, self.tools.clock())
        for run in await self.tools.runs.unfinished():
            await self._age(run)

    async def reconcile(self, engine: Engine) -> None:
        """Find runs that the engine no longer knows or has given up; asked once when a leader begins."""
        for run in await self.tools.runs.unfinished():
            if run.state in _BEING_PLANNED or run.state is State.AWAITING_APPROVAL:
                continue
            if await engine.has_ended(run.id):
                await abandon(run.id, "The run broke off by an error of this program.", self.tools)
            else:
                await engine.start(run.id)

    async def _age(self, run: Relaunch) -> None:
        now = self.tools.clock()
        if run.state is State.AWAITING_APPROVAL and run.expires_at is not None and now >= run.expires_at:
            await self._end(run, State.EXPIRED, "Nobody approved it in time: ask for a new plan.")
        elif run.state in _BEING_PLANNED and now - run.asked_at >= _PLANNING:
            await self._end(run, State.VOIDED, "Making the plan was interrupted: ask again.")

    async def _end(self, run: Relaunch, to: State, detail: str) -> None:
        now = self.tools.clock()
        try:
            has_moved = await self.tools.runs.move(Move(run.id, to, now, detail))
        except MoveRefusedError:
            # somebody acted in between
            return
        if has_moved:
            await self.tools.witness.hear(News(run.id, to, now, detail))
