"""What every command writes to the terminal: complaints on stderr, JSON on stdout. Not for pages."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from bot.cli.exits import ReaderGoneError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PROGRAM = "vllm-diagnose"


def complain(sentence: str) -> None:
    """Print one sentence on stderr, whatever line breaks it holds."""
    tell(" ".join(sentence.split()))


def tell(line: str) -> None:
    """Print progress or a remark on stderr, so that stdout holds the answer alone."""
    if sys.stderr is not None:
        print(f"{PROGRAM}: {line}", file=sys.stderr, flush=True)  # noqa: T201 (this is the terminal)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 rule`, `2 rules`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def write_line(text: str) -> None:
    """Print a line of the answer on stdout. Raises `ReaderGoneError` when nobody reads it."""
    if sys.stdout is not None:
        try:
            sys.stdout.write(text + "\n")
        except BrokenPipeError as error:
            # the option framework would take it for a plain failure
            raise ReaderGoneError from error


def write_json(value: Mapping[str, object] | Sequence[object]) -> None:
    """Print a value as one line of JSON; what stdout's encoding cannot hold is escaped."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "")
    write_line(json.dumps(value, ensure_ascii=encoding != "utf8"))
