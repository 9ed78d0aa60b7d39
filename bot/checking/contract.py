"""Findings as the JSON of `check --json`. Not for printing it; `contract_model` judges it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.checking.judged import judgement_to_json
from bot.triage.contract import SCHEMA, Json, remedy_to_json

if TYPE_CHECKING:
    from bot.checking.checked import Checked
    from rules.engine.preflight import Finding


def checked_to_json(checked: Checked, name: str) -> dict[str, Json]:
    """Return the object for one launch; `name` is the file it stands in, `-` for a command."""
    findings = checked.findings
    return {
        "schema": SCHEMA,
        "input": name,
        "where": checked.where,
        "line": checked.line,
        "ok": checked.ok,
        "vllm_version": findings.vllm_version,
        "vllm_versions": findings.vllm_versions,
        "model": findings.model,
        "language": findings.language,
        "findings": [_finding(finding) for finding in findings.findings],
        "judge": None if checked.judged is None else judgement_to_json(checked.judged),
        "notes": [{"kind": remark.kind.value, "text": remark.text} for remark in findings.remarks],
    }


def _finding(finding: Finding) -> Json:
    return {
        "rule": finding.rule,
        "class": finding.failure_class,
        "severity": finding.severity.value,
        "text": finding.text,
        "fixes": [remedy_to_json(fix) for fix in finding.fixes],
    }
