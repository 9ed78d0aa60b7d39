"""The first steps: take the host's lock, then look whether all that was approved still holds. Nothing is touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from adapters.hosts.errors import DefiniteError
from adapters.hosts.records import ProbeKind, RunState
from bot.relaunch.gating.gate import held_by_replica
from bot.relaunch.interface import GroupsUnknownError
from bot.relaunch.running.course import CalledOffError, told
from bot.relaunch.sentences import sentence
from bot.relaunch.states import UNWAITABLE, State

if TYPE_CHECKING:
    from adapters.hosts.records import Snapshot
    from bot.relaunch.interface import Result
    from bot.relaunch.running.course import Course
    from bot.relaunch.states import Blocked

_OK = 200


async def lock(course: Course) -> Result:
    """Take the host, waiting for what ends by itself."""
    plan, tools, record = course.plan, course.tools, course.record
    try:
        while True:
            await course.heed_all()
            blocked = await tools.permission.blocked(await record.row(), plan)
            if blocked is not None and blocked.reason in UNWAITABLE:
                _void(f"{blocked.detail} Lifts {blocked.lifts_when}.")
            blocked = blocked or await _held_by_replica(course)
            fence = await tools.locks.take(plan.host, plan.id) if blocked is None else None
            if fence is not None:
                break
            await _wait(course, blocked)
    except CalledOffError as why:
        return await course.call_off(why)
    await record.enter(State.LOCKED, f"The host is held (fence {fence}).", fence=fence)
    return {"fence": fence}


async def _held_by_replica(course: Course) -> Blocked | None:
    """Hold the model's servers, of which one may be down at a time, before the host; or return who holds them."""
    tools = course.tools
    name = tools.permission.one_at_a_time(await course.record.row())
    if name is None or await tools.locks.hold(name, course.plan.id):
        return None
    return held_by_replica(await tools.locks.holder(name) or "")


async def _wait(course: Course, blocked: Blocked | None) -> None:
    if blocked is None:
        holder = await course.tools.locks.holder(course.plan.host)
        detail = f"Relaunch {holder} holds the host. Lifts when it has ended."
    else:
        detail = f"{blocked.detail} Lifts {blocked.lifts_when}."
    await course.record.enter(State.BLOCKED, detail)
    if (await course.record.row()).detail != detail:
        # another reason has taken the place of the first
        await course.record.note(f"blocked:{detail}"[:120], detail)
    await course.tools.pause(course.tools.pace.lock)


async def check(course: Course) -> Result:
    """Look whether approvals, launch and host are still what they were when the plan was made."""
    try:
        await course.heed_all()
        why = await _withdrawn(course)
        if why is not None:
            _void(why)
        snapshot = await course.careful_host.snapshot(course.plan.server)
        await _raise_fence(course, snapshot)
        await _look(course, snapshot)
        await course.heed_all()
    except DefiniteError as error:
        return await course.call_off(CalledOffError(State.VOIDED, told(error)))
    except CalledOffError as why_not:
        return await course.call_off(why_not)
    return {"fence": course.fence}


async def _withdrawn(course: Course) -> str | None:
    """Return why the approvals hold no longer; nothing is done before the platforms say who is in their groups."""
    while True:
        try:
            return await course.tools.permission.withdrawn(await course.record.row(), course.plan)
        except GroupsUnknownError as silence:
            detail = f"Whether the approvals still hold is not known, so nothing is done. {silence}"
            await course.record.note(f"groups:{detail}"[:120], f"{detail} It is asked again.")
        await course.tools.pause(course.tools.pace.lock)
        await course.heed_all()


async def _raise_fence(course: Course, snapshot: Snapshot) -> None:
    """Take a fence above all that the host has seen: it may have been driven from another store before."""
    fence = await course.tools.locks.take(course.plan.host, course.plan.id, snapshot.fence)
    if fence is None:
        _void("The lock of the host was taken away.")
    course.fence = fence


async def _look(course: Course, snapshot: Snapshot) -> None:
    plan, host = course.plan, course.careful_host
    if snapshot.launch.spec_hash != plan.before.spec_hash:
        _void("The server's launch was changed after the plan was made: ask again.")
    preflight = await host.preflight(course.order("check"), plan.change)
    unsound = [check for check in preflight.checks if not check.is_sound]
    if unsound:
        _void(sentence(f"The host could not do it now: {unsound[0].detail}"))
    if preflight.after.spec_hash != plan.after.spec_hash:
        _void("The change would give another launch than the one approved: ask again.")
    if snapshot.state is RunState.RUNNING and not (plan.was_serving or plan.is_forced):
        (answer,) = await host.probe(plan.server, (ProbeKind.HEALTH,), plan.model, plan.timeouts.probe)
        if answer.status == _OK:
            _void(f"{plan.server} serves again by itself: nothing was done.")


def _void(why: str) -> NoReturn:
    raise CalledOffError(State.VOIDED, why)
