"""Finds what vLLM says about a flag that it wants to drop. Not for flags that are gone already."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.releases.extractor.surface.keywords import Keywords

#: a sentence that says so of the thing itself; "allow deprecated methods" does not
SAYS_SO = re.compile(
    r"\[deprecated\]|^deprecated\b|\b(?:is|are|been|was) (?:now )?deprecated|\bdeprecated(?:,|;|\.| and)"
    r"|\bdeprecated (?:since|in|alias|flag|argument|option)",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(r"(?<=[.!])\s+(?=[A-Z`\-])")


def deprecation_of(name: str, words: Keywords) -> str | None:
    """Return the sentence of the help that deprecates a flag, or what the parser prints; None: neither does."""
    said = deprecating_sentence(words.help)
    if said is None and words.deprecated:
        return f"argument '{name.removeprefix('--').replace('-', '_')}' is deprecated"
    return said


def deprecating_sentence(text: str) -> str | None:
    """Return up to three sentences from the one that deprecates, on one line; None when none does."""
    for paragraph in text.split("\n\n"):
        flat = " ".join(paragraph.split())
        sentences = SENTENCE_END.split(flat)
        for number, sentence in enumerate(sentences):
            if SAYS_SO.search(sentence):
                return " ".join(sentences[number : number + 3])
    return None
