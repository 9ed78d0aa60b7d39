"""Asks the engine about a start that seems to have failed. Not for noticing one, nor for telling anybody."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from bot.incident.fingerprint import fingerprint_of
from bot.watching.marks import is_alive, is_remark
from rules.engine.paste.facts import Given
from rules.engine.report import Status

if TYPE_CHECKING:
    from bot.watching.kept import KeptLog
    from bot.watching.watchman import Case
    from rules.engine.report import Report

    class Engine(Protocol):
        """Whoever diagnoses."""

        def diagnose(self, data: bytes | str, given: Given, language: str) -> Report:
            """Return the report on a log."""


#: bytes of a start by which it is told from another one at the same place of the same file
_BEGINNING = 4096
_ID_LENGTH = 40
_NOTHING = Given()


@dataclass(frozen=True, slots=True)
class Finding:
    """A start with what the engine says of it."""

    report: Report
    #: what the report is about
    text: bytes
    #: what it was kept as
    log: KeptLog
    #: as the watchman handed it over
    case: Case

    @property
    def is_worth_raising(self) -> bool:
        """Tell whether it is a failure, and not the half of one whose rest is on its way, nor a mere remark."""
        status = self.report.status
        if status is Status.NOT_AN_INCIDENT:
            return False
        if is_alive(self.text):
            # one request failed: whoever sent it was told
            return False
        if self.case.is_stalled:
            return status is Status.DIAGNOSED
        if status is not Status.DIAGNOSED:
            return self.case.is_final
        root = self.report.root_cause
        # servers start and answer in spite of what they warn of
        return root is None or not is_remark(self.text, root.line)

    @property
    def fingerprint(self) -> str:
        """Return what makes two failures the same."""
        return fingerprint_of(self.report)

    @property
    def numbered(self) -> Report:
        """Return the report with lines counted from the beginning of the start, forgotten ones too."""
        root = self.report.root_cause
        if root is None:
            return self.report
        return replace(self.report, root_cause=replace(root, line=self.log.number(root.line)))

    @property
    def title(self) -> str:
        """Return a few words about the failure."""
        if self.report.diagnoses:
            return self.report.diagnoses[0].title
        root = self.report.root_cause
        return f"{self.report.status.value}: {root.text}" if root is not None else self.report.status.value

    def event_id(self, identity: tuple[int, int]) -> str:
        """Return an id for this failure of this start, the same whenever it is read again."""
        beginning = hashlib.sha256(self.text[:_BEGINNING]).hexdigest()
        parts = [*identity, self.log.offset, self.fingerprint, beginning]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:_ID_LENGTH]


def judge(engine: Engine, case: Case, given: Given, language: str) -> Finding:
    """Return what the engine says of a case.

    Where no banner tells starts apart, what came last is asked about alone first: it may be another failure.
    """
    if case.fresh:
        text = case.fresh_text()
        report = _ask(engine, text, given, language)
        if report.status in {Status.DIAGNOSED, Status.UNKNOWN}:
            return Finding(report, text, case.fresh, case)
    text = case.text()
    report = _ask(engine, text, given, language)
    return Finding(report, text, case.log, case)


def _ask(engine: Engine, text: bytes, given: Given, language: str) -> Report:
    """Return the report; what is no failure by itself does not become one because the machine is known."""
    report = engine.diagnose(text, _NOTHING, language)
    if given == _NOTHING or report.status is Status.NOT_AN_INCIDENT:
        return report
    return engine.diagnose(text, given, language)
