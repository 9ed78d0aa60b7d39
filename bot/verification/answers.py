"""Judges what a server answered, before the soak and after it. Pure. Not for what its process or log shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.hosts.records import ProbeKind
from bot.verification.outcome import Judged, Outcome
from bot.verification.sanity import completion_of, is_cut_short, names_of, nonsense, quoted, served_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.hosts.records import ProbeAnswer
    from bot.verification.evidence import Evidence, Wanted

_OK: Final = 200
#: the content type of an answer of the API; a helper that is older tells none
_JSON: Final = frozenset({"", "application/json"})


def health(evidence: Evidence, _wanted: Wanted) -> Judged:
    """Judge the answers of /health."""
    return _in_both(evidence, ProbeKind.HEALTH, lambda _answer: (Outcome.PASSED, "/health answers 200"))


def models(evidence: Evidence, wanted: Wanted) -> Judged:
    """Judge the names that it lists."""

    def judge_names(answer: ProbeAnswer) -> Judged:
        names = served_names(answer.body)
        shown = quoted(", ".join(names)) or "nothing"
        if wanted.model not in names:
            return Outcome.FAILED, f"/v1/models lists {shown}, not {wanted.model}"
        return Outcome.PASSED, f"/v1/models lists {shown}"

    return _in_both(evidence, ProbeKind.MODELS, _if_json(judge_names))


def text(evidence: Evidence, wanted: Wanted) -> Judged:
    """Judge what it says."""
    return _in_both(evidence, ProbeKind.TEXT, _if_json(_completion_judge(evidence, wanted)))


def image(evidence: Evidence, wanted: Wanted) -> Judged:
    """Judge what it says of a picture."""
    return _in_both(evidence, ProbeKind.IMAGE, _if_json(_completion_judge(evidence, wanted)))


def _if_json(judge_answer: Callable[[ProbeAnswer], Judged]) -> Callable[[ProbeAnswer], Judged]:
    """Judge only what is sent as JSON: what answers with a page is no API."""

    def judge_json(answer: ProbeAnswer) -> Judged:
        if answer.content_type.partition(";")[0].strip().lower() not in _JSON:
            return Outcome.FAILED, f"the answer is {quoted(answer.content_type)}, not JSON"
        return judge_answer(answer)

    return judge_json


def _completion_judge(evidence: Evidence, wanted: Wanted) -> Callable[[ProbeAnswer], Judged]:
    listed = evidence.answers.get(ProbeKind.MODELS)
    names = names_of(wanted.model, listed.body if listed is not None else "")

    def judge_completion(answer: ProbeAnswer) -> Judged:
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


def _in_both(evidence: Evidence, kind: ProbeKind, judge_answer: Callable[[ProbeAnswer], Judged]) -> Judged:
    """Judge the answer before the soak, and the one after it where there was a soak."""
    judged: Judged = (Outcome.UNPROVEN, f"{kind} was not asked")
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
