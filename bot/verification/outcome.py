"""What comes of one check. Not for the checks."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """What came of one check."""

    PASSED = "passed"
    FAILED = "failed"
    #: what would prove it is missing; not a pass
    UNPROVEN = "unproven"


#: with the evidence for it
Judged = tuple[Outcome, str]
