"""Finds what vLLM says about a flag that it wants to drop. Not for flags that are gone already."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.releases.extractor.surface.keywords import Keywords

#: the text says so first of all
MARKED = re.compile(r"^\W*deprecated\b|\[deprecated\]|\(deprecated\.", re.IGNORECASE)
#: who is deprecated: the thing itself, not one of its values or another thing
ITSELF = (
    r"(?:\bthis(?: \w+)?|(?:^\W*|--|`|\bthe ){name}\b\W?)(?: \([^)]*\))?"
    r" (?:is|are|was|has been|will be)(?: now)? deprecated"
)
SENTENCE_END = re.compile(r"(?<=[.!])\s+(?=[A-Z`\-])")


def deprecation_of(name: str, words: Keywords) -> str | None:
    """Return what the help says of a deprecated flag, else what the parser prints; None: not deprecated."""
    said = deprecating_sentences(name, words.help)
    if said is None and words.deprecated:
        return f"argument '{_plain(name)}' is deprecated"
    return said


def deprecating_sentences(name: str, text: str) -> str | None:
    """Return up to three sentences from the one that deprecates `name`, on one line; None when none does."""
    subject = re.escape(_plain(name)).replace("_", "[-_]")
    itself = re.compile(ITSELF.format(name=subject), re.IGNORECASE)
    for paragraph in text.split("\n\n"):
        sentences = SENTENCE_END.split(" ".join(paragraph.split()))
        for number, sentence in enumerate(sentences):
            if MARKED.search(sentence) or itself.search(sentence):
                return " ".join(sentences[number : number + 3])
    return None


def _plain(name: str) -> str:
    """Return the last part of an option in the spelling of a Python name."""
    return name.rpartition(".")[2].removeprefix("--").replace("-", "_")
