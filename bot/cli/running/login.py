"""`vllm-diagnose login`: signs the person at this terminal in to the page. Not for who may do what there."""

import typer

from bot.cli.terminal import write_line

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def login() -> int:
    """Print a link that signs you in to the page of the bot that runs here; it works once.

    For example: vllm-diagnose login
    """
    # server and store are slow to import, and `--help` needs neither
    from bot import bootstrap  # noqa: PLC0415
    from bot.cli.running.starting import run, settings_with  # noqa: PLC0415

    write_line(run(bootstrap.login(settings_with())))
    return 0
