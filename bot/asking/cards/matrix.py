"""A matrix of backends as a card: verdicts first, the rest as detail. Pure; not for making it fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.chat.interface import Bullets, Card, Field, Fields, Part, Section, Tone
from bot.backends.grouping import alike, telling_and_refused
from bot.backends.reasons import reasons_of
from bot.backends.words import (
    between,
    default_words,
    machine_names,
    remark_words,
    row_words,
    settings_words,
    sources_of,
    text_heading,
    title_of,
    verdict_word,
    vision_heading,
)
from bot.locale import say
from bot.triage.showing.defang import defang
from rules.engine.backend_matrix.rows import SHOWN_FIRST, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.backends.grouping import SideGroup
    from rules.engine.backend_matrix.rows import Matrix, Row, Setting

#: stands for the backend in how one is chosen
_NAME = "NAME"


def matrix_card(matrix: Matrix, language: str) -> Card:
    """Return the card for a matrix."""
    text = alike(matrix.columns, vision=False)
    vision = alike(matrix.columns, vision=True)
    sections = [
        *_side(text_heading(matrix, language), text, matrix.text_settings, language),
        *(
            _side(vision_heading(matrix, language), vision, matrix.vision_settings, language)
            if vision
            else ()
        ),
    ]
    notes = tuple(defang(line) for line in remark_words(matrix, language))
    if notes:
        sections.append(Section(say("backends.notes", language), (Bullets(notes),)))
    shown = [section for section in sections if not section.detail]
    details = [section for section in sections if section.detail]
    title = defang(title_of(matrix, language))
    return Card(
        title=title,
        summary=_summary(title, text, vision, language),
        tone=Tone.NEUTRAL,
        sections=(*_facts(matrix, language), *shown, *details),
        language=language,
    )


def _summary(title: str, text: list[SideGroup], vision: list[SideGroup], language: str) -> str:
    parts = [say("backends.text", language), say("backends.vision", language)]
    said = [
        f"{name}: {default_words(groups[0].side, language)}."
        for name, groups in zip(parts, (text, vision), strict=True)
        if len(groups) == 1
    ]
    return " ".join((f"{title}.", *said))


def _facts(matrix: Matrix, language: str) -> tuple[Section, ...]:
    if matrix.asked_model is None:
        return ()
    field = Field(say("card.facts.model", language), defang(matrix.asked_model))
    return (Section("", (Fields((field,)),)),)


def _side(
    heading: str, groups: list[SideGroup], settings: Sequence[Setting], language: str
) -> Iterator[Section]:
    parts: list[Part] = []
    if len(groups) == 1:
        own, refused = telling_and_refused(groups[0].side.rows)
        parts.append(Bullets(tuple(_row(row, language) for row in own)))
        aside = default_words(groups[0].side, language)
        others = [
            f"{_names(group.rows)}: {row_words(group.rows[0], language)}{_place(group.sources)}"
            for group in refused
        ]
    else:
        parts.append(Bullets(tuple(_machines(group, language) for group in groups)))
        aside, others = "", list(reasons_of(groups, language))
    if settings:
        choosing = say("asking.choose", language, ways=settings_words(settings, _NAME, language, "`"))
        parts.append(Bullets((choosing,)))
    yield Section(heading, tuple(parts), aside=aside)
    if others:
        named = say("asking.others", language, part=heading)
        yield Section(named, (Bullets(tuple(defang(line) for line in others)),), detail=True)


def _row(row: Row, language: str) -> str:
    words = [verdict_word(row, language)]
    words += [say("backends.default", language)] if row.is_default else []
    words += [text] if (text := row_words(row, language)) else []
    place = _place(sources_of(row)) if row.verdict is not Verdict.WORKS else ""
    return f"`{row.backend}`: {defang(between(language).join(words))}{place}"


def _machines(group: SideGroup, language: str) -> str:
    """Return what holds on some machines in one line: those that work, with the default first."""
    found = []
    for verdict in SHOWN_FIRST[:2]:
        names = [row for row in group.side.rows if row.verdict is verdict]
        if names:
            found.append(f"{say(_WORDS[verdict], language)} {_names(names)}")
    found.append(default_words(group.side, language))
    return f"{machine_names(group.columns)}: {between(language).join(found)}"


_WORDS = {Verdict.WORKS: "backends.yes", Verdict.OPEN: "backends.open"}


def _names(rows: Sequence[Row]) -> str:
    return ", ".join(f"`{row.backend}`" for row in rows)


def _place(source: str) -> str:
    return f" (`{source}`)" if source and "," not in source else ""
