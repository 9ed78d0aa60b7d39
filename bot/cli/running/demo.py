"""`vllm-diagnose demo`: shows the whole story with a sample team. Not for the sample itself."""

from typing import Annotated

import typer

from bot.cli.running.options import PortOption

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def demo(
    *,
    port: PortOption = 0,
    browser: Annotated[bool, typer.Option(help="Open the page where there is a desktop.")] = True,
) -> int:
    """Run the bot with a sample team and the sample incident; no keys needed, nothing is kept.

    For example: vllm-diagnose demo --no-browser
    """
    # server and store are slow to import, and `--help` needs neither
    from bot import bootstrap  # noqa: PLC0415
    from bot.cli.running.starting import run, say_where, show_in_browser  # noqa: PLC0415

    run(bootstrap.demo(show_in_browser if browser else say_where, port=port or 0))
    return 0
