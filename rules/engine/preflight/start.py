"""Starts what a preflight answers from: the shipped catalogue and release facts. Not for examining."""

from __future__ import annotations

from rules.engine.preflight.answering import Answers
from rules.engine.start import Options, compiled_of


def start_preflight(options: Options | None = None) -> Answers:
    """Return the answers for the calling thread; without options all that is shipped, and the user's cache.

    Raises `CatalogueError` for faults in the rules.
    """
    compiled, releases = compiled_of(options)
    return Answers(compiled, releases)
