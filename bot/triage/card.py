"""Report → card: what an answer says and in which order. Pure. Not for making it fit a platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.chat.interface import (
    Bullets,
    Button,
    ButtonStyle,
    Card,
    Code,
    CodeKind,
    Field,
    Fields,
    Link,
    Links,
    Paragraph,
    Part,
    Section,
    Tone,
)
from bot.locale import say
from bot.triage.showing.defang import defang
from bot.triage.showing.fixes import fix_sections
from bot.triage.showing.raised import raised_sentences
from bot.triage.showing.typography import with_code
from rules.engine.report import Status

if TYPE_CHECKING:
    from rules.engine.report import Diagnosis, Report

#: `Button.action` of the button that says an answer is wrong
WRONG_ANSWER = "answer-is-wrong"
#: `Button.action` of the button that asks for a plan to relaunch the failed server
RELAUNCH = "relaunch"
#: `Button.action` of the button that has the end of a server's log and its facts read
FETCH = "fetch"
#: `Button.action` of the button that asks which other servers would fail the same way
SWEEP = "sweep"
#: `Button.value` of a card whose reply has no id yet
_NO_ID = ""

_TONES = {
    Status.DIAGNOSED: Tone.BAD,
    Status.NEED_MORE: Tone.WARNING,
    Status.UNKNOWN: Tone.WARNING,
    Status.NOT_AN_INCIDENT: Tone.GOOD,
}


def card_of(report: Report, reply_id: str = _NO_ID, acts: tuple[str, ...] = ()) -> Card:
    """Return the card for a report: verdict, cause, fixes with their proofs, questions, then the rest.

    `reply_id` is what the buttons carry, `acts` are those on servers. What was quoted from a paste is defanged.
    """
    language = report.language
    title = _title(report)
    sections = (
        *_opening(report),
        *_main(report),
        *_questions(report),
        *_rest(report),
    )
    return Card(
        title=title,
        summary=_summary(report, title),
        tone=_TONES[report.status],
        badges=_badges(report),
        sections=sections,
        buttons=_buttons(report, reply_id, acts),
        language=language,
    )


def _title(report: Report) -> str:
    if report.status is Status.DIAGNOSED:
        return defang(report.diagnoses[0].title)
    return say(f"card.title.{report.status}", report.language)


def _summary(report: Report, title: str) -> str:
    if report.status is not Status.DIAGNOSED:
        return f"{title}. {say(f'card.text.{report.status}', report.language)}"
    confidence = say(f"card.confidence.{report.diagnoses[0].confidence}", report.language)
    return say("card.summary.diagnosed", report.language, title=title, confidence=confidence)


def _badges(report: Report) -> tuple[str, ...]:
    if report.status is not Status.DIAGNOSED:
        return ()
    return (say(f"card.confidence.{report.diagnoses[0].confidence}", report.language),)


def _opening(report: Report) -> tuple[Section, ...]:
    """Return what is wrong: the cause, the line that tells it, the facts it was judged by."""
    language = report.language
    parts: list[Part] = []
    if report.status is Status.DIAGNOSED:
        parts.append(Paragraph(with_code(defang(report.diagnoses[0].cause))))
    else:
        parts.append(Paragraph(say(f"card.text.{report.status}", language)))
    aside = ""
    if report.root_cause is not None:
        key = "card.seen-in" if report.root_cause.process else "card.seen"
        aside = say(key, language, line=report.root_cause.line, process=report.root_cause.process or "")
        quote = Code(defang(report.root_cause.text), CodeKind.QUOTE, say("card.quote", language))
        parts.append(quote)
    parts.extend(Paragraph(defang(sentence)) for sentence in raised_sentences(report))
    if report.status is not Status.NOT_AN_INCIDENT:
        parts.extend(_facts(report))
    heading = say("card.cause", language) if report.status is Status.DIAGNOSED else ""
    return (Section(heading, tuple(parts), aside=defang(aside)),)


def _facts(report: Report) -> tuple[Fields, ...]:
    facts = report.facts
    unknown = say("card.facts.unknown", report.language)
    gpu = facts.gpu or unknown
    if facts.compute_capability:
        gpu = f"{facts.gpu} ({facts.compute_capability})" if facts.gpu else facts.compute_capability
    shown = [
        ("release", facts.vllm_version or _spaced(report.vllm_versions) or unknown),
        ("gpu", gpu),
        ("model", facts.model or unknown),
    ]
    if facts.backend_requested:
        shown.append(("backend", facts.backend_requested))
    fields = (Field(say(f"card.facts.{name}", report.language), defang(value)) for name, value in shown)
    return (Fields(tuple(fields)),)


def _spaced(specifier: str | None) -> str:
    return ", ".join((specifier or "").split(","))


def _main(report: Report) -> tuple[Section, ...]:
    if report.status is not Status.DIAGNOSED:
        return ()
    return fix_sections(report.diagnoses[0].fixes, report.facts.vllm_version, report.language)


def _questions(report: Report) -> tuple[Section, ...]:
    if not report.ask:
        return ()
    parts: list[Part] = []
    for ask in report.ask:
        parts.append(Paragraph(with_code(defang(ask.why))))
        if ask.command:
            label = say("card.ask.command", report.language, fact=ask.fact)
            parts.append(Code(ask.command, CodeKind.COMMAND, label))
    parts.append(Paragraph(say("card.ask.hint", report.language)))
    return (Section(say("card.ask", report.language), tuple(parts)),)


def _rest(report: Report) -> tuple[Section, ...]:
    language = report.language
    diagnosed = report.status is Status.DIAGNOSED
    others = report.diagnoses[1:] if diagnosed else report.diagnoses
    sections = (
        _listing("card.also", language, [_rival(other, language) for other in others]),
        _listing("card.ruled-out", language, [f"`{item.rule}`: {item.why}" for item in report.ruled_out]),
        _listing("card.notes", language, _notes(report)),
        _references(report),
    )
    return tuple(section for section in sections if section is not None)


def _rival(diagnosis: Diagnosis, language: str) -> str:
    confidence = say(f"card.confidence.{diagnosis.confidence}", language)
    return f"{diagnosis.title} ({confidence}): {diagnosis.cause}"


def _notes(report: Report) -> list[str]:
    notes = [note.text for note in report.notes]
    if report.redacted:
        key = "card.redacted.one" if report.redacted == 1 else "card.redacted.many"
        notes.append(say(key, report.language, count=report.redacted))
    return notes


def _listing(heading: str, language: str, items: list[str]) -> Section | None:
    if not items:
        return None
    bullets = Bullets(tuple(with_code(defang(item)) for item in items))
    return Section(say(heading, language), (bullets,), detail=True)


def _references(report: Report) -> Section | None:
    if report.status is not Status.DIAGNOSED:
        return None
    rule = report.diagnoses[0].rule
    page = Link(say("card.rule-page", report.language, rule=rule), f"/rules/{rule}")
    urls = [url for url in report.diagnoses[0].references if url.startswith(("https://", "http://"))]
    links = (page, *(Link(_shown(url), url) for url in urls))
    return Section(say("card.references", report.language), (Links(links),), detail=True)


def _shown(url: str) -> str:
    return defang(url.partition("://")[2].removesuffix("/"))


def _buttons(report: Report, reply_id: str, acts: tuple[str, ...]) -> tuple[Button, ...]:
    if report.status is Status.NOT_AN_INCIDENT:
        return ()
    # what most people will press is loud, and nothing else
    styles = dict.fromkeys(acts[:1], ButtonStyle.PRIMARY)
    offered = (
        Button(act, reply_id, say(f"card.button.{act}", report.language), styles.get(act, ButtonStyle.QUIET))
        for act in acts
    )
    label = say("card.button.wrong", report.language)
    confirm = say("card.button.wrong.confirm", report.language)
    return (*offered, Button(WRONG_ANSWER, reply_id, label, confirm=confirm))
