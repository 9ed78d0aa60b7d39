"""The registry that the settings or an option name, for commands. Not for what is done with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.answer.inputs import unreadable
from bot.cli.exits import CommandError, ExitCode, unknown_name

if TYPE_CHECKING:
    from bot.hosts.registry import Host, Registry

RegistryOption = Annotated[
    Path | None,
    typer.Option("--registry", help="The registry's file; otherwise the one of the settings."),
]


def registry_file(chosen: Path | None) -> Path:
    """Return the registry's file. Raises `CommandError` when nobody named one."""
    from bot.cli.running.starting import settings_with  # noqa: PLC0415 (slow to import)

    file = chosen or settings_with().relaunch.registry
    if file is None:
        raise CommandError(
            "no registry is named",
            "set relaunch.registry, or pass --registry FILE; `vllm-diagnose hosts add` makes the first entry",
            ExitCode.WRONG_USAGE,
        )
    return file


def existing_registry_file(chosen: Path | None) -> Path:
    """Return the registry's file. Raises `CommandError` when there is none that can be opened."""
    file = registry_file(chosen)
    try:
        with file.open("rb"):
            return file
    except OSError as error:
        raise unreadable(str(file), error, is_log=False) from error
    except ValueError as error:
        # a name that no file system takes
        raise unreadable(str(file), FileNotFoundError(), is_log=False) from error


def load_registry(chosen: Path | None) -> Registry:
    """Return the registry. Raises `CommandError` with its faults."""
    from bot.hosts.reading import BadRegistryError, read_registry  # noqa: PLC0415 (slow to import)

    file = existing_registry_file(chosen)
    try:
        return read_registry(file)
    except BadRegistryError as error:
        more = f" (and {len(error.faults) - 1} more)" if len(error.faults) > 1 else ""
        advice = "`vllm-diagnose hosts check` shows all faults" if more else ""
        raise CommandError(f"{error.faults[0]}{more}", advice, ExitCode.UNUSABLE_INPUT) from error


def chosen_host(registry: Registry, name: str) -> Host:
    """Return one host. Raises `CommandError` when there is none of that name."""
    host = registry.host(name)
    if host is None:
        raise unknown_name("host", name, [one.name for one in registry.hosts], "vllm-diagnose hosts list")
    return host
