"""What a server itself says in the log of one start, apart from what it quotes of its clients. Pure.

Not for what it must say. A log may quote anything that a client sent, in a request's record or address, so a line
proves something only where the server's own logger wrote it, and before it took its first request.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from rules.engine.paste.prefixes.reader import PrefixReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: what ends a line of a log; other characters that look like an end stand within quoted text
_ENDS: Final = re.compile(r"[\r\n]+")
_READY: Final = "Application startup complete"
#: file and first words of records about requests
_REQUEST_FILE: Final = "logger.py:"
_ABOUT_REQUESTS: Final = ("Received request ", "Request ", "Generated response ", "Added request ")
#: of what an API server logs of each request: `10.0.0.7:51312 - "GET /v1/models HTTP/1.1" 200 OK`
_VISIT: Final = re.compile(r'\S{1,64} - "')


@dataclass(frozen=True, slots=True)
class Line:
    """One line."""

    #: as it stands in the log
    whole: str
    #: without what loggers and containers put before it
    text: str
    #: only vLLM's own logger writes such a line
    is_record: bool
    #: it is about a request and may quote it
    is_of_request: bool

    def states(self, text: str) -> bool:
        """Tell whether a logger wrote a message that begins so, be it behind a bar that had no end yet."""
        return self.text.startswith(text) or _is_behind_a_bar(self.whole, text)


@dataclass(frozen=True)
class StartLog:
    """The log of one start."""

    log: str

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Return its lines."""
        return tuple(_read(self.log))

    def stated(self, texts: Iterable[str]) -> str | None:
        """Return the first line by which the server states one of some texts before it serves; None: it does not."""
        before = self._before_serving
        has_records = any(line.is_record for line in self.lines)
        for text in texts:
            for line in before:
                # a logger of the owner's own has a form that nobody here knows
                if line.states(text) or (not has_records and text in line.whole):
                    return line.whole
        return None

    def held(self, texts: Iterable[str]) -> str | None:
        """Return the first line that holds one of some texts and does not quote a request."""
        wanted = tuple(texts)
        return next((line for line in self.own if any(text in line for text in wanted)), None)

    @cached_property
    def own(self) -> tuple[str, ...]:
        """Return the lines that do not quote a request."""
        return tuple(line.whole for line in self.lines if not line.is_of_request)

    @cached_property
    def _before_serving(self) -> tuple[Line, ...]:
        lines = self.lines
        places = (place for place, line in enumerate(lines) if line.is_of_request or _READY in line.text)
        return lines[: next(places, len(lines))]


def _read(log: str) -> Iterator[Line]:
    reader = PrefixReader()
    for line in _ENDS.split(log):
        found = reader.read(line)
        is_quoting = (found.origin or "").startswith(_REQUEST_FILE) or found.text.startswith(_ABOUT_REQUESTS)
        is_visit = _VISIT.match(found.text) is not None
        yield Line(line, found.text, found.vllm_record, is_quoting or is_visit)


def _is_behind_a_bar(line: str, text: str) -> bool:
    """Tell whether a record with that message stands behind something else, as `… 1.2it/s]INFO … [cuda.py:4] text`."""
    head, found, _ = line.partition(f"] {text}")
    name, colon, number = head.rpartition("[")[2].rpartition(" ")[2].rpartition(":")
    return bool(found and colon) and name.endswith(".py") and number.isdigit()
