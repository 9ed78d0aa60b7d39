"""What triage asks of whatever diagnoses. Not the diagnosis itself: `bootstrap` plugs that in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from bot.triage.looking.outcome import Outcome, Question
    from rules.engine.paste.facts import Given
    from rules.engine.report import Report


class Engine(Protocol):
    """Diagnosis and masking, synchronous; lives in a worker process."""

    def diagnose_text(self, text: str, given: Given, language: str | None) -> Report:
        """Return the report on a paste; no language means the one the paste is written in."""

    def diagnose_file(self, path: Path, given: Given, language: str | None) -> Report:
        """Return the report on a log of any size."""

    def mask(self, text: str) -> tuple[str, int]:
        """Return the text with its secrets masked, and how many there were."""


class Looker(Protocol):
    """Whoever answers questions, away from the event loop."""

    async def look(self, question: Question) -> Outcome:
        """Return what came of a question. Raises `LookingTooLongError`, `WorkerLostError`."""


#: makes the engine of a worker process; a function at the top of a module, so that it can be sent there
MakeEngine = Callable[[], Engine]
