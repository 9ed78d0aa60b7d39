"""Why backends do not work on some of several machines: each reason once, with whom it concerns. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.backends.words import machine_names, reason_words
from bot.locale import say
from rules.engine.backend_matrix.rows import Verdict, Why

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.backends.grouping import SideGroup
    from rules.engine.backend_matrix.rows import Reason, Row

#: between two clauses of one reason, in any language
_CLAUSES = (";", "；")


def reasons_of(groups: list[SideGroup], language: str) -> Iterator[str]:
    """Yield one line a reason: the backends, the machines where it does not concern all of them, the words."""
    names = [machine_names(group.columns) for group in groups]
    found: dict[str, dict[str, list[str]]] = {}
    for name, group in zip(names, groups, strict=True):
        for row in group.side.rows:
            for reason in row.reasons if row.verdict is not Verdict.WORKS else ():
                words = _words(row, reason, language)
                found.setdefault(words, {}).setdefault(row.backend, []).append(name)
    for words, backends in found.items():
        told = [
            backend if len(places) == len(names) else f"{backend} ({', '.join(places)})"
            for backend, places in backends.items()
        ]
        yield say("backends.bullet", language, reason=words, names=", ".join(told))


def _words(row: Row, reason: Reason, language: str) -> str:
    """Return a reason without the part that is about one machine alone."""
    words = reason_words(row.verdict, reason, language)
    if reason.why is Why.CAPABILITY:
        for mark in _CLAUSES:
            words = words.partition(mark)[0]
    return words
