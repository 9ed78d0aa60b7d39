"""Breaks prose into lines that fit a terminal, Chinese ones too. Not for commands: those are never broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len, get_character_cell_size

if TYPE_CHECKING:
    from collections.abc import Iterator

#: no line begins with one of these
_CLOSING = frozenset("、。，：；！？）」』】》”’")


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a text, each at most `width` columns wide; newlines in it stay line ends.

    Words are kept whole where they fit. Wide characters may part anywhere, but not before closing
    punctuation, which may then stand beyond the width.
    """
    return [line for paragraph in text.split("\n") for line in _lines(paragraph.expandtabs(4), max(width, 2))]


def _lines(paragraph: str, width: int) -> Iterator[str]:
    line, used = "", 0
    for piece in _pieces(paragraph, width):
        size = cell_len(piece)
        if line and used + size > width and piece not in _CLOSING:
            yield line.rstrip(" ")
            line, used = "", 0
            if piece == " ":
                continue
        line, used = line + piece, used + size
    yield line.rstrip(" ")


def _pieces(paragraph: str, width: int) -> Iterator[str]:
    """Yield what is never broken: blanks, wide characters, and words, a word longer than a line in parts."""
    word, used = "", 0
    for character in paragraph:
        size = get_character_cell_size(character)
        if character == " " or size > 1:
            if word:
                yield word
            yield character
            word, used = "", 0
            continue
        if used + size > width:
            yield word
            word, used = "", 0
        word, used = word + character, used + size
    if word:
        yield word
