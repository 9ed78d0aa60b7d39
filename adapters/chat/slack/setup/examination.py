"""Asks Slack whether tokens and rights are what the bot needs. Not for mending them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.chat.errors import ChatError, NotAllowedError
from adapters.chat.slack.options import NAME, Delivery
from adapters.chat.slack.setup.manifest import scopes_for
from adapters.chat.slack.web.api import web_client
from adapters.chat.slack.web.faults import TROUBLE, RefusedError, chat_error
from adapters.chat.slack.web.groups import GONE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.chat.slack.options import SlackOptions


async def examine(options: SlackOptions) -> list[ChatError]:
    """Return what is wrong, each fault with what to do about it; empty when all is well."""
    faults: list[ChatError] = []
    try:
        answer = await web_client(options, options.bot_token).auth_test()
    except TROUBLE as error:
        faults.append(chat_error(error, "auth.test with slack.bot_token"))
    else:
        missing = _missing(options, answer.headers)
        faults.extend(missing or await _unreadable(options))
    if options.delivery is Delivery.SOCKET:
        try:
            await web_client(options, options.app_token).apps_connections_open(app_token=options.app_token)
        except TROUBLE as error:
            faults.append(chat_error(error, "apps.connections.open with slack.app_token"))
    elif not all(character in "0123456789abcdefABCDEF" for character in options.signing_secret):
        what = "slack.signing_secret does not look like one (hexadecimal digits)"
        faults.append(ChatError(NAME, what, "Copy it from Basic Information."))
    return faults


async def _unreadable(options: SlackOptions) -> list[ChatError]:
    """Return what is wrong with the user groups that give roles."""
    client, faults = web_client(options, options.bot_token), list[ChatError]()
    for group in sorted(options.groups):
        try:
            await client.usergroups_users_list(usergroup=group)
        except TROUBLE as error:
            fault = chat_error(error, f"asking who is in the group {group}")
            if isinstance(fault, RefusedError) and fault.code in GONE:
                what = f"there is no user group {group}, or it is switched off, so nobody has a role by it"
                fault = ChatError(NAME, what, "Mend the registry: the group's own menu copies its id.")
            faults.append(fault)
    return faults


def _missing(options: SlackOptions, headers: Mapping[str, str]) -> list[ChatError]:
    told = next((value for name, value in headers.items() if name.lower() == "x-oauth-scopes"), None)
    if told is None:
        return []
    granted = {scope.strip() for scope in told.split(",")}
    missing = [
        scope
        for scope in scopes_for(options.hearing, asks_groups=bool(options.groups))
        if scope not in granted
    ]
    if not missing:
        return []
    what = f"the bot token lacks the scopes {', '.join(missing)}"
    return [NotAllowedError(NAME, what, "them under OAuth & Permissions and install the app again")]
