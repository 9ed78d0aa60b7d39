"""Exit codes and the error that a command ends with. Not for printing either."""

from __future__ import annotations

from difflib import get_close_matches
from enum import IntEnum
from typing import TYPE_CHECKING

from rules.engine.report import Status

if TYPE_CHECKING:
    from collections.abc import Iterable


class ExitCode(IntEnum):
    """What the program's exit tells a script."""

    SOUND = 0
    FAULTS = 1
    NEED_MORE = 2
    UNKNOWN_FAILURE = 3
    WRONG_USAGE = 64
    UNUSABLE_INPUT = 65
    UNREACHABLE = 69
    CANNOT_WRITE = 74
    NOT_ALLOWED = 77
    INTERRUPTED = 130
    BROKEN_PIPE = 141


#: one line each for the reference
MEANINGS: dict[ExitCode, str] = {
    ExitCode.SOUND: "`diagnose`: diagnosed. Everywhere else: done, nothing wrong.",
    ExitCode.FAULTS: "`diagnose`: nothing to diagnose. `check`, `rules lint`, `rules test`: faults were found.",
    ExitCode.NEED_MORE: "`diagnose`: the paste is vLLM's, but the deciding part is missing.",
    ExitCode.UNKNOWN_FAILURE: "`diagnose`: a real failure that no rule knows.",
    ExitCode.WRONG_USAGE: "Wrong usage: an unknown command, option or value.",
    ExitCode.UNUSABLE_INPUT: "An input cannot be used: missing, a folder, unreadable, of another kind.",
    ExitCode.UNREACHABLE: "Something the command needs cannot be reached.",
    ExitCode.CANNOT_WRITE: "The answer could not be written out.",
    ExitCode.NOT_ALLOWED: "Not allowed: the file system or the policy says no.",
    ExitCode.INTERRUPTED: "Interrupted from the keyboard.",
    ExitCode.BROKEN_PIPE: "The reader of the output went away.",
}

_VERDICTS: dict[Status, ExitCode] = {
    Status.DIAGNOSED: ExitCode.SOUND,
    Status.NOT_AN_INCIDENT: ExitCode.FAULTS,
    Status.NEED_MORE: ExitCode.NEED_MORE,
    Status.UNKNOWN: ExitCode.UNKNOWN_FAILURE,
}

#: with several inputs the first of these that applies
_PRECEDENCE = (ExitCode.UNKNOWN_FAILURE, ExitCode.NEED_MORE, ExitCode.SOUND, ExitCode.FAULTS)


class CommandError(Exception):
    """A command cannot do what was asked; the sentence is for the person who typed it.

    `advice` says what to do; it is empty where the problem already does.
    """

    def __init__(self, problem: str, advice: str, code: ExitCode) -> None:
        super().__init__(f"{problem}; {advice}" if advice else problem)
        self.problem = problem
        self.advice = advice
        self.code = code


class ReaderGoneError(Exception):
    """Whoever read the output went away; there is nobody to tell it to."""


def verdict_code(statuses: Iterable[Status]) -> ExitCode:
    """Return the exit code of `diagnose` for the verdicts of all its inputs."""
    codes = {_VERDICTS[status] for status in statuses}
    return next((code for code in _PRECEDENCE if code in codes), ExitCode.FAULTS)


def unknown_name(kind: str, name: str, known: Iterable[str], where: str) -> CommandError:
    """Return the error for a name that does not exist, with the nearest ones that do."""
    near = get_close_matches(name, list(known), n=3, cutoff=0.6)
    verb = "is" if len(near) == 1 else "are"
    advice = f"the nearest {verb} {', '.join(near)}" if near else f"`{where}` shows all"
    return CommandError(f"there is no {kind} called {name!r}", advice, ExitCode.WRONG_USAGE)
