"""A server is called fixed only when every check that applies passed: one lie is enough to refuse it."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.hosts.records import ProbeAnswer, ProbeKind, RunState
from bot.relaunch.planning.plan import Check
from bot.verification.evidence import Evidence, Failure, Sight, Wanted
from bot.verification.outcome import Outcome
from bot.verification.verdict import judge

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
    rule="the-rule",
)
SIGHT = Sight(RunState.RUNNING, "s1", 41, 0, HASH)


ASKED = "The capital of France is"


def said(
    text,
    kind=ProbeKind.TEXT,
    status=200,
    *,
    model=MODEL,
    end="stop",
    trouble="",
    sent_as="application/json",
    **more,
):
    choice = {"message": {"content": text}, "finish_reason": end}
    body = json.dumps({"model": model, "choices": [choice], **more})
    return ProbeAnswer(kind, status, body, 0.2, trouble, sent_as, ASKED)


def models(*names, **roots):
    cards = [{"id": name, "root": roots.get(name, name)} for name in names]
    return ProbeAnswer(
        ProbeKind.MODELS,
        200,
        json.dumps({"data": cards}),
        0.1,
        content_type="application/json; charset=utf-8",
    )


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


def test_a_server_that_passes_all_is_fixed_and_each_finding_has_its_evidence():
    verdict = judge(PROVEN, WANTED)

    assert verdict.is_fixed
    assert [finding.check for finding in verdict.findings] == list(Check)
    assert all(finding.evidence for finding in verdict.findings)
    quoted = {finding.check: finding.evidence for finding in verdict.findings}
    assert LINE in quoted[Check.LOG_LINE]
    assert "Paris" in quoted[Check.TEXT]


RECORD = f"(EngineCore_DP0 pid=7) INFO 12-01 14:47:07 [cuda.py:427] {LINE}"
READY = "(APIServer pid=6) INFO:     Application startup complete.\n"


def sees(*, after=False, **values):
    name = "after_soak" if after else "before_soak"
    return lambda evidence: replace(evidence, **{name: replace(getattr(evidence, name) or SIGHT, **values)})


def answers(answer, *, later=False):
    name = "later_answers" if later else "answers"
    return lambda evidence: replace(evidence, **{name: {**getattr(evidence, name), answer.kind: answer}})


def logs(text, **values):
    """The log does not hold the promised line, but this."""
    return lambda evidence: replace(evidence, log=evidence.log.replace(f"{PROVEN.log}", "") + text, **values)


def logs_too(text):
    return lambda evidence: replace(evidence, log=evidence.log + text)


def has(**values):
    return lambda evidence: replace(evidence, **values)


#: what a liar makes of the evidence, and the check that must see it
LIES = {
    "another environment": (sees(running_spec_hash="b" * 64), Check.PROCESS),
    "nobody can read what it runs with": (sees(running_spec_hash=None), Check.PROCESS),
    "another start": (sees(start_id="s0"), Check.PROCESS),
    "nothing runs": (sees(state=RunState.EXITED), Check.PROCESS),
    "no state": (sees(state=RunState.UNKNOWN), Check.PROCESS),
    "it ended once before it served": (sees(restarts=1), Check.PROCESS),
    "the promised line is missing": (logs("INFO all is well\n"), Check.LOG_LINE),
    "the log is cut": (logs("INFO\n", log_is_whole=False), Check.LOG_LINE),
    "the line stands in another's message": (
        logs(f"(APIServer pid=6) INFO 12-01 14:47:07 [arg_utils.py:9] non-default args: {{'x': '{LINE}'}}\n"),
        Check.LOG_LINE,
    ),
    "a request quotes the line": (
        logs(
            f"(APIServer pid=6) INFO 12-01 14:47:07 [logger.py:43] Received request a: prompt: '{LINE}'\n"
            f'(APIServer pid=6) INFO:     10.0.0.7:51 - "GET /{LINE} HTTP/1.1" 404 Not Found\n'
        ),
        Check.LOG_LINE,
    ),
    "a request quotes the whole record": (
        logs(
            f"(APIServer pid=6) INFO 12-01 14:47:07 [logger.py:43] Received request a: prompt: '{RECORD}'\n"
        ),
        Check.LOG_LINE,
    ),
    "a request quotes the record behind what only looks like a line's end": (
        logs(
            "".join(
                f"(APIServer pid=6) INFO 12-01 14:47:07 [logger.py:43] Received request a: '{end}{RECORD}\n"
                for end in "\u2028\u2029\x0b\x0c\x1c\x1d\x1e\x85"
            )
        ),
        Check.LOG_LINE,
    ),
    "the record comes when it has long been serving": (
        logs(f"{RECORD.replace(LINE, 'Using X backend.')}\n{READY}{RECORD}\n"),
        Check.LOG_LINE,
    ),
    "the old line is there": (logs_too("INFO Using FLASHINFER backend.\n"), Check.LOG_LINE),
    "the variable is unknown": (
        logs_too("WARNING Unknown vLLM environment variable detected: VLLM_ATTENTION_BACKEND\n"),
        Check.NO_UNKNOWN_VARIABLE,
    ),
    "the old failure": (has(failure=Failure("old", "It again")), Check.NOT_THE_OLD_FAILURE),
    "the old failure of another backend": (
        has(failure=Failure("new", "Of XFORMERS now", ("first", "the-rule"))),
        Check.NOT_THE_OLD_FAILURE,
    ),
    "a part of the log is missing that may hold the failure": (
        has(log_is_whole=False),
        Check.NOT_THE_OLD_FAILURE,
    ),
    "nothing was logged": (has(log=" \n"), Check.NOT_THE_OLD_FAILURE),
    "a dead engine": (
        logs_too("vllm.v1.engine.exceptions.EngineDeadError: EngineCore\n"),
        Check.NOT_THE_OLD_FAILURE,
    ),
    "an engine that died": (
        logs_too(
            "ERROR 12-01 14:47:07 [core_client.py:600] Engine core proc EngineCore_DP0 died unexpectedly.\n"
        ),
        Check.NOT_THE_OLD_FAILURE,
    ),
    "health 503": (answers(ProbeAnswer(ProbeKind.HEALTH, 503, "", 0.1)), Check.HEALTH),
    "health 503 later": (answers(ProbeAnswer(ProbeKind.HEALTH, 503, "", 0.1), later=True), Check.HEALTH),
    "a redirect": (answers(ProbeAnswer(ProbeKind.HEALTH, 302, "", 0.1)), Check.HEALTH),
    "no answer": (answers(ProbeAnswer(ProbeKind.HEALTH, None, "", 5.0, "timed out")), Check.HEALTH),
    "health without end": (
        answers(ProbeAnswer(ProbeKind.HEALTH, 200, "", 0.1, "the answer is longer than 64 KiB")),
        Check.HEALTH,
    ),
    "somebody else answers": (
        answers(ProbeAnswer(ProbeKind.HEALTH, 200, "", 0.1, "process 9 (vllm) listens on its port")),
        Check.HEALTH,
    ),
    "other models": (answers(models("somebody-else")), Check.MODELS),
    "no models": (answers(models()), Check.MODELS),
    "models are no JSON": (answers(ProbeAnswer(ProbeKind.MODELS, 200, "<html>", 0.1)), Check.MODELS),
    "models are a page": (
        answers(replace(models(MODEL), content_type="text/html")),
        Check.MODELS,
    ),
    "exclamation marks": (answers(said("!!!!!!!!")), Check.TEXT),
    "exclamation marks later": (answers(said("!!!!!!!!"), later=True), Check.TEXT),
    "one word and exclamation marks": (answers(said("Paris!!!!!!!!!!!!!!!!")), Check.TEXT),
    "an empty answer": (answers(said("")), Check.TEXT),
    "an answer that is a number": (answers(said(5)), Check.TEXT),
    "one token again and again": (answers(said("the the the the the")), Check.TEXT),
    "the question": (answers(said(f" {ASKED} {ASKED.upper()}")), Check.TEXT),
    "500": (answers(said("x", status=500)), Check.TEXT),
    "307": (answers(said("Paris.", status=307)), Check.TEXT),
    "200 without a completion": (answers(ProbeAnswer(ProbeKind.TEXT, 200, "OK", 0.1)), Check.TEXT),
    "an answer and an error": (answers(said("Paris.", error={"message": "CUDA error"})), Check.TEXT),
    "an answer that breaks off": (answers(said("Paris.", trouble="the answer breaks off")), Check.TEXT),
    "an answer that was aborted": (answers(said("Paris.", end="abort")), Check.TEXT),
    "an answer that ended in an odd way": (answers(said("Paris.", end=["stop"])), Check.TEXT),
    "an answer of another model": (answers(said("Paris.", model="other")), Check.TEXT),
    "an answer of no model": (answers(said("Paris.", model=None)), Check.TEXT),
    "an answer with NaN": (answers(said("Paris.", usage=float("nan"))), Check.TEXT),
    "an answer with infinity": (answers(said("Paris.", usage=float("-inf"))), Check.TEXT),
    "an answer that is a page": (answers(said("Paris.", sent_as="text/html; charset=utf-8")), Check.TEXT),
    "an answer that is a stream": (answers(said("Paris.", sent_as="text/event-stream")), Check.TEXT),
    "no image": (answers(said("x", ProbeKind.IMAGE, 400)), Check.IMAGE),
    "no image later": (answers(said("x", ProbeKind.IMAGE, 500), later=True), Check.IMAGE),
    "it was not looked at again": (has(after_soak=None), Check.SOAK),
    "another process": (sees(after=True, pid=99), Check.SOAK),
    "it was restarted": (sees(after=True, restarts=2), Check.SOAK),
    "it died": (sees(after=True, state=RunState.EXITED), Check.SOAK),
    "another start afterwards": (sees(after=True, start_id="s2"), Check.SOAK),
    "another environment afterwards": (sees(after=True, running_spec_hash="c" * 64), Check.SOAK),
}


@pytest.mark.parametrize("lie", LIES)
def test_one_lie_is_enough_and_is_named(lie):
    tell, check = LIES[lie]

    verdict = judge(tell(PROVEN), WANTED)

    assert not verdict.is_fixed
    assert check in {finding.check for finding in verdict.doubts}
    assert all(finding.evidence.isprintable() for finding in verdict.findings)


@given(st.lists(st.sampled_from(sorted(LIES)), min_size=1, max_size=8))
def test_no_lie_hides_another(lies):
    evidence = PROVEN
    for lie in lies:
        evidence = LIES[lie][0](evidence)

    assert not judge(evidence, WANTED).is_fixed


TRUE_LOGS = {
    "as vLLM logs": f"{RECORD}\n{READY}",
    "as older releases log": f"INFO 10-11 12:34:56 selector.py:115] {LINE}\n",
    "of a worker": f"(VllmWorker rank=1 pid=8) INFO 12-01 14:47:07 [cuda.py:427] {LINE}\r\n",
    "in a container's log": f"2026-12-01T14:47:07.123456789Z stdout F {RECORD}\n",
    "in colours that were taken out behind a bar": f"Parse safetensors files: 100%|##| 4/4 [00:00<00:00]{RECORD}\n",
    "in a form of the owner's own": f'{{"severity":"info","text":"{LINE}"}}\nready\n',
}


@pytest.mark.parametrize("how", TRUE_LOGS)
def test_a_line_that_the_server_logged_is_found_however_it_comes(how):
    assert judge(replace(PROVEN, log=TRUE_LOGS[how]), WANTED).is_fixed


def test_what_clients_write_about_failures_is_not_the_server_s_own():
    quotes = (
        "(APIServer pid=6) INFO 12-01 14:47:07 [logger.py:43] Received request a: prompt: 'EngineDeadError, Using "
        "FLASHINFER backend., Unknown vLLM environment variable detected: VLLM_ATTENTION_BACKEND'\n"
        '(APIServer pid=6) INFO:     10.0.0.7:51 - "GET /EngineDeadError HTTP/1.1" 404 Not Found\n'
    )

    assert judge(replace(PROVEN, log=f"{RECORD}\n{READY}{quotes}"), WANTED).is_fixed


def test_an_answer_under_another_name_of_the_same_model_is_its_own():
    alias = answers(said("Paris.", model="alias"))
    names = answers(models("alias", MODEL, **{MODEL: "/models/qwen", "alias": "/models/qwen"}))
    others = answers(models("alias", MODEL, **{MODEL: "/models/qwen", "alias": "/models/other"}))

    assert judge(alias(names(PROVEN)), WANTED).is_fixed
    assert not judge(alias(others(PROVEN)), WANTED).is_fixed


def test_what_a_helper_of_an_older_release_does_not_tell_is_not_held_against_the_server():
    told = {kind: replace(answer, content_type="", asked="") for kind, answer in GOOD.items()}

    assert judge(replace(PROVEN, answers=told, later_answers=told), WANTED).is_fixed


def test_a_healthy_answer_alone_proves_nothing():
    only_health = Evidence(
        SIGHT, SIGHT, "", log_is_whole=True, failure=None, answers={ProbeKind.HEALTH: GOOD[ProbeKind.HEALTH]}
    )

    assert not judge(only_health, WANTED).is_fixed


def test_a_line_that_nobody_promised_is_not_missed():
    wanted = replace(
        WANTED, lines=(), absent=(), checks=tuple(check for check in Check if check is not Check.LOG_LINE)
    )

    assert judge(replace(PROVEN, log="INFO all is well\n"), wanted).is_fixed


def test_what_is_gone_from_the_log_is_quoted_where_no_line_was_promised():
    gone = "Using FLASHINFER for the encoder"
    wanted = replace(WANTED, lines=(), absent=(gone,))

    verdict = judge(replace(PROVEN, log="INFO all is well\n"), wanted)

    (told,) = [finding.evidence for finding in verdict.findings if finding.check is Check.LOG_LINE]
    assert verdict.is_fixed
    assert told == f"it no longer says: {gone}"


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
