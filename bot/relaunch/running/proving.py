"""The steps that prove the new server and keep it. Not for what counts as proof: that is verification."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from adapters.hosts.errors import DefiniteError
from adapters.hosts.records import ProbeKind, RunState
from bot.relaunch.running.course import outcome_of
from bot.relaunch.running.restoring import need_a_person
from bot.relaunch.sentences import sentence
from bot.relaunch.states import State
from bot.verification.evidence import Wanted
from bot.verification.gathering import gather
from bot.verification.verdict import judge
from rules.engine.paste.masking.masker import mask

if TYPE_CHECKING:
    from adapters.hosts.records import ServerStatus
    from bot.relaunch.interface import Result
    from bot.relaunch.running.course import Course
    from bot.verification.verdict import Verdict


_OK: Final = 200


async def healthy(course: Course) -> Result:
    """Note that the server answers, which by itself proves nothing."""
    await course.record.enter(State.HEALTHY, "It answers its health check. That alone proves nothing.")
    return {}


async def verify(course: Course, launched: Result) -> Result:
    """Gather the evidence and judge it."""
    plan, tools, record = course.plan, course.tools, course.record
    await record.enter(State.VERIFYING)
    wanted = Wanted(
        checks=plan.checks,
        spec_hash=plan.after.spec_hash,
        start_id=launched["start_id"],
        model=plan.model,
        lines=plan.promises.lines,
        absent=plan.promises.absent,
        variables=tuple(plan.change.env_set),
        fingerprint=plan.source.fingerprint,
        rule=plan.source.rule,
    )
    evidence = await gather(
        course.host,
        plan.server,
        wanted,
        tools.looker,
        probe_seconds=plan.timeouts.probe,
        soak=lambda: tools.pause(plan.timeouts.soak),
    )
    # a log may be long, and others wait for this loop
    verdict = await asyncio.to_thread(judge, evidence, wanted)
    findings = _findings(verdict)
    outcome = "done" if verdict.is_fixed else "failed"
    told = "All checks passed." if verdict.is_fixed else f"Not proven: {_doubt(findings)}"
    entry = record.result("verify", outcome, "; ".join(": ".join(finding) for finding in findings))
    await record.note(f"verdict:{outcome}", told, entry, facts={"findings": findings})
    person = await course.cancelled_by()
    if person is not None:
        return {"failed": f"Called off by {person}."}
    if not verdict.is_fixed:
        return {"failed": told}
    # one that a supervisor starts in its place afterwards is not proven
    return {"pid": evidence.before_soak.pid, "restarts": evidence.before_soak.restarts}


async def commit(course: Course, launched: Result, proven: Result) -> Result:
    """Keep the launch, if the process that was proven is still the one that runs."""
    plan, record = course.plan, course.record
    # an order that may be out is asked for again, whatever runs now: from a launch that it keeps no host goes back
    is_out = await _was_asked(course)
    if not is_out:
        status = await course.host.status(plan.server, 0, 0)
        is_planned = _is_start(status, launched) and status.running_spec_hash == plan.after.spec_hash
        if not is_planned or not _is_proven(status, proven):
            return {"failed": "What was proven no longer runs."}
        # a dead engine leaves its API server behind for a while
        (health,) = await course.host.probe(plan.server, (ProbeKind.HEALTH,), plan.model, plan.timeouts.probe)
        if health.status != _OK:
            return {"failed": "What was proven no longer answers its health check."}
        await record.note("commit:intent", "", record.intent("commit"))
    try:
        snapshot = await course.host.commit(course.order("commit"))
    except DefiniteError as error:
        await record.note("commit:result", "", record.result("commit", outcome_of(error), error.what))
        return {"failed": sentence(f"The host would not keep it: {error.what}")}
    if snapshot.launch.spec_hash != plan.after.spec_hash:
        await record.note("commit:result", "", record.result("commit", "failed", "another launch is kept"))
        return {"failed": "The host kept another launch than the one approved."}
    if is_out or await _was_lost(course):
        return await _late(course, launched)
    told = "Fixed: every check passed, and the new launch is kept."
    await record.enter(State.COMMITTED, told, record.result("commit", "done", told))
    return {"end": State.COMMITTED.value}


async def _late(course: Course, launched: Result) -> Result:
    """End a run whose launch was kept some time ago with what runs now."""
    plan, record = course.plan, course.record
    kept = record.result("commit", "done", "The host has kept the launch.")
    status = await course.host.status(plan.server, 0, 0)
    if _is_start(status, launched):
        told = "Fixed: every check passed, and the new launch is kept."
    elif status.state is RunState.RUNNING and status.running_spec_hash == plan.after.spec_hash:
        told = (
            "Fixed: every check passed, and the new launch is kept. The host has started it once more since."
        )
    else:
        await record.note("commit:result", "", kept)
        code = "" if status.exit_code is None else f" with code {status.exit_code}"
        runs = "another launch runs" if status.state is RunState.RUNNING else f"its server has ended{code}"
        told = f"Every check passed and the host keeps the new launch, but since then {runs}."
        await record.enter(State.ROLLING_BACK, told)
        return await need_a_person(course, told)
    await record.enter(State.COMMITTED, told, kept)
    return {"end": State.COMMITTED.value}


async def _was_asked(course: Course) -> bool:
    moments = await course.tools.runs.moments(course.plan.id)
    return any(moment.key == "commit:intent" for moment in moments)


async def _was_lost(course: Course) -> bool:
    """Tell whether the host was away between the order and its answer."""
    moments = await course.tools.runs.moments(course.plan.id)
    asked = next(place for place, moment in enumerate(moments) if moment.key == "commit:intent")
    return any(moment.state is State.HOST_UNKNOWN for moment in moments[asked:])


def _is_proven(status: ServerStatus, proven: Result) -> bool:
    """Tell whether it is the process that was proven; a run that an older bot began kept nothing of it."""
    return not proven or (status.pid, status.restarts) == (proven["pid"], proven["restarts"])


def _is_start(status: ServerStatus, launched: Result) -> bool:
    return status.state is RunState.RUNNING and status.start_id == launched["start_id"]


def _findings(verdict: Verdict) -> list[list[str]]:
    """Return check, outcome and evidence of each finding, masked once more."""
    return [[one.check.value, one.outcome.value, mask(one.evidence)[0]] for one in verdict.findings]


def _doubt(findings: list[list[str]]) -> str:
    return "; ".join(f"{check}: {evidence}" for check, outcome, evidence in findings if outcome != "passed")
