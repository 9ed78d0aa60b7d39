"""What makes two incidents the same problem. Pure."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from rules.engine.report import Status

if TYPE_CHECKING:
    from rules.engine.report import Report

#: hexadecimal digits of a fingerprint: enough that two problems never share one by chance
_LENGTH = 24
#: an exception's name ends where its message begins
_NAME_ENDS = ":"


def fingerprint_of(report: Report) -> str:
    """Return the fingerprint of the problem that a report is about.

    It is made of the rule and what the rule captured. Where no rule speaks, it is made of the status and
    the name of the exception, never of text that varies: process ids and sizes differ between two runs.
    """
    if report.diagnoses:
        first = report.diagnoses[0]
        parts = [first.rule, *(f"{name}={value}" for name, value in sorted(first.captures.items()))]
    else:
        parts = [report.status.value, _exception_name(report)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:_LENGTH]


def _exception_name(report: Report) -> str:
    if report.root_cause is None or report.status is Status.NOT_AN_INCIDENT:
        return ""
    name = report.root_cause.text.partition(_NAME_ENDS)[0].strip()
    return name if name.replace(".", "").replace("_", "").isalnum() and not name[:1].isdigit() else ""
