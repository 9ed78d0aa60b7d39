"""Printing on a terminal: headings, prose that wraps, commands that never do. Not for what is said."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING, NoReturn

from rich.console import Console
from rich.text import Text

from bot.cli.answer.wrapping import wrapped
from bot.cli.exits import ReaderGoneError

if TYPE_CHECKING:
    from rich.table import Table

#: lines of prose longer than this are hard to read
WIDEST = 100

#: control characters and marks that turn the direction of text: a paste must not steer the terminal
_UNPRINTABLE = {
    code: "\N{REPLACEMENT CHARACTER}"
    for code in (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    if chr(code) not in "\n\t"
}


class _Terminal(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Leave it to the program how it ends."""
        raise ReaderGoneError


class Page:
    """What is printed for one answer."""

    def __init__(self, file: IO[str]) -> None:
        self._console = _Terminal(
            file=file,
            color_system=None if os.environ.get("NO_COLOR") else "auto",
            highlight=False,
            markup=False,
            emoji=False,
        )
        self._width = min(self._console.width, WIDEST)

    def blank(self) -> None:
        """Print an empty line."""
        self._console.print()

    def heading(self, text: str, *, style: str = "bold") -> None:
        """Print a line at the margin."""
        self.prose(text, indent=0, style=style)

    def prose(self, text: str, *, indent: int = 2, style: str = "") -> None:
        """Print sentences, wrapped to the width and indented."""
        for line in wrapped(printable(text), self._width - indent):
            self._line(" " * indent + line, style)

    def bullet(self, text: str) -> None:
        """Print an entry of a list, its later lines below its first."""
        for number, line in enumerate(wrapped(printable(text), self._width - 4)):
            self._line(f"{'    ' if number else '  - '}{line}")

    def command(self, text: str) -> None:
        """Print a command so that it can be copied: as it is, on its own lines, never wrapped.

        One line is indented; several are not, for what ends a here-document must stand at the margin.
        """
        margin = "" if "\n" in text else "    "
        self._line(margin + printable(text), "cyan")

    def table(self, table: Table) -> None:
        """Print a table, no wider than prose; whoever fills it makes its text printable."""
        self._console.print(table, width=self._width)

    def _line(self, text: str, style: str = "") -> None:
        line = Text(text, style=style)
        self._console.print(line, soft_wrap=True, no_wrap=True, overflow="ignore", crop=False)


def printable(text: str) -> str:
    """Return the text with everything that would steer a terminal replaced by a visible mark."""
    return text.translate(_UNPRINTABLE)
