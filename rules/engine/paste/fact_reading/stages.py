"""Tells whether a server had come up when it failed, by who printed the failure. Not for what failed."""

from collections.abc import Sequence
from typing import Final

from rules.engine.paste.evidence import EvidenceLine
from rules.engine.paste.fact_reading.page import Page
from rules.engine.paste.failure_texts import HARD_LEVELS

#: it answered requests
SERVING: Final = "serving"
#: frames of the loops that only run once the engine is up
LITERALS: Final = (
    ", in _process_engine_step",
    ", in run_engine_loop",
    ", in engine_step",
    ", in step_async",
    ", in chat_completion_stream_generator",
)
#: files whose records are about requests
_OF_REQUESTS: Final = "serving"


def read_stage(page: Page) -> str | None:
    """Return `serving`, or None where nothing shows that the server had come up."""
    if _told_by_record(page.lines) or any(page.holds(literal) for literal in LITERALS):
        return SERVING
    return None


def _told_by_record(lines: Sequence[EvidenceLine]) -> bool:
    return any(
        line.origin is not None
        and line.level in HARD_LEVELS
        and line.origin.rsplit("/", 1)[-1].startswith(_OF_REQUESTS)
        for line in lines
    )
