"""The address that invites the bot to a server, with the least rights, and the intents to switch on. Pure."""

from __future__ import annotations

import base64
from typing import Any

import discord

from adapters.chat.discord.gateway.client import intents_of
from adapters.chat.discord.options import DiscordOptions, Mode

_SCOPES = ("bot", "applications.commands")
_PRIVILEGED = {"message_content": "Message Content Intent"}


def permissions_for(mode: Mode) -> discord.Permissions:
    """Return what the bot may do in channels. With commands alone it answers through them."""
    return discord.Permissions(
        view_channel=True,
        send_messages=True,
        send_messages_in_threads=True,
        create_public_threads=mode is not Mode.SHORTCUT,
        read_message_history=mode is not Mode.SHORTCUT,
        attach_files=True,
        embed_links=True,
    )


def invitation_for(options: DiscordOptions, application: str = "") -> dict[str, Any]:
    """Return the invite address, the permissions and the intents. The id is read from the token if not given."""
    client = application or application_of(options.token) or "APPLICATION_ID"
    permissions = permissions_for(options.mode)
    intents = [name for name, is_on in intents_of(options) if is_on]
    url = discord.utils.oauth_url(client, permissions=permissions, scopes=_SCOPES)
    return {
        "invite_url": url,
        "scopes": list(_SCOPES),
        "permissions": [name for name, is_on in permissions if is_on],
        "intents": intents,
        "switch_on_in_the_portal": [_PRIVILEGED[name] for name in intents if name in _PRIVILEGED],
    }


def application_of(token: str) -> str:
    """Return the id of the application, which is the first part of a bot's token; empty when it is none."""
    first = token.partition(".")[0]
    try:
        text = base64.b64decode(first + "=" * (-len(first) % 4)).decode("ascii")
    except ValueError:
        return ""
    return text if text.isdigit() else ""
