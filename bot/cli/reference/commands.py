"""The page of commands, from the `--help` of each, and the page of exit codes. Not for any command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from typer.core import TyperGroup

from bot.cli.exits import MEANINGS
from bot.cli.terminal import PROGRAM
from bot.cli.tree import app

if TYPE_CHECKING:
    from collections.abc import Iterator

#: columns of the help in the page
WIDTH = 100


def commands_page() -> str:
    """Return the reference of every command, as its `--help` prints it."""
    intro = f"What `{PROGRAM} COMMAND --help` prints; `python -m bot` is the same program."
    parts = ["# Commands", "", intro]
    for path, text in command_helps():
        parts += ["", f"## `{path}`", "", "```text", text.rstrip(), "```"]
    return "\n".join(parts) + "\n"


def exit_codes_page() -> str:
    """Return the table of exit codes."""
    rows = [f"| {int(code)} | {meaning} |" for code, meaning in MEANINGS.items()]
    several = "With several inputs, `diagnose` ends with the first that applies of 3, 2, 0, 1;"
    return "\n".join(
        [
            "# Exit codes",
            "",
            "| code | meaning |",
            "|--|--|",
            *rows,
            "",
            f"{several} with 65 when one of them could not be read.",
            "Errors are one sentence on stderr that says what failed and what to do.",
            "",
        ]
    )


def command_helps() -> Iterator[tuple[str, str]]:
    """Yield every command's full name with its help, groups before their commands."""
    top = typer.main.get_command(app)
    context = typer.Context(top, info_name=PROGRAM, terminal_width=WIDTH, max_content_width=WIDTH)
    yield PROGRAM, top.get_help(context)
    assert isinstance(top, TyperGroup)  # noqa: S101 (it has commands)
    yield from _below(top, context)


def _below(group: TyperGroup, context: typer.Context) -> Iterator[tuple[str, str]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = typer.Context(command, info_name=name, parent=context, terminal_width=WIDTH)
        yield inner.command_path, command.get_help(inner)
        if isinstance(command, TyperGroup):
            yield from _below(command, inner)
