"""Preflight: would this launch start, told from its words, its variables and the facts of a release."""

from rules.engine.preflight.examining import examine
from rules.engine.preflight.findings import Finding, Findings, Remark, RemarkKind, Severity
from rules.engine.preflight.reading.launch import Launch, NoLaunchError, read_launch
from rules.engine.preflight.setting import Known, Machine

__all__ = [
    "Finding",
    "Findings",
    "Known",
    "Launch",
    "Machine",
    "NoLaunchError",
    "Remark",
    "RemarkKind",
    "Severity",
    "examine",
    "read_launch",
]
