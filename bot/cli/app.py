"""The program `vllm-diagnose`: finds the command, turns what goes wrong into one sentence and an exit code.

Not for what any command does: each has its own module.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer
from typer.core import TyperCommand, TyperGroup

from bot.cli.exits import CommandError, ExitCode, unknown_name
from bot.cli.terminal import PROGRAM, complain

_FILE_ADVICE = "check its rights and the space on the disk"

#: command or group of commands → module that holds its `app`; imported only when it is used
COMMANDS = {
    "diagnose": "bot.cli.answer.diagnose",
    "explain": "bot.cli.catalogue.explain",
    "rules": "bot.cli.catalogue.rules",
    "releases": "bot.cli.releases.commands",
    "serve": "bot.cli.running.serve",
    "demo": "bot.cli.running.demo",
    "login": "bot.cli.running.login",
}


class CommandsOnDemand(TyperGroup):
    """The top of the program; a command's module is imported when the command is named."""

    def list_commands(self, ctx: object) -> list[str]:  # noqa: ARG002 (the framework's signature)
        """Return the commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: object, cmd_name: str) -> TyperCommand | TyperGroup:  # noqa: ARG002
        """Return a command, importing its module. Raises `CommandError` when there is none of that name."""
        module = COMMANDS.get(cmd_name)
        if module is None:
            raise unknown_name("command", cmd_name, COMMANDS, f"{PROGRAM} --help")
        command = typer.main.get_command(import_module(module).app)
        assert isinstance(command, TyperCommand | TyperGroup)  # noqa: S101 (typer makes nothing else)
        command.name = cmd_name
        return command


app = typer.Typer(
    cls=CommandsOnDemand,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"max_content_width": 100},
)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 (the framework calls it so)
    if not wanted:
        return
    try:
        number = version(PROGRAM)
    except PackageNotFoundError:
        number = "(not installed)"
    typer.echo(f"{PROGRAM} {number}")
    raise typer.Exit


@app.callback()
def top(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Name vLLM start-up failures, and give the fix for your release, GPU and model.

    For example: vllm-diagnose diagnose vllm.log
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; what goes wrong is one sentence on stderr."""
    _prepare_streams()
    try:
        code = _run(sys.argv[1:] if arguments is None else list(arguments))
        _flush()
    except CommandError as error:
        return _fail(str(error), error.code)
    except typer.TyperException as error:
        return _fail(_usage_sentence(error), ExitCode.WRONG_USAGE)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", ExitCode.INTERRUPTED)
    except BrokenPipeError:
        _silence_stdout()
        return ExitCode.BROKEN_PIPE
    except OSError as error:
        _silence_stdout()
        code = ExitCode.NOT_ALLOWED if isinstance(error, PermissionError) else ExitCode.CANNOT_WRITE
        return _fail(f"{error.filename or 'the output'}: {error.strerror or error}; {_FILE_ADVICE}", code)
    return code


def _run(arguments: list[str]) -> int:
    command = typer.main.get_command(app)
    result = command.main(arguments, prog_name=PROGRAM, standalone_mode=False)
    return int(result) if result is not None else int(ExitCode.SOUND)


def _usage_sentence(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else PROGRAM
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{message[:1].lower()}{message[1:]}; `{path} --help` shows what it takes"


def _fail(sentence: str, code: ExitCode) -> ExitCode:
    complain(sentence)
    return code


def _prepare_streams() -> None:
    """Let a terminal that cannot show a character show a mark instead of ending the program."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _silence_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's own last flush cannot fail a second time."""
    try:
        number = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, number)
    os.close(nothing)
