"""Two incidents are the same problem when rule and captures are; text that varies never counts."""

from dataclasses import replace

from bot.incident.fingerprint import fingerprint_of
from rules.engine.report import RootCause, Status
from tests.bot.cli.sample_reports import a_report


def _with_first(report, **values):
    return replace(report, diagnoses=(replace(report.diagnoses[0], **values), *report.diagnoses[1:]))


def _failed_with(text):
    root = RootCause(9, text, "EngineCore_DP0")
    return replace(a_report(Status.UNKNOWN), root_cause=root, diagnoses=())


def test_lines_processes_facts_and_wording_do_not_matter():
    report = a_report()
    other = replace(
        _with_first(report, title="Another title", line=9_000),
        root_cause=RootCause(9_000, "RuntimeError: pid=77", "Worker_TP1"),
        facts=replace(report.facts, gpu="T4", vllm_version="0.12.0"),
        language="zh",
    )

    assert fingerprint_of(other) == fingerprint_of(report)


def test_another_rule_or_another_capture_is_another_problem():
    report = a_report()

    assert fingerprint_of(_with_first(report, rule="another-rule")) != fingerprint_of(report)
    assert fingerprint_of(_with_first(report, captures={"model": "Molmo"})) != fingerprint_of(report)


def test_the_order_of_captures_does_not_matter():
    report = a_report()
    turned = dict(reversed(report.diagnoses[0].captures.items()))

    assert fingerprint_of(_with_first(report, captures=turned)) == fingerprint_of(report)


def test_an_unknown_failure_is_known_by_its_exception_alone():
    first = fingerprint_of(_failed_with("torch.OutOfMemoryError: Tried to allocate 20 MiB (pid 12)"))
    second = fingerprint_of(_failed_with("torch.OutOfMemoryError: Tried to allocate 4 GiB (pid 99)"))
    third = fingerprint_of(_failed_with("ValueError: 20"))

    assert first == second
    assert first != third


def test_text_that_is_no_exception_never_reaches_a_fingerprint():
    assert fingerprint_of(_failed_with("[rank0] 17:02:11 killed")) == fingerprint_of(
        _failed_with("9 lives gone")
    )
