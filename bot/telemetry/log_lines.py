"""Where log lines go; one that cannot be written is dropped, and never stops who logs. Not for what they say."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO


class LogLines:
    """A stream that forgets what a full disk or a closed pipe does not take."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write what can be written."""
        with suppress(OSError, ValueError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Have it written now, if it can be."""
        with suppress(OSError, ValueError):
            self._stream.flush()
