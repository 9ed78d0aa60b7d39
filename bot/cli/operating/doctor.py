"""`vllm-diagnose doctor`: says what is wrong with the set-up and how to mend it. Not for mending it."""

from typing import Annotated

import typer

from bot.cli.exits import ExitCode
from bot.cli.terminal import write_json, write_line

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def doctor(
    *, as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of lines.")] = False
) -> int:
    """Check settings, store, tokens, scopes, intents and hosts; ends with 1 when something is wrong.

    For example: vllm-diagnose doctor
    """
    # settings and platforms are slow to import, and `--help` needs neither
    from bot import bootstrap  # noqa: PLC0415
    from bot.cli.running.starting import run  # noqa: PLC0415
    from bot.settings import BadSettingsError, read_settings  # noqa: PLC0415

    found: dict[str, list[str] | None]
    try:
        settings = read_settings()
    except BadSettingsError as error:
        found = {"settings": list(error.faults)}
    else:
        found = {"settings": [], **run(bootstrap.examine(settings))}
    faults = [fault for told in found.values() for fault in told or ()]
    if as_json:
        write_json({"schema": 1, "ok": not faults, "checks": found})
    else:
        for name, told in found.items():
            _write(name, told)
    return int(ExitCode.FAULTS if faults else ExitCode.SOUND)


def _write(name: str, faults: list[str] | None) -> None:
    if faults is None:
        write_line(f"{name}: not set up")
    elif not faults:
        write_line(f"{name}: ok")
    for fault in faults or ():
        write_line(f"{name}: {fault}")
