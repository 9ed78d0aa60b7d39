"""Why the helper does not do what it was asked. Not for faults of a server."""

from __future__ import annotations

BAD_REQUEST = "bad-request"
NOT_ALLOWED = "not-allowed"
FENCED = "fenced"
BUSY = "busy"
CHANGED = "changed"
UNABLE = "unable"


class Refusal(Exception):  # noqa: N818 - the wire's own word
    """The helper will not, and did nothing; says which kind, what is wrong and what to do."""

    def __init__(self, code: str, what: str, next_step: str = "") -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.next_step = next_step
