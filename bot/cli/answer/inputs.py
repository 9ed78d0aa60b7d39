"""Opening what a person named on the command line: logs, standard input. Not for reading facts."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from bot.cli.answer.request import STDIN
from bot.cli.answer.sniffing import Input
from bot.cli.exits import CommandError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def opened(name: str) -> Iterator[Input]:
    """Open a log, or standard input for `-`. Raises `CommandError` when it is no text or cannot be read."""
    try:
        with _stdin() if name == STDIN else _file(name) as stream:
            log = Input(stream)
            if log.fault is not None:
                problem, advice = log.fault
                place = "standard input" if name == STDIN else shown(name)
                raise CommandError(f"{place}: {problem}", advice, ExitCode.UNUSABLE_INPUT)
            yield log
    except OSError as error:
        raise unreadable(name, error) from error


def _file(name: str) -> BinaryIO:
    try:
        return Path(name).open("rb")
    except ValueError as error:
        # a name that no file system takes
        raise unreadable(name, FileNotFoundError()) from error


def shown(name: str) -> str:
    """Return a file's name as text that can be printed, whatever it is made of."""
    return name.encode("utf-8", "replace").decode()


def _stdin() -> AbstractContextManager[BinaryIO]:
    if sys.stdin is None:
        raise CommandError("standard input is closed", "name a file or pipe one in", ExitCode.UNUSABLE_INPUT)
    if sys.stdin.isatty():
        print("Paste the log, then press Ctrl-D on a line of its own.", file=sys.stderr)  # noqa: T201
    return nullcontext(sys.stdin.buffer)


def unreadable(name: str, error: OSError, *, is_log: bool = True) -> CommandError:
    """Return the error for a file that cannot be read, saying what to do about it."""
    if isinstance(error, FileNotFoundError):
        problem, advice = "there is no such file", "check the name"
        advice += ", or use `-` to read standard input" if is_log else ""
    elif isinstance(error, IsADirectoryError):
        problem, advice = "this is a folder", "name the log files in it" if is_log else "name a file in it"
    elif isinstance(error, PermissionError):
        problem = "you may not read this file"
        advice = "read it with more rights and pipe it in" if is_log else "name a copy that you may read"
    else:
        problem, advice = (error.strerror or str(error)).lower(), "copy it to a local file and name that"
    return CommandError(f"{shown(name)}: {problem}", advice, ExitCode.UNUSABLE_INPUT)
