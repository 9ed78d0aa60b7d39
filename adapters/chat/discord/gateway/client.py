"""discord.py's client, made lean and told where to look. Not for what becomes of an event.

The library has no setting for Discord's addresses: it reads two names of its own, which are set here, so all
clients of one process talk to one Discord.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Protocol

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from adapters.chat.discord.options import Mode

if TYPE_CHECKING:
    from discord.app_commands import CommandTree

    from adapters.chat.discord.ids import ButtonId
    from adapters.chat.discord.options import DiscordOptions


class Ears(Protocol):
    """Whoever hears what happens."""

    async def said(self, message: discord.Message) -> None:
        """Hear a message."""

    async def changed(self, message: discord.Message) -> None:
        """Hear that a message may have another text."""

    async def is_there(self) -> None:
        """Hear that a new session has begun: what happened before it was not told."""

    async def sent(self, interaction: discord.Interaction[Any]) -> None:
        """Hear that a form was sent."""

    async def pressed(self, interaction: discord.Interaction[Any], button: ButtonId) -> None:
        """Hear that a button of ours was pressed."""


class _Hearing:
    """What both kinds of clients do with events; the names of its methods are the library's."""

    ears: Ears
    identify_s: float
    #: the commands, where programs around the library look for them
    tree: CommandTree[Any]

    async def on_message(self, message: discord.Message) -> None:
        """Pass a message on."""
        await self.ears.said(message)

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        """Pass a changed message on; raw, for no messages are cached."""
        await self.ears.changed(event.message)

    async def on_ready(self) -> None:
        """Pass on that a session has begun."""
        await self.ears.is_there()

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Pass a form on. The library finds forms only in the process that opened them."""
        if interaction.type is discord.InteractionType.modal_submit:
            await self.ears.sent(interaction)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Keep the distance between two sessions that Discord demands."""
        del shard_id
        if not initial:
            await asyncio.sleep(self.identify_s)


class SingleClient(_Hearing, discord.Client):
    """One connection."""

    def dispatch(self, event: str, /, *args: object, **kwargs: object) -> None:
        """Tell nobody any more once everything is closed; the library would stumble over it."""
        if not self.is_closed():
            super().dispatch(event, *args, **kwargs)


class ShardedClient(_Hearing, discord.AutoShardedClient):
    """As many connections as Discord asks for."""

    def dispatch(self, event: str, /, *args: object, **kwargs: object) -> None:
        """Tell nobody any more once everything is closed; the library would stumble over it."""
        if not self.is_closed():
            super().dispatch(event, *args, **kwargs)


Client = SingleClient | ShardedClient


def make_client(options: DiscordOptions, ears: Ears) -> Client:
    """Return a client that is not started."""
    if options.api_url is not None:
        Route.BASE = options.api_url.rstrip("/")
    if options.gateway_url is not None:
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(options.gateway_url)
    kind: type[SingleClient | ShardedClient] = ShardedClient if options.sharded else SingleClient
    client = kind(
        intents=intents_of(options),
        max_messages=None,
        member_cache_flags=discord.MemberCacheFlags.none(),
        chunk_guilds_at_startup=False,
        allowed_mentions=discord.AllowedMentions.none(),
        guild_ready_timeout=options.timing.ready_s,
    )
    client.ears = ears
    client.identify_s = options.timing.identify_s
    return client


def intents_of(options: DiscordOptions) -> discord.Intents:
    """Return what Discord is asked to tell: no more than the mode needs."""
    listens = options.mode is not Mode.SHORTCUT
    return discord.Intents(
        guilds=True,
        guild_messages=listens,
        dm_messages=listens and options.direct_messages,
        message_content=options.mode is Mode.PASSIVE and options.reads_content,
    )
