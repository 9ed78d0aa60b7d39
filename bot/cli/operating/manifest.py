"""`vllm-diagnose manifest`: what is pasted into Slack or Discord. Not for what stands in it."""

import json
from enum import StrEnum
from typing import Annotated

import typer
import yaml

from bot.cli.terminal import write_line

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


class Platform(StrEnum):
    """Where the bot is set up."""

    SLACK = "slack"
    DISCORD = "discord"


class Mode(StrEnum):
    """What is looked at."""

    PASSIVE = "passive"
    MENTION = "mention"
    SHORTCUT = "shortcut"


@app.command()
def manifest(
    platform: Annotated[Platform, typer.Argument(help="Where the bot is set up.")],
    *,
    mode: Annotated[
        Mode | None, typer.Option(help="What is looked at; otherwise the setting's.", show_default=False)
    ] = None,
    application: Annotated[str, typer.Option(metavar="ID", help="Discord's id of the application.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of YAML.")] = False,
) -> int:
    """Print the app manifest for Slack, or the invite address and intents for Discord.

    For example: vllm-diagnose manifest slack --mode passive
    """
    # settings and platforms are slow to import, and `--help` needs neither
    from bot import bootstrap  # noqa: PLC0415
    from bot.cli.running.starting import settings_with  # noqa: PLC0415
    from bot.settings import IntakeMode  # noqa: PLC0415

    settings = settings_with()
    if mode is not None:
        chosen = getattr(settings, platform.value).model_copy(update={"mode": IntakeMode(mode.value)})
        settings = settings.model_copy(update={platform.value: chosen})
    data = bootstrap.manifest(platform.value, settings, application)
    if as_json:
        write_line(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        write_line(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100).rstrip("\n"))
    return 0
