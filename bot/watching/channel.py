"""Which channel incidents are raised in, checked against the settings. Not for raising them."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from adapters.chat.interface import Place

if TYPE_CHECKING:
    from bot.settings import Settings


class Unfit(Enum):
    """Why a channel cannot be raised in."""

    #: it is not written as a channel
    MISNAMED = auto()
    #: the bot does not go to its platform
    NOT_SET_UP = auto()
    #: the settings name the channels, and it is none of them
    NOT_LISTED = auto()


class BadChannelError(Exception):
    """A channel cannot be raised in; says why, and what to do."""

    def __init__(self, unfit: Unfit, what: str, next_step: str) -> None:
        super().__init__(f"{what}; {next_step}")
        self.unfit = unfit
        self.what = what
        self.next_step = next_step


def channel_of(text: str, settings: Settings) -> Place:
    """Return the channel that `platform:id` names. Raises `BadChannelError`."""
    platform, _, channel = text.partition(":")
    chosen = {"console": None, "slack": settings.slack, "discord": settings.discord}
    if platform not in chosen or not channel or not channel.isprintable() or len(channel) > 100:
        what = f"{text!r} names no channel"
        raise BadChannelError(
            Unfit.MISNAMED, what, "write console:incidents, slack:C0123456789 or discord:ID"
        )
    group = chosen[platform]
    if group is not None and not group.is_configured:
        what = f"the bot does not go to {platform.title()}"
        raise BadChannelError(Unfit.NOT_SET_UP, what, f"set it up: docs/how-to/connect-{platform}.md")
    listed = settings.console.channels if group is None else group.channels
    if listed and channel not in listed:
        what = f"{text} is not among the channels of the settings"
        raise BadChannelError(Unfit.NOT_LISTED, what, f"name one of {', '.join(listed)}, or add it there")
    return Place(platform, "", channel)
