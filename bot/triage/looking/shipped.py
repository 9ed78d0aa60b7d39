"""The engine of `rules` as triage asks for it. Not for what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.engine.paste.keeping import kept_text
from rules.engine.start import start_engine

if TYPE_CHECKING:
    from pathlib import Path

    from rules.engine.diagnose import Engine
    from rules.engine.paste.facts import Given
    from rules.engine.report import Report

_WARM_UP = "RuntimeError: Engine core initialization failed. See root cause above."


class ShippedEngine:
    """Rules, release facts and masking as they are shipped; meets `bot.triage.looking.engine.Engine`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def diagnose_text(self, text: str, given: Given, language: str | None) -> Report:
        """Return the report on a paste; no language means the one the paste is written in."""
        return self._engine.diagnose(text, given, language or "auto")

    def diagnose_file(self, path: Path, given: Given, language: str | None) -> Report:
        """Return the report on a log of any size."""
        with path.open("rb") as stream:
            return self._engine.diagnose_stream(stream, given, language or "auto")

    def mask(self, text: str) -> tuple[str, int]:
        """Return the text with its secrets masked, and how many there were."""
        return kept_text(text)


def shipped_engine() -> ShippedEngine:
    """Return an engine that has answered once, so that the first question does not pay for its start."""
    engine = start_engine()
    engine.diagnose(_WARM_UP)
    return ShippedEngine(engine)
