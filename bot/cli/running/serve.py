"""`vllm-diagnose serve`: runs the bot. Not for how it is wired."""

import typer

from bot.cli.running.options import HostOption, PortOption

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def serve(*, host: HostOption = None, port: PortOption = None) -> int:
    """Run the bot on every platform that is configured; with none, the local page alone.

    For example: vllm-diagnose serve --port 8080
    """
    # server and store are slow to import, and `--help` needs neither
    from bot import bootstrap  # noqa: PLC0415
    from bot.cli.running.starting import run, say_where, settings_with  # noqa: PLC0415

    run(bootstrap.serve(settings_with(host, port), say_where))
    return 0
