"""What all steps of one run share: plan, record, host, fence. Not the steps."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from adapters.hosts.errors import RefusedError
from adapters.hosts.records import Order
from bot.relaunch.running.patient_host import PatientHost
from bot.relaunch.running.record import Record
from bot.relaunch.sentences import joined, sentence
from bot.relaunch.states import State

if TYPE_CHECKING:
    from adapters.hosts.errors import DefiniteError
    from bot.relaunch.interface import Result, Tools
    from bot.relaunch.planning.plan import Plan


def told(error: DefiniteError) -> str:
    """Return in one sentence what keeps a host from being asked for more."""
    if isinstance(error, RefusedError):
        return sentence(f"The host refuses: {error.what}")
    return joined(f"The host is out of order: {error.what}", error.next_step)


def outcome_of(error: DefiniteError) -> str:
    """Return what the journal says of an act that did not succeed."""
    return "refused" if isinstance(error, RefusedError) else "failed"


class CalledOffError(Exception):
    """The run ends before anything was touched."""

    def __init__(self, state: State, why: str) -> None:
        super().__init__(why)
        self.state = state
        self.why = why


class Course:
    """One run on its way."""

    def __init__(self, plan: Plan, tools: Tools, fence: int = 0) -> None:
        self.plan = plan
        self.tools = tools
        self.fence = fence
        self.record = Record(plan, tools)

    @cached_property
    def host(self) -> PatientHost:
        """Return the host. Raises `LookupError` when the registry no longer knows it."""
        return PatientHost(self.tools.host(self.plan.host), self.record, self.tools, self._heed_the_end)

    @cached_property
    def careful_host(self) -> PatientHost:
        """Return the host for the time before anything is touched: given up when called off or expired."""
        return PatientHost(self.tools.host(self.plan.host), self.record, self.tools, self.heed_all)

    def order(self, step: str) -> Order:
        """Return the order of a step: the same step has the same key for ever."""
        return Order(self.plan.server, f"{self.plan.id}:{step}", self.fence)

    async def cancelled_by(self) -> str | None:
        """Return who called the run off. Raises `RunOverError`."""
        return (await self.record.row()).cancelled_by

    async def heed_all(self) -> None:
        """Give up a run that touched nothing when it is called off, waited too long, or nothing may be begun.

        Raises `CalledOffError`, `RunOverError`.
        """
        person = await self.cancelled_by()
        if person is not None:
            raise CalledOffError(State.VOIDED, f"Called off by {person} before anything was touched.")
        if self.tools.clock() >= self.plan.expires_at:
            raise CalledOffError(State.EXPIRED, "What was approved waited too long: ask for a new plan.")
        off = await self.tools.permission.switched_off()
        if off is not None:
            raise CalledOffError(State.VOIDED, f"{off.detail} Lifts {off.lifts_when}.")

    async def call_off(self, why: CalledOffError) -> Result:
        """End the run as one that touched nothing."""
        entry = self.record.result("relaunch", "refused", why.why)
        await self.record.enter(why.state, why.why, entry)
        return {"end": why.state.value}

    async def _heed_the_end(self) -> None:
        """Notice that somebody else ended the run. Raises `RunOverError`."""
        await self.record.row()
