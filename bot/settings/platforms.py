"""Settings of the chat platforms. Not for connecting to them."""

from __future__ import annotations

from enum import StrEnum
from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator

from bot.settings.groups import Group

_NO_SECRET = SecretStr("")


class IntakeMode(StrEnum):
    """What is looked at. Each mode needs fewer rights than the one before it."""

    #: everything that is said where the bot is a member
    PASSIVE = "passive"
    #: what names the bot, and what is sent to it directly
    MENTION = "mention"
    #: commands, and messages that somebody points at
    SHORTCUT = "shortcut"

    @property
    def hears_channels(self) -> bool:
        """Tell whether messages to nobody are looked at."""
        return self is IntakeMode.PASSIVE

    @property
    def hears_mentions(self) -> bool:
        """Tell whether messages that name the bot are looked at."""
        return self is not IntakeMode.SHORTCUT


class SlackDelivery(StrEnum):
    """How Slack hands over what happens."""

    #: the bot dials out
    SOCKET = "socket"
    #: Slack posts signed requests to the page's address
    HTTP = "http"


class SlackSettings(Group):
    """Slack; nothing set means that the bot does not go there."""

    bot_token: SecretStr = Field(default=_NO_SECRET, description="Bot token (xoxb-…); sets Slack up.")
    app_token: SecretStr = Field(default=_NO_SECRET, description="App-level token (xapp-…), for sockets.")
    signing_secret: SecretStr = Field(default=_NO_SECRET, description="Signing secret, for signed requests.")
    delivery: SlackDelivery = Field(
        default=SlackDelivery.SOCKET, description="How events arrive: over a socket or as signed requests."
    )
    mode: IntakeMode = Field(default=IntakeMode.PASSIVE, description="What is looked at.")
    channels: tuple[str, ...] = Field(default=(), description="Ids of channels to listen in; none: all.")
    allowed_bots: tuple[str, ...] = Field(default=(), description="Ids of bots that are listened to (B…).")
    shared_channels: bool = Field(
        default=False, description="Listen unasked in channels shared with other companies."
    )
    api_url: str = Field(default="https://slack.com/api/", description="Address of the Web API.")

    @property
    def is_configured(self) -> bool:
        """Tell whether the bot goes to Slack."""
        return bool(self.bot_token.get_secret_value())

    @field_validator("bot_token")
    @classmethod
    def _is_bot_token(cls, value: SecretStr) -> SecretStr:
        return _with_prefix(value, "xoxb-", "Bot User OAuth Token", "OAuth & Permissions")

    @field_validator("app_token")
    @classmethod
    def _is_app_token(cls, value: SecretStr) -> SecretStr:
        return _with_prefix(value, "xapp-", "app-level token", "Basic Information")

    @field_validator("signing_secret")
    @classmethod
    def _is_no_token(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value().startswith(("xoxb-", "xapp-", "xoxp-")):
            raise ValueError("must be the Signing Secret from Basic Information, and this is a token")
        return value

    @field_validator("api_url")
    @classmethod
    def _is_url(cls, value: str) -> str:
        return checked_url(value, ("https", "http"))

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        bot, app, secret = (
            bool(one.get_secret_value()) for one in (self.bot_token, self.app_token, self.signing_secret)
        )
        if not bot and (app or secret):
            raise ValueError("bot_token is missing; without it nothing can be answered")
        if bot and self.delivery is SlackDelivery.SOCKET and not app:
            raise ValueError("app_token is missing; delivery over a socket needs it")
        if bot and self.delivery is SlackDelivery.HTTP and not secret:
            raise ValueError("signing_secret is missing; delivery over http needs it")
        return self


class DiscordSettings(Group):
    """Discord; nothing set means that the bot does not go there."""

    token: SecretStr = Field(default=_NO_SECRET, description="Bot token; sets Discord up.")
    mode: IntakeMode = Field(default=IntakeMode.PASSIVE, description="What is looked at.")
    message_content: bool = Field(
        default=True,
        description="The privileged intent is on in the portal; without it only what names the bot is read.",
    )
    sharded: bool = Field(
        default=False, description="Use several connections; Discord demands it from 2,500 servers on."
    )
    channels: tuple[str, ...] = Field(default=(), description="Ids of channels to listen in; none: all.")
    allowed_bots: tuple[str, ...] = Field(default=(), description="Ids of bots that are listened to.")
    api_url: str = Field(default="https://discord.com/api/v10", description="Address of the REST API.")
    gateway_url: str = Field(default="wss://gateway.discord.gg/", description="Address of the gateway.")

    @property
    def is_configured(self) -> bool:
        """Tell whether the bot goes to Discord."""
        return bool(self.token.get_secret_value())

    @property
    def reads_content(self) -> bool:
        """Tell whether the privileged intent is asked for."""
        return self.message_content and self.mode.hears_channels

    @field_validator("token")
    @classmethod
    def _is_token(cls, value: SecretStr) -> SecretStr:
        text = value.get_secret_value()
        if text and (text.count(".") != 2 or any(character.isspace() for character in text)):
            hint = "three parts with dots between them, without the word Bot"
            raise ValueError(f"must be the token from the portal's page Bot: {hint}")
        return value

    @field_validator("api_url")
    @classmethod
    def _is_url(cls, value: str) -> str:
        return checked_url(value, ("https", "http"))

    @field_validator("gateway_url")
    @classmethod
    def _is_gateway(cls, value: str) -> str:
        return checked_url(value, ("wss", "ws"))

    @field_validator("channels", "allowed_bots")
    @classmethod
    def _are_ids(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for one in value:
            if not one.isascii() or not one.isdigit():
                raise ValueError(f"must hold ids, which are numbers: {one!r} is none")
        return value


def checked_url(value: str, schemes: tuple[str, ...]) -> str:
    """Return an address that has one of the schemes and names a host. Raises `ValueError`."""
    parts = urlsplit(value)
    if parts.scheme not in schemes or not parts.hostname:
        raise ValueError(f"must be an address that begins with {schemes[0]}://")
    return value


def _with_prefix(value: SecretStr, prefix: str, name: str, page: str) -> SecretStr:
    text = value.get_secret_value()
    if text and not text.startswith(prefix):
        raise ValueError(f"must be the {name} from {page}, which begins with {prefix}")
    return value
