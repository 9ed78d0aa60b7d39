"""Messages that answer nothing and head a thread. Not for replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord

from adapters.chat.discord.ids import PostedId
from adapters.chat.discord.inbound import DIRECT
from adapters.chat.discord.options import NAME
from adapters.chat.discord.refusals import asking
from adapters.chat.errors import ChatError
from adapters.chat.interface import MessageRef, Place

if TYPE_CHECKING:
    from adapters.chat.discord.gateway.client import Client
    from adapters.chat.discord.posting import Posting
    from adapters.chat.interface import Reply


async def head_thread(
    client: Client, posting: Posting, channel: str, reply: Reply, *, may_be_out: bool
) -> MessageRef:
    """Show a reply in a channel, unless it is there already. Raises `ChatError`."""
    place = await _place(client, channel)
    ref = await posting.find(place, reply.id) if may_be_out else None
    ref = ref or await posting.post(place, reply)
    posted = PostedId.read(ref.id)
    return MessageRef(place, posted.message if posted is not None else ref.id)


async def _place(client: Client, channel: str) -> Place:
    """Return a channel as a place. Raises `ChatError` for what holds no messages of its own."""
    if not channel.isascii() or not channel.isdigit():
        raise ChatError(NAME, f"{channel!r} is no channel", "Name it by its id, a number.")
    with asking("looking for a channel", "View Channel there"):
        found = client.get_channel(int(channel)) or await client.fetch_channel(int(channel))
    if isinstance(found, discord.ForumChannel | discord.CategoryChannel | discord.Thread):
        raise ChatError(NAME, f"{channel} is no channel of text", "Name one that people write in.")
    guild = getattr(found, "guild", None)
    return Place(NAME, str(guild.id) if guild is not None else DIRECT, channel)
