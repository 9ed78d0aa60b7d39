"""Remedies → sections of a card: the change in words, commands to copy, commands that prove it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.chat.interface import Code, CodeKind, Paragraph, Part, Section, Subheading
from bot.locale import say
from bot.triage.showing.defang import defang
from bot.triage.showing.typography import heading_and_rest, with_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rules.engine.report import Remedy

#: fixes that stand open; the others are named and folded, so that the first thing to try stands out
_OPEN_FIXES = 1


def fix_sections(fixes: Sequence[Remedy], release: str | None, language: str) -> tuple[Section, ...]:
    """Return one section per remedy, in the order to try; `release` is the reader's own, when it is known."""
    total = len(fixes)
    first = fixes[0].id if fixes else None
    sections = []
    for number, fix in enumerate(fixes, start=1):
        is_open = number <= _OPEN_FIXES or (release is None and fix.id == first)
        heading, rest = heading_and_rest(with_code(defang(fix.summary)))
        more = (Paragraph(rest),) if rest else ()
        parts = (*more, *_commands(fix, number, language), *_proofs(fix, number, language))
        aside = _aside(fix, number, total, release, language)
        sections.append(Section(heading, parts, aside=aside, detail=not is_open))
    return tuple(sections)


def _aside(fix: Remedy, number: int, total: int, release: str | None, language: str) -> str:
    name = say("card.fix.one", language) if total == 1 else ""
    name = name or say("card.fix.numbered", language, number=number, total=total)
    releases = release or ", ".join(fix.releases.split(","))
    scope = say("card.fix.releases", language, releases=releases) if releases else ""
    return " · ".join(word for word in (name, scope, say(f"card.risk.{fix.risk}", language)) if word)


def _commands(fix: Remedy, number: int, language: str) -> tuple[Part, ...]:
    if not fix.commands:
        return ()
    label = say("card.fix.command", language, number=number)
    return (Code("\n".join(fix.commands), CodeKind.COMMAND, label),)


def _proofs(fix: Remedy, number: int, language: str) -> tuple[Part, ...]:
    if not fix.verify:
        return ()
    parts: list[Part] = [Subheading(say("card.verify", language))]
    for index, proof in enumerate(fix.verify, start=1):
        label = say("card.verify.command", language, number=index, fix=number)
        note = say("card.verify.expect", language, expect=defang(proof.expect))
        parts.append(Code(proof.command, CodeKind.COMMAND, label, note))
    return tuple(parts)
