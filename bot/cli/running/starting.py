"""Running the bot from a terminal: its address, its end, what keeps it from starting. Not for wiring."""

import asyncio
import os
import sys
import webbrowser
from collections.abc import Coroutine
from typing import TypeVar

from pydantic import ValidationError

from bot.cli.exits import CommandError, ExitCode
from bot.cli.terminal import write_line
from bot.listening import CannotListenError, NotServingError
from bot.settings import BadSettingsError, ConsoleSettings, Settings, read_settings
from bot.store.interface import StoreError
from rules.engine.rule.faults import CatalogueError

Result = TypeVar("Result")


def settings_with(host: str | None = None, port: int | None = None) -> Settings:
    """Return the settings, with the address of the page replaced. Raises `CommandError` for faulty ones."""
    try:
        settings = read_settings()
        changed = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
        console = ConsoleSettings(**{**settings.console.model_dump(), **changed})
    except BadSettingsError as error:
        raise CommandError(str(error), "", ExitCode.UNUSABLE_INPUT) from error
    except ValidationError as error:
        fault = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise CommandError(f"--host {host!r} {fault}", "", ExitCode.WRONG_USAGE) from error
    return settings.model_copy(update={"console": console})


def run(work: Coroutine[None, None, Result]) -> Result:
    """Run work of the bot to its end. Raises `CommandError` for what a person can mend."""
    try:
        return asyncio.run(work)
    except (CannotListenError, NotServingError) as error:
        raise CommandError(str(error), "", ExitCode.UNREACHABLE) from error
    except StoreError as error:
        problem = f"the store {error.where}: {error.what.rstrip('.')}"
        advice = f"{error.next_step[:1].lower()}{error.next_step[1:].rstrip('.')}"
        raise CommandError(problem, advice, ExitCode.UNREACHABLE) from error
    except CatalogueError as error:
        advice = "`vllm-diagnose rules lint` shows every fault"
        raise CommandError("the rules cannot be read", advice, ExitCode.UNUSABLE_INPUT) from error


def say_where(url: str) -> None:
    """Print the address of the page."""
    write_line(f"The page is at {url} (Ctrl+C ends it).")
    if sys.stdout is not None:
        sys.stdout.flush()


def show_in_browser(url: str) -> None:
    """Print the address, and open it where there is a desktop to open it on."""
    say_where(url)
    if sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(url)
