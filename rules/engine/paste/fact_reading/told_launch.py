"""Reads how somebody says that the server was launched. Not for launches in a log: see `launches`."""

from typing import Final

from rules.engine.paste.evidence import EvidenceLine
from rules.engine.paste.fact_reading.launches import LITERALS, Launch, read_launch
from rules.engine.paste.fact_reading.page import Page, any_of
from rules.engine.paste.fact_reading.shell import read_command, read_flags, split_words

_LITERALS: Final = any_of(*LITERALS)


def read_told_launch(text: str) -> Launch | None:
    """Return what a text says of a launch: a command, or only its variables, its flags, its Python code.

    None when it says nothing that can be read.
    """
    command = read_command(text)
    if command is not None:
        return Launch(
            command.model, command.argv, dict(command.env), dict(command.flags), container=command.container
        )
    lines = [EvidenceLine(number, line) for number, line in enumerate(text.splitlines(), 1)]
    launch = read_launch(Page(lines, _LITERALS))
    launch.flags = {**_flags(text), **launch.flags}
    return launch if launch.model or launch.argv or launch.env or launch.flags else None


def _flags(text: str) -> dict[str, str]:
    """Return the flags of a text that names the program otherwise, or not at all."""
    words = split_words(text)
    first = next(
        (place for place, word in enumerate(words) if word.startswith("--") and word[2:3].isalpha()), None
    )
    return {} if first is None else read_flags(words[first:])[0]
