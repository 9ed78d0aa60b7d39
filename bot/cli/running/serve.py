"""`vllm-diagnose serve`: runs the bot. Not for how it is wired."""

from pathlib import Path

import typer

from bot.cli.running.options import HostOption, PortOption
from bot.cli.terminal import PROGRAM, complain

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def serve(*, host: HostOption = None, port: PortOption = None) -> int:
    """Run the bot on every platform that is configured; with none, the local page alone.

    For example: vllm-diagnose serve --port 8080
    """
    # server and store are slow to import, and `--help` needs neither
    from bot import bootstrap  # noqa: PLC0415
    from bot.cli.running.starting import run, say_where, settings_with  # noqa: PLC0415

    settings = settings_with(host, port)
    if settings.relaunch.registry is not None:
        _say_faults(settings.relaunch.registry)
    run(bootstrap.serve(settings, say_where))
    return 0


def _say_faults(registry: Path) -> None:
    """Say that a registry is faulty: the bot starts all the same, and it diagnoses."""
    from bot.hosts.reading import BadRegistryError, read_registry  # noqa: PLC0415 (slow to import)

    try:
        read_registry(registry)
    except BadRegistryError as error:
        advice = f"`{PROGRAM} hosts check` shows all faults"
        complain(f"{error.faults[0]}; nothing can be relaunched until that is mended: {advice}")
