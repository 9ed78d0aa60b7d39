"""Opening what is to be followed, each as what it is. Not for following it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from bot.cli.answer.inputs import shown, unreadable
from bot.cli.answer.request import STDIN
from bot.cli.exits import CommandError, ExitCode
from bot.cli.terminal import complain
from bot.watching.following import Follower
from bot.watching.streaming import Stream, is_stream

if TYPE_CHECKING:
    from bot.watching.following import Mark, Remark
    from bot.watching.source import Source


def open_source(name: str, *, from_start: bool, mark: Mark | None = None) -> Source:
    """Open a log. Raises `CommandError` when it cannot be read; one that is not there yet is waited for."""
    if name == STDIN:
        return _stdin()
    try:
        if is_stream(name):
            return Stream.of_pipe(name)
        follower = Follower(name, lambda remark: _tell(name, remark))
        follower.open(from_start=from_start, mark=mark)
    except OSError as error:
        raise unreadable(name, error) from error
    except ValueError as error:
        # a name that no file system takes
        raise unreadable(name, FileNotFoundError()) from error
    return follower


def _stdin() -> Stream:
    if sys.stdin is None:
        raise CommandError("standard input is closed", "name a file or pipe one in", ExitCode.UNUSABLE_INPUT)
    number = sys.stdin.fileno()
    if os.isatty(number):
        complain("paste the log; Ctrl-D on a line of its own ends it")
    return Stream(number)


def _tell(name: str, remark: Remark) -> None:
    complain(f"{spoken(name)} {remark.value}")


def spoken(name: str) -> str:
    """Return a log's name for a sentence; nothing in it steers a terminal."""
    if name == STDIN:
        return "standard input"
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in shown(name))
