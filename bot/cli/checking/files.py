"""Opens the files that `check` is given, and says what of them is broken. Not for the launches in them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from bot.cli.answer.inputs import unreadable
from rules.engine.launch_files import Remark, RemarkKind
from rules.engine.launch_files.kinds import FileKind, file_kind

if TYPE_CHECKING:
    from collections.abc import Iterable

STDIN: Final = "-"
#: the name of what is read from standard input: a script
STDIN_NAME: Final = "launch.sh"
#: no file that a person writes is larger; the reader of launches has its own limits below this
_LARGEST: Final = 1 << 22
_TEMPLATE: Final = "{{"
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def is_file(word: str) -> bool:
    """Tell whether there is a file of that name."""
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        return False


def names_file(word: str) -> bool:
    """Tell whether a word is the name of a file, one that is there or one that should be."""
    return is_file(word) or (not word.startswith("-") and file_kind(word, "") is not FileKind.UNKNOWN)


def text_of(name: str) -> str:
    """Return a file's text, or that of standard input. Raises `CommandError` when it cannot be read."""
    if name == STDIN and sys.stdin is not None:
        return sys.stdin.read(_LARGEST)
    try:
        with Path(name).open(encoding="utf-8-sig", errors="replace") as file:
            return file.read(_LARGEST)
    except OSError as error:
        raise unreadable(name, error, is_log=False) from error
    except ValueError as error:
        raise unreadable(name, FileNotFoundError(), is_log=False) from error


def texts_beside(name: str, remarks: Iterable[Remark]) -> dict[str, str]:
    """Return the texts of the files of variables that a file names and that lie beside it."""
    folder = Path() if name == STDIN else Path(name).parent
    return {
        remark.subject: text_of(str(folder / remark.subject))
        for remark in remarks
        if remark.kind is RemarkKind.ENV_FILE_UNREAD and is_file(str(folder / remark.subject))
    }


def why_nothing(name: str, text: str) -> Remark:
    """Return why a file that was asked for by name launches nothing: it may be broken."""
    if file_kind(name, text) is FileKind.YAML and _TEMPLATE not in text:
        try:
            for _ in yaml.parse(text, Loader=_Loader):
                pass
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = None if mark is None else mark.line + 1
            return Remark(RemarkKind.NOT_YAML, line, error.problem or error.context or "")
        except yaml.YAMLError as error:
            return Remark(RemarkKind.NOT_YAML, None, " ".join(str(error).split()))
    return Remark(RemarkKind.NO_LAUNCH)
