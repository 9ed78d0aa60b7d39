"""A matrix as a page for a person at a terminal, 80 columns wide. Not for how a line is printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

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
from bot.cli.answer.page import printable
from bot.locale import say
from rules.engine.backend_matrix.rows import Verdict

if TYPE_CHECKING:
    from bot.backends.grouping import SideGroup
    from bot.cli.answer.page import Page
    from rules.engine.backend_matrix.rows import Matrix, Row, Side

_STYLES = {Verdict.WORKS: "green", Verdict.FAILS: "red", Verdict.OPEN: "yellow"}


def print_matrix(matrix: Matrix, page: Page, language: str) -> None:
    """Print the whole matrix."""
    _Answer(matrix, page, language).show()


@dataclass(frozen=True, slots=True)
class _Answer:
    matrix: Matrix
    page: Page
    language: str

    def show(self) -> None:
        """Print the language model's side, the encoder's, how to choose, and the remarks."""
        matrix = self.matrix
        self.page.heading(title_of(matrix, self.language))
        self._side(text_heading(matrix, self.language), alike(matrix.columns, vision=False))
        if matrix.columns[0].vision is not None:
            self._side(vision_heading(matrix, self.language), alike(matrix.columns, vision=True))
        self._choosing()
        self._remarks()

    def _say(self, key: str, **values: object) -> str:
        return say(f"backends.{key}", self.language, **values)

    def _side(self, heading: str, groups: list[SideGroup]) -> None:
        self.page.blank()
        self.page.heading(heading)
        if len(groups) == 1:
            self._one(groups[0].side)
        else:
            self._many(groups)

    def _one(self, side: Side) -> None:
        """Print one machine: a line for each backend that may work, the others by their reasons."""
        own, refused = telling_and_refused(side.rows)
        table = self._table("", self._say("column"), self._say("verdict"), self._say("why"))
        for row in own:
            verdict = Text(verdict_word(row, self.language), style=_STYLES[row.verdict])
            table.add_row(str(row.place or ""), row.backend, verdict, printable(self._why(row)))
        self.page.table(table)
        self._default(side)
        for group in refused:
            first = group.rows[0]
            parts = (verdict_word(first, self.language), row_words(first, self.language))
            words = between(self.language).join(parts)
            reason = f"{words} [{group.sources}]" if group.sources else words
            self.page.bullet(self._say("bullet", names=group.names, reason=reason))

    def _many(self, groups: list[SideGroup]) -> None:
        """Print several machines: a column each, then the reasons."""
        names = [machine_names(group.columns) for group in groups]
        own = [row.backend for group in groups for row in group.side.rows if row.verdict is not Verdict.FAILS]
        table = self._table(self._say("column"), *names)
        for backend in dict.fromkeys(own):
            cells = [
                self._cell(next(row for row in one.side.rows if row.backend == backend)) for one in groups
            ]
            table.add_row(backend, *cells)
        self.page.table(table)
        self.page.prose(self._say("key"), style="dim")
        for name, group in zip(names, groups, strict=True):
            self.page.prose(f"{name}: {default_words(group.side, self.language)}")
        for line in reasons_of(groups, self.language):
            self.page.bullet(line)

    def _cell(self, row: Row) -> Text:
        word = "?" if row.verdict is Verdict.OPEN else verdict_word(row, self.language)
        return Text(word + ("*" if row.is_default else ""), style=_STYLES[row.verdict])

    def _table(self, *headings: str) -> Table:
        table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
        for heading in headings:
            last = heading == headings[-1]
            table.add_column(heading, no_wrap=not last, overflow="fold", header_style="bold")
        return table

    def _why(self, row: Row) -> str:
        words = row_words(row, self.language)
        sources = sources_of(row)
        parts = [self._say("default")] if row.is_default else []
        parts += [words] if words else []
        text = between(self.language).join(parts)
        return f"{text}\n[{sources}]" if sources and words else text

    def _default(self, side: Side) -> None:
        text = default_words(side, self.language)
        if side.source is not None:
            text += f" ({self._say('decided-in', source=side.source)})"
        self.page.prose(text)

    def _choosing(self) -> None:
        matrix = self.matrix
        self.page.blank()
        self.page.heading(self._say("choose"))
        for part, settings in (("text", matrix.text_settings), ("vision", matrix.vision_settings)):
            if settings:
                examples = settings_words(settings, "NAME", self.language)
                self.page.bullet(self._say(f"choose.{part}", examples=examples))

    def _remarks(self) -> None:
        lines = remark_words(self.matrix, self.language)
        if lines:
            self.page.blank()
            self.page.heading(self._say("notes"))
        for line in lines:
            self.page.bullet(line)
