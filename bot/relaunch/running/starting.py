"""The steps that start the new server and wait until it answers. Not for proving that it works."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from adapters.hosts.errors import DefiniteError
from adapters.hosts.records import Phase as HostPhase
from adapters.hosts.records import ProbeKind, RunState
from bot.relaunch.interface import News
from bot.relaunch.running.course import outcome_of
from bot.relaunch.running.progress import Progress, Watch, observe, stuck
from bot.relaunch.sentences import sentence
from bot.relaunch.states import State
from bot.verification.gathering import read_log

if TYPE_CHECKING:
    from adapters.hosts.records import ServerStatus, Started
    from bot.relaunch.interface import Result
    from bot.relaunch.running.course import Course

_OK = 200
#: bytes of log that are read at once
_PIECE = 64 * 1024
#: so many pieces are read at once: one that logs faster than it is read must not hold up the clock for ever
_MOST_HURRIED = 128
#: a process may take so long to be seen after its start
_APPEARING_S = 30.0
#: a supervisor on the host that starts it again so often is not waited for
_MOST_RESTARTS = 2
_RESTORED = frozenset({HostPhase.RESTORING, HostPhase.RESTORED})


async def launch(course: Course) -> Result:
    """Start the server with the change."""
    plan, record = course.plan, course.record
    person = await course.cancelled_by()
    if person is not None:
        return {"failed": f"Called off by {person}."}
    await record.enter(State.LAUNCHING, "", record.intent("start", plan.after.spec_hash))
    try:
        started = await course.host.start(
            course.order("start"), plan.change, plan.after.spec_hash, plan.timeouts.restore_after
        )
    except DefiniteError as error:
        await record.note("start:result", "", record.result("start", outcome_of(error), error.what))
        return {"failed": sentence(f"The host would not start it: {error.what}")}
    told = f"Start {started.start_id}" + (f", pid {started.pid}." if started.pid else ".")
    await record.note("start:result", told, record.result("start", "done", told))
    if started.spec_hash != plan.after.spec_hash:
        return {"failed": "The host started another launch than the one approved."}
    return {"start_id": started.start_id, "at": course.tools.clock().isoformat()}


async def come_up(course: Course, launched: Result) -> Result:
    """Wait until /health answers, the process ends, or nothing moves any more."""
    await course.record.enter(State.STARTING)
    return await wait_until_up(course, launched, State.STARTING)


async def wait_until_up(course: Course, launched: Result, state: State) -> Result:
    """Follow a start until it answers or cannot; progress goes to the witness and is not kept."""
    tools, plan = course.tools, course.plan
    launched_at = datetime.fromisoformat(launched["at"])
    now = tools.clock()
    watch, offset, told, hurried = Watch(Progress(), now, now), 0, -1.0, 0
    while True:
        status = await course.host.status(plan.server, offset, _PIECE)
        now = tools.clock()
        offset = status.log.next_offset
        watch = observe(watch, status.log.text, status.cpu_seconds, now)
        if watch.progress.percent > told:
            told = watch.progress.percent
            await course.record.tell(
                News(plan.id, state, now, "", told, watch.progress.phase, watch.progress.count)
            )
        fault = _fault(status, launched["start_id"], state)
        if status.state is RunState.ABSENT and now - launched_at >= timedelta(seconds=_APPEARING_S):
            fault = "Nothing is left of the server."
        if fault is not None:
            return {"failed": await _with_cause(course, fault)}
        if status.port_is_open and await _answers(course):
            return {}
        if len(status.log.text) * 2 >= _PIECE and hurried < _MOST_HURRIED:
            # more of the log is waiting: it is read before the clock is asked
            hurried += 1
            continue
        hurried = 0
        trouble = await _trouble(course, watch, launched_at, state)
        if trouble is not None:
            return {"failed": await _with_cause(course, trouble)}
        await tools.pause(tools.pace.status)


async def _trouble(course: Course, watch: Watch, launched_at: datetime, state: State) -> str | None:
    """Return why a start is not waited for any longer."""
    now, limit = course.tools.clock(), course.plan.timeouts.start
    person = await course.cancelled_by()
    if person is not None and state is State.STARTING:
        return f"Called off by {person}."
    if now - launched_at >= timedelta(seconds=limit):
        return f"It did not answer within {int(limit // 60)} minutes (last seen: {watch.progress.phase})."
    return stuck(watch, now)


async def _answers(course: Course) -> bool:
    plan = course.plan
    (answer,) = await course.host.probe(plan.server, (ProbeKind.HEALTH,), plan.model, plan.timeouts.probe)
    return answer.status == _OK


def _fault(status: ServerStatus, start_id: str, state: State) -> str | None:
    if status.phase in _RESTORED and state is State.STARTING:
        return "The host went back to the old launch by itself."
    if status.start_id is not None and status.start_id != start_id:
        return f"Another start runs ({status.start_id}): somebody else started it."
    if status.state is RunState.EXITED:
        code = "" if status.exit_code is None else f" with code {status.exit_code}"
        return f"The server ended{code}."
    if status.restarts >= _MOST_RESTARTS:
        return f"The server ends again and again: it was started {status.restarts + 1} times."
    return None


async def _with_cause(course: Course, fault: str) -> str:
    """Return a fault with what the log says about it."""
    log, _ = await read_log(course.host, course.plan.server)
    failure = await course.tools.looker.failure_in(log)
    return f"{fault} Its log says: {failure.title}" if failure is not None else fault


def started_result(started: Started, at: datetime) -> Result:
    """Return what a start leaves behind for those who wait for it."""
    return {"start_id": started.start_id, "at": at.isoformat()}
