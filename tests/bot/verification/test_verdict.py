"""A server is called fixed only when every check that applies passed: one lie is enough to refuse it."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.hosts.interface import ProbeAnswer, ProbeKind, RunState
from bot.relaunch.planning.plan import Check
from bot.verification.evidence import Evidence, Failure, Sight, Wanted
from bot.verification.verdict import Outcome, judge

HASH, MODEL, LINE = "a" * 64, "Qwen/Qwen3-VL-8B-Instruct", "Using FLASH_ATTN backend."
WANTED = Wanted(
    checks=tuple(Check),
    spec_hash=HASH,
    start_id="s1",
    model=MODEL,
    lines=((LINE, "Using TORCH_SDPA backend."),),
    absent=("Using FLASHINFER backend.",),
    variables=("VLLM_ATTENTION_BACKEND",),
    fingerprint="old",
)
SIGHT = Sight(RunState.RUNNING, "s1", 41, 0, HASH)


def said(text, kind=ProbeKind.TEXT, status=200):
    body = json.dumps({"choices": [{"message": {"content": text}}]})
    return ProbeAnswer(kind, status, body, 0.2)


def models(*names):
    return ProbeAnswer(ProbeKind.MODELS, 200, json.dumps({"data": [{"id": name} for name in names]}), 0.1)


GOOD = {
    ProbeKind.HEALTH: ProbeAnswer(ProbeKind.HEALTH, 200, "", 0.01),
    ProbeKind.MODELS: models("other", MODEL),
    ProbeKind.TEXT: said("Paris."),
    ProbeKind.IMAGE: said("Red", ProbeKind.IMAGE),
}
PROVEN = Evidence(
    SIGHT,
    SIGHT,
    f"INFO [cuda.py:418] {LINE}\n",
    log_is_whole=True,
    failure=None,
    answers=GOOD,
    later_answers=GOOD,
)


def with_answer(answer, *, later=False) -> Evidence:
    name = "later_answers" if later else "answers"
    return replace(PROVEN, **{name: {**GOOD, answer.kind: answer}})


def test_a_server_that_passes_all_is_fixed_and_each_finding_has_its_evidence():
    verdict = judge(PROVEN, WANTED)

    assert verdict.is_fixed
    assert [finding.check for finding in verdict.findings] == list(Check)
    assert all(finding.evidence for finding in verdict.findings)
    quoted = {finding.check: finding.evidence for finding in verdict.findings}
    assert LINE in quoted[Check.LOG_LINE]
    assert "Paris" in quoted[Check.TEXT]


LIES = {
    "another environment": (
        replace(PROVEN, before_soak=replace(SIGHT, running_spec_hash="b" * 64)),
        Check.PROCESS,
    ),
    "nobody can read what it runs with": (
        replace(PROVEN, before_soak=replace(SIGHT, running_spec_hash=None)),
        Check.PROCESS,
    ),
    "another start": (replace(PROVEN, before_soak=replace(SIGHT, start_id="s0")), Check.PROCESS),
    "nothing runs": (replace(PROVEN, before_soak=replace(SIGHT, state=RunState.EXITED)), Check.PROCESS),
    "no state": (replace(PROVEN, before_soak=replace(SIGHT, state=RunState.UNKNOWN)), Check.PROCESS),
    "the promised line is missing": (replace(PROVEN, log="INFO all is well\n"), Check.LOG_LINE),
    "the log is cut": (replace(PROVEN, log="INFO\n", log_is_whole=False), Check.LOG_LINE),
    "the old line is there": (
        replace(PROVEN, log=PROVEN.log + "INFO Using FLASHINFER backend.\n"),
        Check.LOG_LINE,
    ),
    "the variable is unknown": (
        replace(
            PROVEN,
            log=PROVEN.log + "WARNING Unknown vLLM environment variable detected: VLLM_ATTENTION_BACKEND\n",
        ),
        Check.NO_UNKNOWN_VARIABLE,
    ),
    "the old failure": (replace(PROVEN, failure=Failure("old", "It again")), Check.NOT_THE_OLD_FAILURE),
    "a dead engine": (
        replace(PROVEN, log=PROVEN.log + "vllm.v1.engine.exceptions.EngineDeadError: EngineCore\n"),
        Check.NOT_THE_OLD_FAILURE,
    ),
    "health 503": (with_answer(ProbeAnswer(ProbeKind.HEALTH, 503, "", 0.1)), Check.HEALTH),
    "health 503 later": (with_answer(ProbeAnswer(ProbeKind.HEALTH, 503, "", 0.1), later=True), Check.HEALTH),
    "no answer": (with_answer(ProbeAnswer(ProbeKind.HEALTH, None, "", 5.0, "timed out")), Check.HEALTH),
    "other models": (with_answer(models("somebody-else")), Check.MODELS),
    "no models": (with_answer(models()), Check.MODELS),
    "models are no JSON": (with_answer(ProbeAnswer(ProbeKind.MODELS, 200, "<html>", 0.1)), Check.MODELS),
    "exclamation marks": (with_answer(said("!!!!!!!!")), Check.TEXT),
    "exclamation marks later": (with_answer(said("!!!!!!!!"), later=True), Check.TEXT),
    "an empty answer": (with_answer(said("")), Check.TEXT),
    "one token again and again": (with_answer(said("the the the the the")), Check.TEXT),
    "500": (with_answer(said("x", status=500)), Check.TEXT),
    "200 without a completion": (with_answer(ProbeAnswer(ProbeKind.TEXT, 200, "OK", 0.1)), Check.TEXT),
    "no image": (with_answer(said("x", ProbeKind.IMAGE, 400)), Check.IMAGE),
    "it was not looked at again": (replace(PROVEN, after_soak=None), Check.SOAK),
    "another process": (replace(PROVEN, after_soak=replace(SIGHT, pid=99)), Check.SOAK),
    "it was restarted": (replace(PROVEN, after_soak=replace(SIGHT, restarts=1)), Check.SOAK),
    "it died": (replace(PROVEN, after_soak=replace(SIGHT, state=RunState.EXITED)), Check.SOAK),
    "another start afterwards": (replace(PROVEN, after_soak=replace(SIGHT, start_id="s2")), Check.SOAK),
    "another environment afterwards": (
        replace(PROVEN, after_soak=replace(SIGHT, running_spec_hash="b" * 64)),
        Check.SOAK,
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_one_lie_is_enough_and_is_named(lie):
    evidence, check = LIES[lie]

    verdict = judge(evidence, WANTED)

    assert not verdict.is_fixed
    assert check in {finding.check for finding in verdict.doubts}


def test_a_healthy_answer_alone_proves_nothing():
    only_health = Evidence(
        SIGHT, SIGHT, "", log_is_whole=True, failure=None, answers={ProbeKind.HEALTH: GOOD[ProbeKind.HEALTH]}
    )

    assert not judge(only_health, WANTED).is_fixed


def test_a_line_that_nobody_promised_is_not_missed():
    wanted = replace(
        WANTED, lines=(), absent=(), checks=tuple(check for check in Check if check is not Check.LOG_LINE)
    )

    assert judge(replace(PROVEN, log=""), wanted).is_fixed


def test_one_line_of_several_is_enough_and_every_group_needs_one():
    log = "INFO Using TORCH_SDPA backend.\n"

    assert judge(replace(PROVEN, log=log), WANTED).is_fixed
    two = replace(WANTED, lines=(*WANTED.lines, ("Using the other one.",)))
    assert not judge(replace(PROVEN, log=log), two).is_fixed


def test_a_warning_about_a_variable_that_nobody_set_here_is_not_ours():
    log = PROVEN.log + "WARNING Unknown vLLM environment variable detected: VLLM_SOMETHING_ELSE\n"

    assert judge(replace(PROVEN, log=log), WANTED).is_fixed


def test_another_failure_in_the_log_of_a_server_that_works_does_not_undo_the_fix():
    assert judge(replace(PROVEN, failure=Failure("new", "Something else")), WANTED).is_fixed


def test_nothing_checked_is_nothing_proven():
    assert not judge(PROVEN, replace(WANTED, checks=())).is_fixed


@given(
    st.builds(
        Evidence,
        before_soak=st.builds(
            Sight,
            st.sampled_from(RunState),
            st.sampled_from(["s1", "s2", None]),
            st.sampled_from([41, 42, None]),
            st.integers(0, 1),
            st.sampled_from([HASH, "b" * 64, None]),
        ),
        after_soak=st.none() | st.just(SIGHT) | st.just(replace(SIGHT, pid=7)),
        log=st.sampled_from([PROVEN.log, "", "EngineDeadError"]),
        log_is_whole=st.booleans(),
        failure=st.none() | st.just(Failure("old", "x")) | st.just(Failure("new", "y")),
        answers=st.fixed_dictionaries({}, optional={kind: st.just(GOOD[kind]) for kind in GOOD}),
        later_answers=st.fixed_dictionaries({}, optional={kind: st.just(GOOD[kind]) for kind in GOOD}),
    )
)
def test_fixed_is_never_said_of_anything_but_the_whole_proof(evidence):
    if judge(evidence, WANTED).is_fixed:
        assert evidence.before_soak == SIGHT == evidence.after_soak
        assert evidence.answers == GOOD == evidence.later_answers
        assert (evidence.log, evidence.log_is_whole) == (PROVEN.log, True)


def test_what_is_not_a_pass_is_either_a_failure_or_unproven():
    verdict = judge(replace(PROVEN, after_soak=None), WANTED)

    assert {finding.outcome for finding in verdict.doubts} <= {Outcome.FAILED, Outcome.UNPROVEN}
