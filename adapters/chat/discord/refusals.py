"""What Discord refuses, as the errors that every platform raises. Pure. Not for retrying."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import aiohttp
import discord

from adapters.chat.discord.options import NAME
from adapters.chat.errors import ChatError, NotAllowedError, RateLimitedError, TooLongError, UnreachableError

if TYPE_CHECKING:
    from collections.abc import Iterator

#: what a request raises when Discord is not there
NOT_THERE = (aiohttp.ClientError, TimeoutError, OSError)
#: what a request raises, whatever went wrong
TROUBLE = (discord.DiscordException, *NOT_THERE)

#: codes of Discord's REST API
ALREADY_ACKNOWLEDGED, UNKNOWN_INTERACTION = 40_060, 10_062
NO_HISTORY = 160_002
_UPLOAD_LIMIT = 10 << 20
_PERMISSIONS = "View Channel, Send Messages, Send Messages in Threads, Embed Links, Attach Files there"
#: seconds to wait when Discord does not say
_RETRY_S = 5.0

#: close codes of the gateway after which trying again changes nothing
_CLOSED = {
    4004: ("the token was refused", "the bot a valid token: reset it on the developer portal's page Bot"),
    4010: ("the shard does not exist", "the adapter a sound number of shards"),
    4011: ("the bot is in too many guilds for one connection", "more connections: set sharded to true"),
    4012: ("the version of the gateway is no longer served", "the bot a newer discord.py"),
    4013: ("the intents are not valid", "the bot a newer discord.py"),
}


@contextmanager
def asking(what: str, permission: str = _PERMISSIONS) -> Iterator[None]:
    """Turn what a request raises into a `ChatError`; `what` names the request."""
    try:
        yield
    except TROUBLE as error:
        raise chat_error(error, what, permission) from error


def chat_error(error: BaseException, what: str, permission: str = _PERMISSIONS) -> ChatError:
    """Return the error that says the same to the rest of the bot."""
    if isinstance(error, discord.RateLimited):
        return RateLimitedError(NAME, error.retry_after)
    if not isinstance(error, discord.HTTPException) or error.status >= 500:
        return UnreachableError(NAME, what)
    refused = f"{what} was refused ({error.status}, {error.code})"
    match error.status:
        case 429:
            return RateLimitedError(NAME, _RETRY_S)
        case 401 | 403:
            return NotAllowedError(
                NAME, refused, permission if error.status == 403 else "the bot a valid token"
            )
        case 413:
            return TooLongError(NAME, "the files of the reply", _UPLOAD_LIMIT + 1, _UPLOAD_LIMIT)
        case _:
            return ChatError(NAME, refused, "See Discord's list of error codes.")


def fatal(error: BaseException) -> NotAllowedError | None:
    """Return what ends a connection for good; None for trouble that may pass."""
    if isinstance(error, discord.LoginFailure):
        return NotAllowedError(NAME, *_CLOSED[4004])
    if isinstance(error, discord.PrivilegedIntentsRequired):
        return NotAllowedError(
            NAME,
            "the Message Content intent is not switched on for this bot",
            "it on the developer portal (Bot, Privileged Gateway Intents, Message Content Intent), "
            "or set reads_content to false so that the bot only hears what is said to it",
        )
    if isinstance(error, discord.ConnectionClosed) and error.code in _CLOSED:
        return NotAllowedError(NAME, *_CLOSED[error.code])
    return None
