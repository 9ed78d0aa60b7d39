"""Findings as a page for a person at a terminal, verdict first. Not for how a line is printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.checking.judged import judgement_to_json
from bot.cli.answer.fixes import print_fixes
from bot.locale import say
from bot.locale.ranges import in_words
from rules.engine.preflight import Severity

if TYPE_CHECKING:
    from bot.checking.checked import Checked
    from bot.cli.answer.page import Page
    from rules.engine.preflight import Finding

_STYLES = {
    Severity.BLOCKS_START: "bold red",
    Severity.DEGRADES: "bold yellow",
    Severity.NO_EFFECT: "bold yellow",
}
#: variables that every shell has, which say nothing of the launch
_OWN_OF_A_SHELL = ("PATH", "PYTHON")


def print_checked(checked: Checked, name: str | None, page: Page) -> None:
    """Print the whole answer to one launch; `name` is the file that holds it."""
    _Answer(checked, name, page, checked.findings.language).show()


@dataclass(frozen=True, slots=True)
class _Answer:
    checked: Checked
    name: str | None
    page: Page
    language: str

    def show(self) -> None:
        """Print the verdict, then each finding with its fixes, then what was not checked."""
        self._verdict()
        for finding in self.checked.findings.findings:
            self._finding(finding)
        self._judge()
        remarks = [remark.text for remark in self.checked.findings.remarks]
        if remarks:
            self.page.blank()
            self.page.heading(self._say("card.notes"))
        for text in remarks:
            self.page.bullet(text)
        self.page.blank()

    def _say(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)

    def _verdict(self) -> None:
        found = self.checked.findings
        if self.name is not None:
            place = self._say("check.place", file=self.name, line=self.checked.line, where=self.checked.where)
            self.page.heading(place, style="dim")
        blocking = sum(one.severity is Severity.BLOCKS_START for one in found.findings)
        blocking = blocking or int(not self.checked.ok)
        if blocking:
            key = "check.verdict.fails.one" if blocking == 1 else "check.verdict.fails.many"
            self.page.heading(self._say(key, count=blocking), style="bold red")
        elif found.findings:
            self.page.heading(self._say("check.verdict.remarks"), style="bold yellow")
        else:
            self.page.heading(self._say("check.verdict.sound"), style="bold green")
        self.page.prose(self._release())

    def _judge(self) -> None:
        judged = self.checked.judged
        if judged is None:
            return
        said = judgement_to_json(judged)
        self.page.blank()
        key = f"check.judge.{judged.verdict.outcome.value}"
        release = judged.release or self._say("check.judge.no-release")
        self.page.heading(self._say(key, release=release))
        if said["text"]:
            self.page.prose(said["text"])
        for text in said["not_judged"]:
            if not text.startswith(_OWN_OF_A_SHELL):
                self.page.bullet(self._say("check.judge.left-out", what=text))

    def _release(self) -> str:
        found = self.checked.findings
        if found.vllm_version is not None:
            return self._say("check.release", release=found.vllm_version)
        if found.vllm_versions:
            return self._say("check.releases", releases=in_words(found.vllm_versions, self.language))
        return self._say("check.release.any")

    def _finding(self, finding: Finding) -> None:
        self.page.blank()
        head = self._say(f"check.severity.{finding.severity.value}")
        self.page.heading(head, style=_STYLES[finding.severity])
        self.page.prose(finding.text)
        named = self._say("terminal.class", name=finding.failure_class, rule=finding.rule)
        self.page.prose(named, style="dim")
        print_fixes(finding.fixes, self.checked.findings.vllm_version, self.page, self.language)
