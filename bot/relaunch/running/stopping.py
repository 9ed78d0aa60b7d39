"""The steps that take the old server down and wait for what it held. Not for starting the new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.hosts.errors import DefiniteError
from bot.relaunch.running.course import CalledOffError, outcome_of
from bot.relaunch.sentences import sentence
from bot.relaunch.states import State

if TYPE_CHECKING:
    from adapters.hosts.records import Stopped
    from bot.relaunch.interface import Result
    from bot.relaunch.running.course import Course

#: further looks at a port or GPU that is still held; the host itself waits within each
_LOOKS = 3


async def stop(course: Course) -> Result:
    """Stop the server; from here on every failure leads back to the old launch."""
    try:
        # somebody may have called it off while the step was on its way here
        if (await course.record.row()).state is State.LOCKED:
            await course.heed_all()
    except CalledOffError as why:
        return await course.call_off(why)
    await course.record.enter(State.STOPPING, "", course.record.intent("stop"))
    return await _stop(course, "stop")


async def free(course: Course) -> Result:
    """See that port and GPU memory are free, and look again a few times if they are not."""
    record = course.record
    await record.enter(State.GPU_FREE)
    moments = await course.tools.runs.moments(course.plan.id)
    held = next((moment.facts.get("held", "") for moment in moments if moment.key == "stop:result"), "")
    for look in range(1, _LOOKS + 1):
        if not held:
            return {}
        again = record.intent("stop", f"look {look}: {held}")
        await record.note(f"free-{look}:intent", f"{held} It is looked at again.", again)
        result = await _stop(course, f"free-{look}")
        if "failed" in result:
            return result
        held = result["held"]
    return {"failed": held} if held else {}


async def _stop(course: Course, step: str) -> Result:
    plan, record = course.plan, course.record
    try:
        stopped = await course.host.stop(course.order(step), plan.timeouts.grace, plan.timeouts.restore_after)
    except DefiniteError as error:
        await record.note(f"{step}:result", "", record.result("stop", outcome_of(error), error.what))
        return {"failed": sentence(f"The host would not stop it: {error.what}")}
    told = _told(stopped)
    held = _held(stopped)
    entry = record.result("stop", "done", f"{told} {held}".strip())
    await record.note(f"{step}:result", told, entry, facts={"held": held})
    return {"held": held}


def _told(stopped: Stopped) -> str:
    how = "It had to be killed." if stopped.was_killed else "It is down, and did not have to be killed."
    if stopped.orphans:
        how += f" {len(stopped.orphans)} processes without a parent were ended too."
    if stopped.gpus_are_free is None:
        how += " Whether GPU memory is free could not be seen."
    return how


def _held(stopped: Stopped) -> str:
    """Return what is still held, one sentence; empty when nothing is known to be."""
    foreign = ", ".join(f"{holder.name} (pid {holder.pid})" for holder in stopped.foreign)
    by = f" by {foreign}, which is not ours and was left alone" if foreign else ""
    if not stopped.port_is_free:
        return f"The port is still held{by}."
    if stopped.gpus_are_free is False:
        return f"GPU memory is still held{by}."
    return ""
