"""The steps that prove the new server and keep it. Not for what counts as proof: that is verification."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.hosts.errors import RefusedError
from adapters.hosts.interface import RunState
from bot.relaunch.states import State
from bot.verification.evidence import Wanted
from bot.verification.gathering import gather
from bot.verification.verdict import judge
from rules.engine.paste.masking.masker import mask

if TYPE_CHECKING:
    from bot.relaunch.interface import Result
    from bot.relaunch.running.course import Course
    from bot.verification.verdict import Verdict


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
    )
    evidence = await gather(
        course.host,
        plan.server,
        wanted,
        tools.looker,
        probe_seconds=plan.timeouts.probe,
        soak=lambda: tools.pause(plan.timeouts.soak),
    )
    verdict = judge(evidence, wanted)
    findings = _findings(verdict)
    outcome = "done" if verdict.is_fixed else "failed"
    told = "All checks passed." if verdict.is_fixed else f"Not proven: {_doubt(findings)}"
    entry = record.result("verify", outcome, "; ".join(": ".join(finding) for finding in findings))
    await record.note(f"verdict:{outcome}", told, entry, facts={"findings": findings})
    person = await course.cancelled_by()
    if person is not None:
        return {"failed": f"Called off by {person}."}
    return {} if verdict.is_fixed else {"failed": told}


async def commit(course: Course, launched: Result) -> Result:
    """Keep the launch, if the process that was proven is still the one that runs."""
    plan, record = course.plan, course.record
    status = await course.host.status(plan.server, 0, 0)
    is_same = status.state is RunState.RUNNING and status.start_id == launched["start_id"]
    if not is_same or status.running_spec_hash != plan.after.spec_hash:
        return {"failed": "What was proven no longer runs."}
    await record.note("commit:intent", "", record.intent("commit"))
    try:
        snapshot = await course.host.commit(course.order("commit"))
    except RefusedError as refusal:
        await record.note("commit:result", "", record.result("commit", "refused", refusal.what))
        return {"failed": f"The host would not keep it: {refusal.what}."}
    if snapshot.launch.spec_hash != plan.after.spec_hash:
        await record.note("commit:result", "", record.result("commit", "failed", "another launch is kept"))
        return {"failed": "The host kept another launch than the one approved."}
    told = "Fixed: every check passed, and the new launch is kept."
    await record.enter(State.COMMITTED, told, record.result("commit", "done", told))
    return {"end": State.COMMITTED.value}


def _findings(verdict: Verdict) -> list[list[str]]:
    """Return check, outcome and evidence of each finding, masked once more."""
    return [[one.check.value, one.outcome.value, mask(one.evidence)[0]] for one in verdict.findings]


def _doubt(findings: list[list[str]]) -> str:
    return "; ".join(f"{check}: {evidence}" for check, outcome, evidence in findings if outcome != "passed")
