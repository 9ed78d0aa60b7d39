"""The JSON of a report: every key, always, in the order that the contract states."""

import json

import pytest

from bot.triage.contract import report_to_json
from bot.triage.contract_model import ReportModel, json_schema
from rules.engine.paste.facts import Facts
from rules.engine.report import Report, Status
from tests.bot.cli.sample_reports import a_report

TOP = [
    "schema",
    "input",
    "status",
    "language",
    "facts",
    "root_cause",
    "diagnoses",
    "ruled_out",
    "ask",
    "notes",
    "redacted",
    "raised_at",
]
FACTS = [
    "vllm_version",
    "vllm_versions",
    "gpu",
    "compute_capability",
    "platform",
    "model",
    "env",
    "argv",
    "backend_requested",
    "backend_selected",
]
DIAGNOSIS = ["rule", "class", "family", "confidence", "title", "cause", "captures", "fixes", "references"]
FIX = ["id", "kind", "summary", "releases", "relaunchable", "risk", "change", "commands", "verify"]


@pytest.mark.parametrize("status", list(Status))
def test_every_key_is_present_and_in_the_order_of_the_contract(status):
    answer = json.loads(json.dumps(report_to_json(a_report(status), "-")))

    assert list(answer) == TOP
    assert list(answer["facts"]) == FACTS
    for diagnosis in answer["diagnoses"]:
        assert list(diagnosis) == DIAGNOSIS
        for fix in diagnosis["fixes"]:
            assert list(fix) == FIX
            assert list(fix["verify"][0]) == ["kind", "command", "expect"]


def test_the_keys_stay_when_nothing_is_known():
    empty = Report(Status.NOT_AN_INCIDENT, "en", Facts(), None, None)

    answer = report_to_json(empty, "a.log")

    assert list(answer) == TOP
    assert answer["input"] == "a.log"
    assert answer["root_cause"] is None
    assert list(answer["facts"]) == FACTS
    assert answer["facts"]["env"] == {}
    assert answer["facts"]["argv"] == []


def test_where_in_vllm_a_failure_arose_is_told_by_the_traceback_or_by_a_release():
    frame, fact = report_to_json(a_report(Status.UNKNOWN), "-")["raised_at"]

    assert frame == {
        "file": "vllm/v1/engine/core.py",
        "line": 833,
        "function": "run_engine_core",
        "release": None,
    }
    assert fact == {"file": "vllm/attention/selector.py", "line": 180, "function": None, "release": "0.11.2"}


def test_a_change_is_null_for_advice_and_has_four_keys_otherwise():
    first, second = report_to_json(a_report(), "-")["diagnoses"][0]["fixes"]

    assert list(first["change"]) == ["env_unset", "env_set", "flags_set", "flags_unset"]
    assert second["change"] is None


@pytest.mark.parametrize("status", list(Status))
def test_the_schema_accepts_what_is_printed(status):
    answer = report_to_json(a_report(status), "-")

    assert ReportModel.model_validate(answer).status is status


def test_the_schema_refuses_a_key_that_the_contract_does_not_name():
    answer = {**report_to_json(a_report(), "-"), "extra": 1}

    with pytest.raises(ValueError, match="extra"):
        ReportModel.model_validate(answer)


def test_the_schema_names_the_keys_as_they_are_printed():
    properties = json_schema()["properties"]

    assert list(properties) == TOP
