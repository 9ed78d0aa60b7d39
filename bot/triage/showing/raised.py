"""Says where in vLLM's source a failure arose, one sentence per place. Not for what failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.locale import say

if TYPE_CHECKING:
    from rules.engine.report import Report


def raised_sentences(report: Report) -> list[str]:
    """Return the sentences in the language of the report."""
    return [
        say("card.raised.facts", report.language, release=place.release, file=place.file, line=place.line)
        if place.release is not None
        else say(
            "card.raised.frame",
            report.language,
            file=place.file,
            line=place.line,
            function=place.function or "",
        )
        for place in report.raised_at
    ]
