"""Encodings, escapes, pages and prose round the seed's line: reported it is answered, talked of it is not."""

import codecs
import json

import pytest

from rules.engine.paste.evidence import NoteKind
from rules.engine.paste.facts import Given
from rules.engine.report import Confidence, Status
from rules.engine.start import Options, start_engine

MESSAGE = "Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
SEED = f"RuntimeError: {MESSAGE}"
RECORD = f"ERROR 11-28 07:55:57 [multiproc_executor.py:743] {SEED}"
TRACEBACK = f'Traceback (most recent call last):\n  File "/x/vllm/a.py", line 3, in f\n    raise E(\n{SEED}'


@pytest.fixture(scope="module")
def engine():
    return start_engine(Options())


@pytest.mark.parametrize(
    "paste",
    [
        f"\ud800 {RECORD} \udfff",
        f"\u202e{RECORD}\u202c",
        RECORD.replace("ERROR", "ER\0ROR"),
        codecs.BOM_UTF16_LE + RECORD.encode("utf-16-le"),
        codecs.BOM_UTF16_LE + RECORD.encode("utf-16-le") + b"x",
        RECORD.encode("utf-16-be"),
        f"é {RECORD}".encode("latin1"),
        f"启动报错 {RECORD} 请问怎么办".encode("gb2312"),
        RECORD + "\r" + "more\r",
        json.dumps({"message": TRACEBACK}),
        json.dumps({"log": json.dumps({"msg": RECORD})}),
        repr(TRACEBACK),
        json.dumps(TRACEBACK),
        f"error: {TRACEBACK!r}",
        f"<p>Hello</p><p>{SEED}</p><p>Thanks</p>",
        f'<table><tr><td class="l">7</td><td>{RECORD.replace("Enum.", "Enum.<wbr>")}</td></tr></table>',
        f"foo<br/>{RECORD}<br>bar",
        "".join(f'<span class="l">{word} </span>' for word in RECORD.split()),
    ],
)
def test_the_seed_is_answered_whatever_carries_it(engine, paste):
    report = engine.diagnose(paste)

    (diagnosis,) = report.diagnoses
    assert (report.status, diagnosis.confidence) == (Status.DIAGNOSED, Confidence.CERTAIN)
    assert diagnosis.captures == {"model": "Qwen3-VL", "backend": "FLASHINFER"}
    assert report.vllm_versions == ">=0.11.1,<0.13"
    assert report.root_cause is not None
    assert SEED in report.root_cause.text
    assert not [note for note in report.notes if note.kind is NoteKind.CAP_REACHED]


def test_a_chinese_file_of_windows_is_answered_in_chinese(engine):
    assert engine.diagnose(f"启动报错，请问怎么解决 {RECORD}".encode("gbk")).language == "zh"


@pytest.mark.parametrize(
    "text",
    [
        f'- Fix "{MESSAGE}" on T4 (#1)',
        f"[Bugfix] {SEED}",
        f"[Feature]: allow FLASHINFER, today it says {MESSAGE}",
        f"* {MESSAGE} is no longer raised",
        f"Feature request: no more {SEED}",
        f"修复了 “{MESSAGE}” 的问题",
        f'Has anyone seen "{MESSAGE}" lately? I think we fixed this last week.',
        f"“{MESSAGE}” 这个已经解决了，大家还会遇到吗？",
    ],
)
def test_who_only_talks_of_the_message_gets_no_answer(engine, text):
    report = engine.diagnose(text)

    assert (report.status, report.diagnoses, report.root_cause) == (Status.NOT_AN_INCIDENT, (), None)


@pytest.mark.parametrize(
    "text",
    [
        f'Why do I get "{SEED}" when I start?',
        f"[Bug]: {SEED}",
        f"[Usage]: {SEED}",
        f"Added --foo and now: {SEED}",
        f"How to fix {SEED}",
        f"Since 0.11.2 it no longer starts: {SEED}",
        f"I get `{MESSAGE}` on start",
        f'fix for "{MESSAGE}"?',
        f"为什么会出现“{SEED}”这个错误？",
    ],
)
def test_who_reports_the_message_is_answered(engine, text):
    assert engine.diagnose(text).status is Status.DIAGNOSED


@pytest.mark.parametrize(
    ("typed", "version", "versions"),
    [
        ("0.11.2", "0.11.2", "==0.11.2"),
        ("v0.11.2", "0.11.2", "==0.11.2"),
        ("0.11.2+cu128", "0.11.2+cu128", "==0.11.2"),
        ("0.11.2-cu128", "0.11.2", "==0.11.2"),
        ("0.11.2 (docker)", "0.11.2", "==0.11.2"),
        ("vllm 0.11.2", "0.11.2", "==0.11.2"),
        ("0.11.3.dev0+g123", "0.11.3.dev0+g123", "==0.11.3.dev0"),
        ("0.11", None, ">=0.11.1,<0.12"),
        ("0.11.x", None, ">=0.11.1,<0.12"),
        ("0.12", "0.12.0", "==0.12.0"),
        ("latest", None, ">=0.11.1,<0.13"),
        ("0.11.2 or 0.12.0", None, ">=0.11.1,<0.13"),
    ],
)
def test_a_release_is_read_as_people_type_it(engine, typed, version, versions):
    report = engine.diagnose(RECORD, Given(vllm_version=typed))

    assert (report.facts.vllm_version, report.vllm_versions) == (version, versions)


def test_a_series_narrows_what_an_unknown_failure_says(engine):
    text = "ERROR 11-28 07:55:57 [core.py:7] ValueError: something that no rule knows"
    report = engine.diagnose(text, Given(vllm_version="0.11"))

    assert (report.status, report.vllm_versions) == (Status.UNKNOWN, ">=0.11,<0.12")


def test_a_series_without_facts_is_said_to_lie_outside(engine):
    report = engine.diagnose(RECORD, Given(vllm_version="0.99"))

    assert NoteKind.OUTSIDE_FACTS in [note.kind for note in report.notes]
    assert report.diagnoses[0].confidence is not Confidence.CERTAIN
    assert not [fix for fix in report.diagnoses[0].fixes if fix.change]
