"""From bytes to a report: statuses, releases, remarks, questions. Rules and answers are made by hand."""

import io

import pytest

from rules.engine.diagnose import Engine, Parts
from rules.engine.paste.evidence import NoteKind
from rules.engine.paste.facts import Given
from rules.engine.paste.reading import MOST_LINES, WHOLE
from rules.engine.reader import PasteReader
from rules.engine.report import Change, Confidence, FixKind, Proof, ProofKind, Remedy, Risk, Status
from rules.engine.reporting import common_fixes
from rules.engine.rule.model import Impact, Scope
from tests.rules.engine.matching.handmade_rules import (
    SHIPPED,
    PlainAnswerer,
    ReleaseOnlyReader,
    matcher,
    rule,
    signal,
)

RULES = {
    one.id: one
    for one in (
        rule(
            "rejected",
            signal(
                r"(?P<model>\S+) does not support AttentionBackendEnum\.(?P<backend>\w+) backend",
                " does not support AttentionBackendEnum.",
                releases=">=0.11.1,<0.13",
            ),
            absorbs=("wrapped",),
        ),
        rule(
            "wrapped",
            signal("Engine core initialization failed", "Engine core initialization failed"),
            asks_only=True,
        ),
        rule(
            "ignored",
            signal(
                "environment variable detected: (?P<name>\\w+)", " variable detected: ", scope=Scope.RECORD
            ),
            impact=Impact.NO_EFFECT,
        ),
    )
}
SEED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
RECORD = "(EngineCore_DP0 pid=7) ERROR 11-28 07:55:57 [core.py:842] "
WRAPPER = "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"
INCIDENT = f"""INFO 11-28 07:55:50 [api_server.py:1] vLLM API server version 0.11.2
{RECORD}Traceback (most recent call last):
{RECORD}  File "/x/site-packages/vllm/v1/engine/core.py", line 833, in run_engine_core
{RECORD}    raise RuntimeError(
{RECORD}{SEED}
(APIServer pid=1) Traceback (most recent call last):
(APIServer pid=1)   File "/x/site-packages/vllm/entrypoints/cli/main.py", line 73, in main
(APIServer pid=1) {WRAPPER}
"""


@pytest.fixture(scope="module")
def engine():
    parts = Parts(ReleaseOnlyReader(), matcher(RULES.values()), RULES.__getitem__, PlainAnswerer(), SHIPPED)
    return Engine(parts)


def test_the_root_cause_is_diagnosed_with_its_line_process_and_captures(engine):
    report = engine.diagnose(INCIDENT)

    assert report.status is Status.DIAGNOSED
    assert (report.root_cause.line, report.root_cause.text, report.root_cause.process) == (
        5,
        SEED,
        "EngineCore_DP0",
    )
    (diagnosis,) = report.diagnoses
    assert (diagnosis.rule, diagnosis.confidence, diagnosis.line) == ("rejected", Confidence.CERTAIN, 5)
    assert diagnosis.captures == {"model": "Qwen3-VL", "backend": "FLASHINFER"}
    assert [one.rule for one in report.ruled_out] == ["wrapped"]


def test_text_and_bytes_and_a_stream_give_the_same_report(engine):
    report = engine.diagnose(INCIDENT)

    assert engine.diagnose(INCIDENT.encode()) == report
    assert engine.diagnose_stream(io.BytesIO(INCIDENT.encode())) == report


def test_the_releases_are_those_that_print_the_text(engine):
    report = engine.diagnose(SEED)

    assert report.vllm_versions == ">=0.11.1,<0.13"
    assert report.facts.vllm_version is None
    assert report.diagnoses[0].cause == "0.11.1,0.11.2,0.12.0|None"


def test_a_given_release_is_the_answers_release(engine):
    report = engine.diagnose(SEED, Given(vllm_version="0.11.2"))

    assert report.vllm_versions == "==0.11.2"
    assert report.diagnoses[0].cause == "0.11.2|0.11.2"
    assert report.notes == ()


def test_a_given_release_that_cannot_print_the_text_is_a_contradiction_and_not_certain(engine):
    report = engine.diagnose(SEED, Given(vllm_version="0.8.5"))

    assert [note.kind for note in report.notes] == [NoteKind.CONTRADICTION]
    assert report.diagnoses[0].confidence is Confidence.LIKELY
    cause = report.diagnoses[0].cause
    assert cause.startswith("vLLM 0.8.5 does not print this text, releases >=0.11.1,<0.13 do")


@pytest.mark.parametrize("release", ["0.99.0", "0.5.1", "1.0.dev3"])
def test_a_release_outside_the_facts_is_diagnosed_without_releases_and_said(engine, release):
    report = engine.diagnose(SEED, Given(vllm_version=release))

    assert [note.kind for note in report.notes] == [NoteKind.OUTSIDE_FACTS]
    assert report.diagnoses[0].cause.startswith(f"vLLM {release} does not print this text")
    assert report.diagnoses[0].confidence is Confidence.LIKELY


def test_a_build_between_releases_is_answered_for_both_neighbours_and_said(engine):
    report = engine.diagnose(SEED, Given(vllm_version="0.11.2.dev7"))

    assert report.diagnoses[0].cause.startswith("0.11.1,0.11.2|")
    assert [note.kind for note in report.notes] == [NoteKind.OUTSIDE_FACTS]


@pytest.mark.parametrize("release", ["0.11.2+cu128", "0.11.2.post1"])
def test_local_and_post_builds_count_as_their_release(engine, release):
    report = engine.diagnose(SEED, Given(vllm_version=release))

    assert report.diagnoses[0].cause.startswith("0.11.2|")
    assert report.notes == ()


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (WRAPPER, Status.NEED_MORE),
        (INCIDENT.split(RECORD + "Runtime", 1)[0], Status.NEED_MORE),
        (f"{RECORD}ValueError: a fault that no rule knows", Status.UNKNOWN),
        ("INFO 11-28 07:55:50 [api_server.py:1] vLLM API server version 0.11.2", Status.NOT_AN_INCIDENT),
        ("why is FLASHINFER slower than FLASH_ATTN for me?", Status.NOT_AN_INCIDENT),
        ("ValueError: something of another program", Status.NOT_AN_INCIDENT),
        (
            "WARNING 11-28 07:55:50 [envs.py:1] Unknown environment variable detected: VLLM_X",
            Status.DIAGNOSED,
        ),
        ("", Status.NOT_AN_INCIDENT),
    ],
)
def test_the_status_says_what_came_of_a_paste(engine, text, status):
    assert engine.diagnose(text).status is status


def test_an_unknown_failure_names_its_root_cause(engine):
    report = engine.diagnose(f"fine\n{RECORD}ValueError: a fault that no rule knows")

    assert report.root_cause.text == "ValueError: a fault that no rule knows"
    assert report.root_cause.line == 2
    assert report.diagnoses == ()


def test_what_is_no_incident_names_no_root_cause(engine):
    assert engine.diagnose("ValueError: something of another program").root_cause is None


def test_a_wrapper_asks_and_names_itself(engine):
    report = engine.diagnose(WRAPPER)

    assert [ask.fact for ask in report.ask] == ["first-exception"]
    assert "wrapped" in report.ask[0].why


@pytest.mark.parametrize(
    ("text", "wanted", "language"),
    [
        (SEED, "auto", "en"),
        (f"启动失败了，怎么办？\n{SEED}", "auto", "zh"),
        (SEED, "zh", "zh"),
        (f"启动失败了\n{SEED}", "en", "en"),
    ],
)
def test_the_answer_is_in_the_language_of_the_asker(engine, text, wanted, language):
    report = engine.diagnose(text, language=wanted)

    assert report.language == language
    assert report.status is Status.DIAGNOSED


def test_a_large_log_is_diagnosed_from_its_lines_and_says_that_it_was_read_in_part(engine):
    calm = 'INFO:     10.0.0.1:80 - "POST /v1/completions HTTP/1.1" 200 OK\n'
    before = calm * (WHOLE // len(calm))
    report = engine.diagnose(before + INCIDENT + before)

    assert report.diagnoses[0].rule == "rejected"
    assert report.root_cause.line == WHOLE // len(calm) + 5
    assert [note.kind for note in report.notes] == [NoteKind.CAP_REACHED]


@pytest.mark.parametrize(
    "hostile",
    [
        b"\x00\xff\xfe" * 1000,
        b"\xed\xa0\x80" * 10,
        "\ud800 lone surrogate",
        "a" * 100_000,
        "(" * 5_000,
        "Traceback (most recent call last):\n" * 500,
        "x does not support AttentionBackendEnum. \n" * 500,
        "\r" * 10_000,
        "\x1b[31m" * 1_000,
    ],
)
def test_hostile_input_gets_a_report(engine, hostile):
    assert engine.diagnose(hostile).status in Status


def test_line_numbers_are_the_originals_where_repeated_lines_were_left_out(engine):
    calm = 'INFO:     10.0.0.1:80 - "POST /v1/completions HTTP/1.1" 200 OK\n'
    report = engine.diagnose(calm * 1000 + INCIDENT)

    assert report.root_cause.line == 1005
    assert report.diagnoses[0].line == 1005
    assert report.notes == ()


def fix(fix_id, releases, command="run", proof="look"):
    verify = (Proof(ProofKind.LOG, proof, ""), Proof(ProofKind.HTTP, "curl", ""))
    return Remedy(fix_id, FixKind.UNSET_ENV, "", releases, True, Risk.LOW, Change(), (command,), verify)


def test_of_a_build_between_releases_only_what_holds_in_both_is_offered():
    fixes = (
        fix("everywhere", ">=0.11.1,<0.12", proof="one"),
        fix("split", "==0.11.1", proof="one"),
        fix("split", "==0.11.2", proof="two"),
        fix("different", "==0.11.1", command="this"),
        fix("different", "==0.11.2", command="that"),
        fix("newer only", "==0.11.2"),
    )
    kept = common_fixes(fixes, "0.11.2.dev7+g1234", SHIPPED[3:5])

    assert [(one.id, one.releases) for one in kept] == [
        ("everywhere", "==0.11.2.dev7"),
        ("split", "==0.11.2.dev7"),
    ]
    assert [proof.command for proof in kept[1].verify] == ["curl"]


def test_a_line_that_holds_too_many_lines_is_read_from_both_ends_and_said_so():
    text = "Traceback (most recent call last):" + '\\n  File "a", line 1, in f' * 30_000 + f"\\n{SEED}"
    evidence = PasteReader().clean(text, unwrap=True)

    assert evidence.dropped
    assert len(evidence.lines) <= MOST_LINES
    assert evidence.lines[-1].text == SEED
