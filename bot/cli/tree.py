"""All commands by name, and the options that the program itself has. Not for what any command does."""

import re
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer
from typer.core import TyperCommand, TyperGroup

from bot.cli.exits import CommandError, ExitCode, ReaderGoneError, unknown_name
from bot.cli.terminal import PROGRAM

#: command or group of commands → module that holds its `app`; imported only when it is used
COMMANDS = {
    "diagnose": "bot.cli.answer.diagnose",
    "check": "bot.cli.checking.command",
    "backends": "bot.cli.backends.command",
    "explain": "bot.cli.catalogue.explain",
    "rules": "bot.cli.catalogue.rules",
    "releases": "bot.cli.releases.commands",
    "serve": "bot.cli.running.serve",
    "demo": "bot.cli.running.demo",
    "login": "bot.cli.running.login",
    "hosts": "bot.cli.hosts.commands",
    "relaunch": "bot.cli.relaunch.commands",
    "watch": "bot.cli.watch.command",
    "incidents": "bot.cli.operating.incidents",
    "audit": "bot.cli.operating.audit",
    "manifest": "bot.cli.operating.manifest",
    "doctor": "bot.cli.operating.doctor",
}

#: what the framework says of a faulty value, and how we say it
_OUR_WORDS = (
    (re.compile(r"Input should be a valid integer.*"), "it must be a whole number"),
    (re.compile(r"Input should be a valid number.*"), "it must be a number"),
    (re.compile(r"Input should be less than or equal to (\d+)"), r"it must be at most \1"),
    (re.compile(r"Input should be greater than or equal to (\d+)"), r"it must be at least \1"),
    (re.compile(r"requires an argument"), "needs a value"),
)


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
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
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


def run(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name and return its exit code.

    Raises `CommandError` for wrong usage, `KeyboardInterrupt` for Ctrl-C, `ReaderGoneError`.
    """
    try:
        result = typer.main.get_command(app).main(arguments, prog_name=PROGRAM, standalone_mode=False)
    except typer.TyperException as error:
        raise _wrong_usage(error, arguments) from error
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except SystemExit as error:
        # the framework ends the program itself only when its help finds no reader
        raise ReaderGoneError from error
    if result == ExitCode.INTERRUPTED:
        # the framework takes Ctrl-C for a result
        raise KeyboardInterrupt
    return int(result) if result is not None else int(ExitCode.SOUND)


def _wrong_usage(error: typer.TyperException, arguments: Sequence[str]) -> CommandError:
    context = getattr(error, "ctx", None)
    named = [PROGRAM, *(word for word in arguments[:1] if word in COMMANDS)]
    path = context.command_path if context is not None else " ".join(named)
    message = " ".join(error.format_message().split()).replace("Value error, ", "").rstrip(".?")
    for theirs, ours in _OUR_WORDS:
        message = theirs.sub(ours, message)
    problem = f"{message[:1].lower()}{message[1:]}"
    return CommandError(problem, f"`{path} --help` shows what it takes", ExitCode.WRONG_USAGE)
