"""What a preflight found as a card: what stops the start first, each with its fix. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.chat.interface import (
    Bullets,
    Card,
    Code,
    CodeKind,
    Field,
    Fields,
    Paragraph,
    Part,
    Section,
    Tone,
)
from bot.locale import say
from bot.triage.showing.defang import defang, is_safe_to_copy
from bot.triage.showing.typography import heading_and_rest, with_code
from rules.engine.preflight import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rules.engine.preflight import Finding, Findings
    from rules.engine.report import Remedy

#: a longer text is headed by its first clause
_LONGEST_HEADING = 140


def findings_card(findings: Findings, gpu: str | None, more: Sequence[str] = ()) -> Card:
    """Return the card; `gpu` is the machine that was asked about, None where nobody said.

    `more` are remarks on reading the launch.
    """
    language = findings.language
    title = say(f"check.verdict.{_verdict(findings)}", language)
    sections = [_opening(findings, gpu)]
    details: list[Section] = []
    for number, finding in enumerate(findings.findings, start=1):
        sections.append(_finding(finding, number, language))
        details += _others(finding, number, language)
    said = (*more, *(remark.text for remark in findings.remarks))
    notes = tuple(with_code(defang(text)) for text in said)
    if notes:
        details.append(Section(say("card.notes", language), (Bullets(notes),), detail=True))
    return Card(
        title=title,
        summary=_summary(findings, title),
        tone=_tone(findings),
        sections=(*sections, *details),
        language=language,
    )


def _verdict(findings: Findings) -> str:
    if not findings.ok:
        return "fails.one"
    return "remarks" if findings.findings else "sound"


def _tone(findings: Findings) -> Tone:
    if not findings.ok:
        return Tone.BAD
    return Tone.WARNING if findings.findings else Tone.GOOD


def _summary(findings: Findings, title: str) -> str:
    if findings.findings:
        return f"{title}. {defang(findings.findings[0].text)}"
    return say("asking.check.summary.ok", findings.language)


def _opening(findings: Findings, gpu: str | None) -> Section:
    language = findings.language
    unknown = say("card.facts.unknown", language)
    release = findings.vllm_version or ", ".join((findings.vllm_versions or "").split(",")) or unknown
    shown = (("release", release), ("gpu", gpu or unknown), ("model", findings.model or unknown))
    fields = tuple(Field(say(f"card.facts.{name}", language), defang(value)) for name, value in shown)
    parts: tuple[Part, ...] = (Fields(fields),)
    if not findings.findings:
        parts = (Paragraph(say("asking.check.summary.ok", language)), *parts)
    return Section("", parts)


def _finding(finding: Finding, number: int, language: str) -> Section:
    text = with_code(defang(finding.text))
    heading, rest = (text, "") if len(text) <= _LONGEST_HEADING else heading_and_rest(text)
    parts: list[Part] = [Paragraph(rest)] if rest else []
    for fix in finding.fixes[:1]:
        parts.append(Paragraph(with_code(defang(fix.summary))))
        parts += _commands(fix, number, language)
    return Section(heading, tuple(parts), aside=say(f"check.severity.{finding.severity}", language))


def _commands(fix: Remedy, number: int, language: str) -> Iterator[Part]:
    if fix.commands:
        command = "\n".join(fix.commands)
        kind = CodeKind.COMMAND if is_safe_to_copy(command) else CodeKind.QUOTE
        text = command if kind is CodeKind.COMMAND else defang(command)
        yield Code(text, kind, say("asking.check.command", language, number=number))


def _others(finding: Finding, number: int, language: str) -> Iterator[Section]:
    """Yield the other fixes of a finding, folded."""
    if len(finding.fixes) < 2 or finding.severity is Severity.NO_EFFECT:
        return
    parts: list[Part] = []
    for fix in finding.fixes[1:]:
        parts.append(Paragraph(with_code(defang(fix.summary))))
        parts += _commands(fix, number, language)
    yield Section(say("asking.check.others", language), tuple(parts), detail=True)
