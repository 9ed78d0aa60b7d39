"""What the journal holds of a decision: who wanted what of which server, and whether they might. Not the deciding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.audit.entry import Entry, Stage

if TYPE_CHECKING:
    from datetime import datetime

    from bot.access.actor import Actor
    from bot.access.authorization import Decision, Target
    from bot.access.policy import Action
    from bot.store.relaunches.interface import Relaunch


@dataclass(frozen=True, slots=True)
class Act:
    """Somebody wants something of a server."""

    actor: Actor
    action: Action
    target: Target

    def decided(self, decision: Decision, at: datetime, run: Relaunch | None = None) -> Entry:
        """Return the entry about whether it was allowed."""
        return Entry(
            at=at,
            stage=Stage.DECISION,
            act=self.action.value,
            actor=self.actor.id,
            outcome="allowed" if decision.is_allowed else "refused",
            role=decision.role,
            host=self.target.host,
            server=self.target.server,
            relaunch=run.id if run is not None else "",
            plan_hash=run.plan_hash if run is not None else "",
            source=self.actor.source,
            detail=decision.refusal.value if decision.refusal is not None else "",
        )

    def begins(self, at: datetime) -> Entry:
        """Return the entry that stands before a host is asked."""
        return self._of(Stage.INTENT, at)

    def ended(self, at: datetime, outcome: str, detail: str) -> Entry:
        """Return the entry that stands after it."""
        return self._of(Stage.RESULT, at, outcome, detail)

    def _of(self, stage: Stage, at: datetime, outcome: str = "", detail: str = "") -> Entry:
        return Entry(
            at=at,
            stage=stage,
            act=self.action.value,
            actor=self.actor.id,
            outcome=outcome,
            host=self.target.host,
            server=self.target.server,
            source=self.actor.source,
            detail=detail,
        )
