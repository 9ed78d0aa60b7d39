"""The steps that go back to the old launch, and prove that it is back. Not for why."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from adapters.hosts.errors import DefiniteError
from adapters.hosts.records import ProbeKind, RunState
from bot.relaunch.running.course import outcome_of, told
from bot.relaunch.running.starting import started_result, wait_until_up
from bot.relaunch.states import State
from bot.verification.sanity import completion_text, nonsense

if TYPE_CHECKING:
    from bot.relaunch.interface import Result
    from bot.relaunch.running.course import Course

_OK = 200
#: a start goes through the host's launcher before it is the server
_BECOMING_S = 60.0


async def restore(course: Course, why: str) -> Result:
    """Ask the host to go back."""
    plan, record = course.plan, course.record
    await record.enter(State.ROLLING_BACK, why, record.intent("restore", why))
    try:
        started = await course.host.restore(course.order("restore"), plan.timeouts.restore_after)
    except DefiniteError as error:
        await record.note("restore:result", "", record.result("restore", outcome_of(error), error.what))
        return await need_a_person(course, f"{why} The way back failed. {told(error)} {_by_itself(course)}")
    said = f"Start {started.start_id} of the old launch."
    await record.note("restore:result", said, record.result("restore", "done", said))
    if started.spec_hash != plan.before.spec_hash:
        return await need_a_person(course, "The host went back to another launch than the one from before.")
    return started_result(started, course.tools.clock())


async def prove_restored(course: Course, restored: Result, why: str) -> Result:
    """See that the old launch is registered and, if it served before, that it serves again."""
    plan, record = course.plan, course.record
    snapshot = await course.host.snapshot(plan.server)
    if snapshot.launch.spec_hash != plan.before.spec_hash:
        return await need_a_person(course, "Another launch than the one from before is registered.")
    if not await _is_old_launch(course):
        return await need_a_person(course, "Another launch than the one from before runs.")
    if plan.was_serving:
        up = await wait_until_up(course, restored, State.ROLLING_BACK)
        fault = up.get("failed") or await _not_serving(course)
        if fault:
            return await need_a_person(course, f"It served before, and does not now. {fault}")
        said = f"Back on the old launch, which serves again. {why}"
    else:
        said = f"Back on the old launch, which did not serve before either. {why}"
    await record.enter(State.ROLLED_BACK, said, record.result("relaunch", "failed", said))
    return {"end": State.ROLLED_BACK.value}


async def _is_old_launch(course: Course) -> bool:
    """Tell whether what runs, if anything does, is the old launch; a process may just be becoming it."""
    tools, plan = course.tools, course.plan
    patience_ends = tools.clock() + timedelta(seconds=_BECOMING_S)
    while True:
        status = await course.host.status(plan.server, 0, 0)
        if status.state is not RunState.RUNNING:
            return True
        if status.running_spec_hash in (None, plan.before.spec_hash):
            return True
        if tools.clock() >= patience_ends:
            return False
        await tools.pause(tools.pace.status)


async def _not_serving(course: Course) -> str | None:
    plan = course.plan
    (answer,) = await course.host.probe(plan.server, (ProbeKind.TEXT,), plan.model, plan.timeouts.probe)
    if answer.trouble:
        return f"It gives no completion: {answer.trouble}."
    text = completion_text(answer.body) if answer.status == _OK else None
    return "It gives no completion." if text is None else nonsense(text, answer.asked)


async def need_a_person(course: Course, what: str) -> Result:
    """End a run whose server is neither proven nor back."""
    said = f"{what} A person has to look at {course.plan.host}: `vllm-diagnose relaunch fetch {course.plan.server}`."
    record = course.record
    await record.enter(State.ROLLBACK_FAILED, said, record.result("relaunch", "failed", said))
    return {"end": State.ROLLBACK_FAILED.value}


def _by_itself(course: Course) -> str:
    """Say what the host does when nobody comes back."""
    minutes = round(course.plan.timeouts.restore_after / 60)
    return f"If its timer still runs, it goes back by itself {minutes} minutes after the last order that it took."
