"""Has the log of a start diagnosed, as every paste is. Not the diagnosis, nor what a verdict makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.incident.fingerprint import fingerprint_of
from bot.verification.evidence import Failure
from rules.engine.report import Report, Status

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from adapters.chat.interface import Capabilities
    from bot.triage.looking.engine import Looker

_FAILED = frozenset({Status.DIAGNOSED, Status.UNKNOWN})


@dataclass(frozen=True, slots=True)
class EngineLooker:
    """Asks an engine of this process; meets `bot.relaunch.interface.Looker`."""

    diagnose: Callable[[str], Awaitable[Report]]

    async def failure_in(self, log: str) -> Failure | None:
        """Return what is wrong in a log; None when it shows no failure."""
        report = await self.diagnose(log)
        if report.status not in _FAILED:
            return None
        first = report.diagnoses[0] if report.diagnoses else None
        line = report.root_cause.text if report.root_cause is not None else "an unknown failure"
        title = first.title if first is not None else line
        return Failure(fingerprint_of(report), title, tuple(one.rule for one in report.diagnoses))


@dataclass(frozen=True, slots=True)
class PoolLooker:
    """Asks the bot's worker processes; meets `bot.relaunch.interface.Looker`."""

    pool: Looker
    limits: Capabilities

    async def failure_in(self, log: str) -> Failure | None:
        """Return what is wrong in a log; None when it shows no failure."""
        # here, because the records of questions bring the chat's along
        from bot.triage.looking.outcome import Question  # noqa: PLC0415

        question = Question((log,), (), self.limits, "verification", language="en")
        outcome = await self.pool.look(question)
        if outcome.status not in _FAILED:
            return None
        return Failure(outcome.fingerprint, outcome.title, outcome.rules)
