"""Opening what a person named on the command line: logs, standard input. Not for reading facts."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from bot.cli.exits import CommandError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator

STDIN = "-"


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Open a log, or standard input for `-`. Raises `CommandError` when it cannot be read."""
    if name == STDIN:
        yield _stdin()
        return
    try:
        with Path(name).open("rb") as stream:
            yield stream
    except OSError as error:
        raise unreadable(name, error) from error


def shown(name: str) -> str:
    """Return a file's name as text that can be printed, whatever bytes it is made of."""
    return os.fsencode(name).decode("utf-8", "replace")


def _stdin() -> BinaryIO:
    if sys.stdin is None:
        raise CommandError("standard input is closed", "name a file or pipe one in", ExitCode.UNUSABLE_INPUT)
    if sys.stdin.isatty():
        print("Paste the log, then press Ctrl-D on a line of its own.", file=sys.stderr)  # noqa: T201
    return sys.stdin.buffer


def unreadable(name: str, error: OSError) -> CommandError:
    """Return the error for a file that cannot be read, saying what to do about it."""
    if isinstance(error, FileNotFoundError):
        problem, advice = "there is no such file", "check the name, or use `-` to read standard input"
    elif isinstance(error, IsADirectoryError):
        problem, advice = "this is a folder", "name the log files in it"
    elif isinstance(error, PermissionError):
        problem, advice = "you may not read this file", "read it with more rights and pipe it in"
    else:
        problem, advice = (error.strerror or str(error)).lower(), "copy the log to a local file and name that"
    return CommandError(f"{shown(name)}: {problem}", advice, ExitCode.UNUSABLE_INPUT)
