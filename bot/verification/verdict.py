"""Judges a relaunched server by what was seen of it. Pure. "Fixed" needs every check that applies to pass."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from adapters.hosts.interface import ProbeKind, RunState
from bot.relaunch.planning.plan import Check
from bot.verification.sanity import (
    completion_of,
    is_cut_short,
    names_of,
    nonsense,
    quoted,
    served_names,
)
from bot.verification.start_log import StartLog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.hosts.interface import ProbeAnswer
    from bot.verification.evidence import Evidence, Failure, Sight, Wanted

_OK: Final = 200
_UNKNOWN_VARIABLE: Final = "Unknown vLLM environment variable detected: "
#: an engine that died while its API server still answers
_DEAD_ENGINE: Final = ("EngineDeadError", "died unexpectedly", "EngineCore encountered a fatal error")
#: the content type of an answer of the API; a helper that is older tells none
_JSON: Final = frozenset({"", "application/json"})
_MISSING: Final = "parts of the log of this start are missing"


class Outcome(StrEnum):
    """What came of one check."""

    PASSED = "passed"
    FAILED = "failed"
    #: what would prove it is missing; not a pass
    UNPROVEN = "unproven"


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


_Judged = tuple[Outcome, str]


def _process(evidence: Evidence, wanted: Wanted) -> _Judged:
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


def _log_line(evidence: Evidence, wanted: Wanted) -> _Judged:
    log = StartLog(evidence.log)
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
    return Outcome.PASSED, " · ".join(proofs) or "the log no longer says what it said"


def _no_unknown_variable(evidence: Evidence, wanted: Wanted) -> _Judged:
    for line in StartLog(evidence.log).own:
        _, marker, rest = line.partition(_UNKNOWN_VARIABLE)
        if marker and rest.split()[:1] and rest.split()[0].strip(".,'\"") in wanted.variables:
            return Outcome.FAILED, quoted(line)
    if not evidence.log_is_whole:
        return Outcome.UNPROVEN, _MISSING
    return Outcome.PASSED, f"no warning about {', '.join(wanted.variables)}"


def _not_the_old_failure(evidence: Evidence, wanted: Wanted) -> _Judged:
    failure = evidence.failure
    if failure is not None and _is_the_old_one(failure, wanted):
        return Outcome.FAILED, f"the same failure again: {quoted(failure.title)}"
    dead = StartLog(evidence.log).held(_DEAD_ENGINE)
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


def _health(evidence: Evidence, _wanted: Wanted) -> _Judged:
    return _in_both(evidence, ProbeKind.HEALTH, lambda _answer: (Outcome.PASSED, "/health answers 200"))


def _models(evidence: Evidence, wanted: Wanted) -> _Judged:
    def judge_names(answer: ProbeAnswer) -> _Judged:
        names = served_names(answer.body)
        shown = quoted(", ".join(names)) or "nothing"
        if wanted.model not in names:
            return Outcome.FAILED, f"/v1/models lists {shown}, not {wanted.model}"
        return Outcome.PASSED, f"/v1/models lists {shown}"

    return _in_both(evidence, ProbeKind.MODELS, _if_json(judge_names))


def _text(evidence: Evidence, wanted: Wanted) -> _Judged:
    return _in_both(evidence, ProbeKind.TEXT, _if_json(_completion_judge(evidence, wanted)))


def _image(evidence: Evidence, wanted: Wanted) -> _Judged:
    return _in_both(evidence, ProbeKind.IMAGE, _if_json(_completion_judge(evidence, wanted)))


def _if_json(judge_answer: Callable[[ProbeAnswer], _Judged]) -> Callable[[ProbeAnswer], _Judged]:
    """Judge only what is sent as JSON: what answers with a page is no API."""

    def judge_json(answer: ProbeAnswer) -> _Judged:
        if answer.content_type.partition(";")[0].strip().lower() not in _JSON:
            return Outcome.FAILED, f"the answer is {quoted(answer.content_type)}, not JSON"
        return judge_answer(answer)

    return judge_json


def _completion_judge(evidence: Evidence, wanted: Wanted) -> Callable[[ProbeAnswer], _Judged]:
    listed = evidence.answers.get(ProbeKind.MODELS)
    names = names_of(wanted.model, listed.body if listed is not None else "")

    def judge_completion(answer: ProbeAnswer) -> _Judged:
        completion = completion_of(answer.body)
        if completion is None:
            return Outcome.FAILED, f"the answer is no completion: {quoted(answer.body)}"
        if completion.model not in names:
            told = quoted(completion.model or "no model")
            return Outcome.FAILED, f"the answer is of {told}, not of {wanted.model}"
        if is_cut_short(completion):
            return Outcome.FAILED, f"the answer was cut short: {quoted(str(completion.end))}"
        fault = nonsense(completion.text, answer.asked)
        return (
            (Outcome.FAILED, fault) if fault else (Outcome.PASSED, f"it answers: {quoted(completion.text)}")
        )

    return judge_completion


def _in_both(evidence: Evidence, kind: ProbeKind, judge_answer: Callable[[ProbeAnswer], _Judged]) -> _Judged:
    """Judge the answer before the soak, and the one after it where there was a soak."""
    judged: _Judged = (Outcome.UNPROVEN, f"{kind} was not asked")
    for answers in (evidence.answers, evidence.later_answers):
        answer = answers.get(kind)
        if answer is None:
            if answers is evidence.answers or evidence.after_soak is not None:
                return Outcome.UNPROVEN, f"{kind} was not asked"
            continue
        if answer.status != _OK or answer.trouble:
            told = answer.trouble or quoted(answer.body) or "no answer"
            return Outcome.FAILED, f"{kind} answers {answer.status or 'nothing'}: {quoted(told)}"
        judged = judge_answer(answer)
        if judged[0] is not Outcome.PASSED:
            return judged
    return judged


def _soak(evidence: Evidence, wanted: Wanted) -> _Judged:
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


_JUDGES: Final[Mapping[Check, Callable[[Evidence, Wanted], _Judged]]] = {
    Check.PROCESS: _process,
    Check.LOG_LINE: _log_line,
    Check.NO_UNKNOWN_VARIABLE: _no_unknown_variable,
    Check.NOT_THE_OLD_FAILURE: _not_the_old_failure,
    Check.HEALTH: _health,
    Check.MODELS: _models,
    Check.TEXT: _text,
    Check.IMAGE: _image,
    Check.SOAK: _soak,
}
