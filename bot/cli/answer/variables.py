"""Reading a file of `NAME=value` lines, as compose and systemd take it. Not for what the variables mean."""

from __future__ import annotations

from pathlib import Path

from bot.cli.answer.inputs import shown, unreadable
from bot.cli.exits import CommandError, ExitCode
from rules.engine.launch_files.env_file import read_env_text

_REPLACED = "\N{REPLACEMENT CHARACTER}"
#: a comment in another encoding has some; a file of another kind has more
_MOST_REPLACED = 40


def read_variables(name: str) -> tuple[dict[str, str], list[int]]:
    """Return the variables of a file, and the numbers of the lines that are none.

    Values are taken as they stand: `$NAME` is not replaced. Raises `CommandError` when it cannot be read.
    """
    try:
        text = Path(name).read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise unreadable(name, error, is_log=False) from error
    except ValueError as error:
        # a name that no file system takes
        raise unreadable(name, FileNotFoundError(), is_log=False) from error
    if "\0" in text or text.count(_REPLACED) > _MOST_REPLACED:
        problem, advice = f"{shown(name)}: this is not text", "name a file of NAME=value lines"
        raise CommandError(problem, advice, ExitCode.UNUSABLE_INPUT)
    return read_env_text(text)
