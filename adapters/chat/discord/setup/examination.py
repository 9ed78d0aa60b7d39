"""Asks Discord whether token and intents are what the bot needs. Not for mending them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import aiohttp

from adapters.chat.discord.options import NAME
from adapters.chat.errors import ChatError, NotAllowedError, UnreachableError

if TYPE_CHECKING:
    from adapters.chat.discord.options import DiscordOptions

_API = "https://discord.com/api/v10"
#: flags of an application that may read messages, below and above the limit that needs Discord's word
_CONTENT = (1 << 18) | (1 << 19)
_TIMEOUT = aiohttp.ClientTimeout(total=15)


async def examine(options: DiscordOptions) -> list[ChatError]:
    """Return what is wrong, each fault with what to do about it; empty when all is well."""
    base = (options.api_url or _API).rstrip("/")
    headers = {"Authorization": f"Bot {options.token}"}
    try:
        async with aiohttp.ClientSession(headers=headers, timeout=_TIMEOUT) as http:
            status, about = await _get(http, f"{base}/applications/@me")
            gateway, _ = await _get(http, f"{base}/gateway/bot") if status == 200 else (200, {})
    except (aiohttp.ClientError, TimeoutError, OSError):
        return [UnreachableError(NAME, f"a request to {base}")]
    if status in {401, 403}:
        return [NotAllowedError(NAME, "discord.token is refused", "a new token, from the portal's page Bot")]
    if status != 200 or gateway != 200:
        return [ChatError(NAME, f"it answers with {max(status, gateway)}", "Try again in a minute.")]
    if options.reads_content and not int(about.get("flags") or 0) & _CONTENT:
        what = "the Message Content Intent is off, so what people say arrives empty"
        advice = "it on the portal's page Bot, or set discord.message_content to false"
        return [NotAllowedError(NAME, what, advice)]
    return []


async def _get(http: aiohttp.ClientSession, url: str) -> tuple[int, dict[str, Any]]:
    async with http.get(url) as response:
        data = await response.json(content_type=None) if response.status == 200 else {}
        return response.status, data if isinstance(data, dict) else {}
