"""Asks the shipped preflight about a command, as tests write it. Not tests."""

import shlex
from functools import cache

from rules.engine.preflight import Findings, Known, Severity, examine, read_launch
from rules.engine.preflight.answering import Answers
from rules.engine.preflight.start import start_preflight

BLOCKS = Severity.BLOCKS_START


@cache
def answers() -> Answers:
    return start_preflight()


def check(command: str, release: str | None = "0.20.2", *, language: str = "en", **known) -> Findings:
    """Return what is found; `env` adds variables, all else is what is known beside the launch."""
    env = known.pop("env", {})
    launch = read_launch(shlex.split(command), env)
    return examine(launch, Known(vllm_version=release, **known), answers(), language)


def rules(findings: Findings) -> list[str]:
    return [finding.rule for finding in findings.findings]


def texts(findings: Findings) -> str:
    return "\n".join(finding.text for finding in findings.findings)


def remarks(findings: Findings) -> str:
    return "\n".join(remark.text for remark in findings.remarks)
