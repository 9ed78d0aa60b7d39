"""Judges a relaunched server by what was seen of it. Pure. "Fixed" needs every check that applies to pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.hosts.records import RunState
from bot.relaunch.planning.plan import Check
from bot.verification import answers
from bot.verification.outcome import Judged, Outcome
from bot.verification.sanity import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bot.verification.evidence import Evidence, Failure, Sight, Wanted

_UNKNOWN_VARIABLE: Final = "Unknown vLLM environment variable detected: "
#: an engine that died while its API server still answers
_DEAD_ENGINE: Final = ("EngineDeadError", "died unexpectedly", "EngineCore encountered a fatal error")
_MISSING: Final = "parts of the log of this start are missing"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check with the evidence for it."""

    check: Check
    outcome: Outcome
    #: one sentence, or the quoted line; masked
    evidence: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """All checks that apply."""

    findings: tuple[Finding, ...]

    @property
    def is_fixed(self) -> bool:
        """Tell whether every one of them passed."""
        return bool(self.findings) and all(one.outcome is Outcome.PASSED for one in self.findings)

    @property
    def doubts(self) -> tuple[Finding, ...]:
        """Return those that did not pass."""
        return tuple(one for one in self.findings if one.outcome is not Outcome.PASSED)


def judge(evidence: Evidence, wanted: Wanted) -> Verdict:
    """Return the verdict."""
    return Verdict(tuple(Finding(check, *_JUDGES[check](evidence, wanted)) for check in wanted.checks))


def _process(evidence: Evidence, wanted: Wanted) -> Judged:
    sight = evidence.before_soak
    if sight.state is not RunState.RUNNING:
        return Outcome.FAILED, f"the process is {sight.state}"
    if sight.start_id != wanted.start_id:
        return Outcome.FAILED, f"another start runs: {sight.start_id}, not {wanted.start_id}"
    if sight.restarts:
        return Outcome.FAILED, f"it ended and was started again by its host ({sight.restarts} times)"
    if sight.running_spec_hash is None:
        return Outcome.UNPROVEN, "the command and environment of the process could not be read"
    if sight.running_spec_hash != wanted.spec_hash:
        hashes = f"{sight.running_spec_hash[:12]}, not {wanted.spec_hash[:12]}"
        return Outcome.FAILED, f"it runs with another command or environment than planned ({hashes})"
    return Outcome.PASSED, f"pid {sight.pid} runs with the planned command and environment"


def _log_line(evidence: Evidence, wanted: Wanted) -> Judged:
    log = evidence.start_log
    found = log.held(wanted.absent)
    if found is not None:
        return Outcome.FAILED, f"the log still says: {quoted(found)}"
    proofs = []
    for group in wanted.lines:
        stated = log.stated(group)
        if stated is None:
            outcome = Outcome.FAILED if evidence.log_is_whole else Outcome.UNPROVEN
            return outcome, f"the log of this start does not say: {quoted(' / '.join(group))}"
        proofs.append(quoted(stated))
    if wanted.absent and not evidence.log_is_whole:
        return Outcome.UNPROVEN, _MISSING
    return Outcome.PASSED, " · ".join(proofs) or f"it no longer says: {quoted(' / '.join(wanted.absent))}"


def _no_unknown_variable(evidence: Evidence, wanted: Wanted) -> Judged:
    for line in evidence.start_log.own:
        _, marker, rest = line.partition(_UNKNOWN_VARIABLE)
        if marker and rest.split()[:1] and rest.split()[0].strip(".,'\"") in wanted.variables:
            return Outcome.FAILED, quoted(line)
    if not evidence.log_is_whole:
        return Outcome.UNPROVEN, _MISSING
    return Outcome.PASSED, f"no warning about {', '.join(wanted.variables)}"


def _not_the_old_failure(evidence: Evidence, wanted: Wanted) -> Judged:
    failure = evidence.failure
    if failure is not None and _is_the_old_one(failure, wanted):
        return Outcome.FAILED, f"the same failure again: {quoted(failure.title)}"
    dead = evidence.start_log.held(_DEAD_ENGINE)
    if dead is not None:
        return Outcome.FAILED, f"the engine died: {quoted(dead)}"
    if not evidence.log_is_whole:
        return Outcome.UNPROVEN, _MISSING
    if not evidence.log.strip():
        # a server that serves has said something, so this is not where it says it
        return Outcome.UNPROVEN, "the log of this start is empty: the host does not know where it is written"
    return Outcome.PASSED, "the log of this start does not hold the failure"


def _is_the_old_one(failure: Failure, wanted: Wanted) -> bool:
    """Tell whether it is the very failure, or another that the same rule knows: of another backend, say."""
    return failure.fingerprint == wanted.fingerprint or (bool(wanted.rule) and wanted.rule in failure.rules)


def _soak(evidence: Evidence, wanted: Wanted) -> Judged:
    before, after = evidence.before_soak, evidence.after_soak
    if after is None:
        return Outcome.UNPROVEN, "it was not looked at again"
    if after.state is not RunState.RUNNING:
        return Outcome.FAILED, f"after the wait the process is {after.state}"
    fault = _changed(before, after, wanted)
    return (Outcome.FAILED, fault) if fault else (Outcome.PASSED, f"still the same process: pid {after.pid}")


def _changed(before: Sight, after: Sight, wanted: Wanted) -> str | None:
    if after.start_id != wanted.start_id or after.start_id != before.start_id:
        return "after the wait another start runs"
    if after.pid != before.pid:
        return f"after the wait it is another process: pid {after.pid}, not {before.pid}"
    if after.restarts != before.restarts:
        return f"it was restarted during the wait ({before.restarts} → {after.restarts})"
    if after.running_spec_hash != before.running_spec_hash:
        return "after the wait it runs with another command or environment"
    return None


_JUDGES: Final[Mapping[Check, Callable[[Evidence, Wanted], Judged]]] = {
    Check.PROCESS: _process,
    Check.LOG_LINE: _log_line,
    Check.NO_UNKNOWN_VARIABLE: _no_unknown_variable,
    Check.NOT_THE_OLD_FAILURE: _not_the_old_failure,
    Check.HEALTH: answers.health,
    Check.MODELS: answers.models,
    Check.TEXT: answers.text,
    Check.IMAGE: answers.image,
    Check.SOAK: _soak,
}
