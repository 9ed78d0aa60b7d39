"""Looks at questions in this process: for a command that asks once. Not for the bot, whose event loop must go on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.triage.looking.look import look

if TYPE_CHECKING:
    from bot.triage.looking.engine import Engine, MakeEngine
    from bot.triage.looking.outcome import Outcome, Question


class LookingHere:
    """An engine that is made when it is first asked."""

    def __init__(self, make_engine: MakeEngine) -> None:
        self._make_engine = make_engine
        self._engine: Engine | None = None

    async def look(self, question: Question) -> Outcome:
        """Return what came of a question."""
        return await asyncio.to_thread(self._look, question)

    def _look(self, question: Question) -> Outcome:
        if self._engine is None:
            self._engine = self._make_engine()
        return look(self._engine, question)
