"""Joins what hosts, gates and plans say into sentences. Pure. Not for translating them."""

from __future__ import annotations

from typing import Final

_ENDS: Final = (".", "!", "?", "…", "。", "！", "？")


def sentence(text: str) -> str:
    """Return a clause as a sentence; what ends as one already is left as it is.

    A first word that is more than letters is a name, and stays as it is written.
    """
    text = text.strip().rstrip(";,: ")
    if not text or text.endswith(_ENDS):
        return text
    first = text.partition(" ")[0]
    is_word = first.isascii() and first.isalpha() and first.islower()
    return f"{text[0].upper() if is_word else text[0]}{text[1:]}."


def joined(*parts: str) -> str:
    """Return clauses and sentences one after the other; empty ones are left out."""
    return " ".join(told for told in map(sentence, parts) if told)


def clause(*parts: str) -> str:
    """Return the same without the last full stop, for whoever goes on after it."""
    return joined(*parts).removesuffix(".")
