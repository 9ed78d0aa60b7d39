"""A report as a page for a person at a terminal, verdict first. Not for how a line is printed."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.cli.answer.fixes import print_fixes
from bot.locale import say
from bot.locale.ranges import in_words
from bot.triage.showing.raised import raised_sentences
from rules.engine.report import Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.cli.answer.page import Page
    from rules.engine.report import Diagnosis, Report

_STATUS_STYLE = {
    Status.DIAGNOSED: "bold green",
    Status.NEED_MORE: "bold yellow",
    Status.UNKNOWN: "bold red",
    Status.NOT_AN_INCIDENT: "bold",
}


def print_report(report: Report, page: Page) -> None:
    """Print the whole answer to one input, in the language of the report."""
    _Answer(report, page, report.language).show()


def print_empty(report: Report, page: Page) -> None:
    """Print that the input held nothing, in the language of the report."""
    page.heading(say("terminal.empty.title", report.language))
    page.prose(say("terminal.empty.text", report.language))
    page.prose(say("terminal.empty.advice", report.language))


@dataclass(frozen=True, slots=True)
class _Answer:
    report: Report
    page: Page
    language: str

    def show(self) -> None:
        """Print verdict, cause, facts, questions and fixes in the order a person needs them."""
        self._verdict()
        self._root_cause()
        self._known()
        if self.report.status is Status.NEED_MORE:
            self._questions()
        for diagnosis in self._in_full():
            self._fixes(diagnosis)
        if self.report.status is not Status.NEED_MORE:
            self._questions()
        self._rest()

    def _say(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)

    def _decided(self) -> bool:
        return self.report.status is Status.DIAGNOSED and bool(self.report.diagnoses)

    def _in_full(self) -> tuple[Diagnosis, ...]:
        """Return what is shown with its fixes: the root cause, or all that is possible."""
        return self.report.diagnoses[:1] if self._decided() else self.report.diagnoses

    def _verdict(self) -> None:
        status = self.report.status
        if self._decided():
            first = self.report.diagnoses[0]
            self.page.heading(self._say("terminal.verdict", title=first.title), style=_STATUS_STYLE[status])
            self._account(first)
            return
        self.page.heading(self._say(f"card.title.{status.value}"), style=_STATUS_STYLE[status])
        self.page.prose(self._say(f"card.text.{status.value}"))
        if status is not Status.NEED_MORE:
            self.page.prose(self._say(f"terminal.{status.value}.advice"))

    def _account(self, diagnosis: Diagnosis) -> None:
        named = self._say("terminal.class", name=diagnosis.failure_class, rule=diagnosis.rule)
        self.page.prose(self._say(f"terminal.confidence.{diagnosis.confidence.value}"))
        self.page.prose(named, style="dim")
        self._section("card.cause")
        self.page.prose(diagnosis.cause)

    def _section(self, key: str, **values: object) -> None:
        self.page.blank()
        self.page.heading(self._say(key, **values))

    def _root_cause(self) -> None:
        root = self.report.root_cause
        places = raised_sentences(self.report)
        if root is not None:
            key = "nearest" if self.report.status is Status.NEED_MORE else "root"
            if root.process:
                self._section(f"terminal.{key}.process", line=root.line, process=root.process)
            else:
                self._section(f"terminal.{key}", line=root.line)
            self.page.prose(root.text)
        elif places:
            self.page.blank()
        for place in places:
            self.page.prose(place)

    def _known(self) -> None:
        facts = self.report.facts
        known = [
            ("version", facts.vllm_version),
            (
                "versions",
                None if facts.vllm_version else in_words(self.report.vllm_versions or "", self.language),
            ),
            ("gpu", facts.gpu),
            ("capability", facts.compute_capability),
            ("platform", facts.platform),
            ("model", facts.model),
            ("requested", facts.backend_requested),
            ("selected", facts.backend_selected),
            *(("env", f"{name}={value}") for name, value in facts.env.items()),
            ("argv", shlex.join(facts.argv)),
        ]
        lines = [self._say(f"terminal.fact.{name}", value=value) for name, value in known if value]
        if lines:
            self._section("terminal.known")
        for line in lines:
            self.page.prose(line)

    def _fixes(self, diagnosis: Diagnosis) -> None:
        if not self._decided():
            self.page.blank()
            self.page.heading(diagnosis.title)
            self._account(diagnosis)
        if not diagnosis.fixes:
            self.page.blank()
            self.page.prose(self._say("terminal.no-fix" if diagnosis.in_era else "terminal.no-fix.release"))
        print_fixes(diagnosis.fixes, self.report.facts.vllm_version, self.page, self.language)

    def _questions(self) -> None:
        if self.report.ask:
            self._section("card.ask" if self.report.status is Status.NEED_MORE else "terminal.ask")
        for ask in self.report.ask:
            self.page.bullet(ask.why)
            if ask.command:
                self.page.command(ask.command)

    def _rest(self) -> None:
        report = self.report
        others = report.diagnoses[1:] if self._decided() else ()
        notes = [note.text for note in report.notes]
        if report.redacted:
            number = "one" if report.redacted == 1 else "many"
            notes.append(self._say(f"terminal.masked.{number}", count=report.redacted))
        self._entries("card.also", (f"{other.title} ({other.rule})" for other in others))
        self._entries("card.ruled-out", (f"{rival.rule}: {rival.why}" for rival in report.ruled_out))
        self._entries("card.notes", notes)
        for first in report.diagnoses[:1]:
            self._links(first.references)
            self.page.blank()
            self.page.prose(self._say("terminal.explain", rule=first.rule), indent=0, style="dim")

    def _links(self, links: tuple[str, ...]) -> None:
        if links:
            self._section("card.references")
        for link in links:
            self.page.command(link)

    def _entries(self, key: str, entries: Iterable[str]) -> None:
        lines = list(entries)
        if lines:
            self._section(key)
        for line in lines:
            self.page.bullet(line)
