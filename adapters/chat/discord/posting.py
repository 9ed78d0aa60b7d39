"""Replies on Discord: posted once, found again, changed. Not for what they say.

Each way of posting can be repeated without a second message: a message in a channel has a nonce that Discord
enforces for some minutes and a mark that is found later; an answer to a command or form fills the message
that was promised when it was acknowledged, and filling it again changes nothing.
"""

from __future__ import annotations

import io
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import discord

from adapters.chat.discord.drawing.render import render
from adapters.chat.discord.ids import Handle, OwnMark, PostedId, nonce_of
from adapters.chat.discord.inbound import own_mark, posted_id
from adapters.chat.discord.interactions import CardButton, CardChoice
from adapters.chat.discord.options import NAME
from adapters.chat.discord.refusals import NO_HISTORY, TROUBLE, asking, chat_error
from adapters.chat.errors import ChatError, NotAllowedError, UnreachableError
from adapters.chat.interface import MessageRef, Visibility

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import datetime

    from adapters.chat.discord.acknowledging import Acknowledging
    from adapters.chat.discord.gateway.client import Client
    from adapters.chat.discord.options import DiscordOptions
    from adapters.chat.interface import Place, Reply

#: how long an interaction's token is used; Discord takes it for 15 minutes
_TOKEN_LIFE = timedelta(minutes=14, seconds=30)
#: after this nobody can acknowledge an interaction any more
_ACKNOWLEDGED_BY = timedelta(seconds=4)
_SEARCHED = 100
_NOBODY = discord.AllowedMentions.none()


class _Promised(int):
    """The message that was promised by an acknowledgement: Discord knows it by a name, all others by number."""

    def __format__(self, spec: str) -> str:
        return "@original"


_PROMISED = _Promised()


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a message goes, and what it hangs on."""

    channel: discord.abc.Messageable
    channel_id: int
    reference: discord.MessageReference | None = None


class Posting:
    """Speaks to Discord's REST interface."""

    def __init__(self, options: DiscordOptions, client: Client, acknowledging: Acknowledging) -> None:
        self._options = options
        self._client = client
        self._acknowledging = acknowledging
        #: channels that refused a message, and until when they are left alone
        self._refused: dict[int, datetime] = {}

    async def post(self, place: Place, reply: Reply) -> MessageRef:
        """Show a reply."""
        handle = Handle.read(reply.handle)
        if handle is not None:
            await self._acknowledging.done(handle.interaction)
        if reply.visibility is Visibility.PRIVATE and handle is not None:
            private = await self._in_private(place, reply, handle)
            if private is not None:
                return private
        return await self._in_public(place, reply, handle)

    async def find(self, place: Place, reply_id: str) -> MessageRef | None:
        """Return our reply with this id if one of the newest messages, or of those after its head, is it."""
        wanted = OwnMark.of(reply_id)
        for spot in self._spots(place):
            with asking("looking for an earlier reply", "Read Message History there"):
                try:
                    async for message in _around(spot.channel, place.thread):
                        mark = own_mark(message) if message.author == self._client.user else None
                        if mark is not None and mark.tag == wanted.tag:
                            return MessageRef(place, str(posted_id(message)))
                except (discord.Forbidden, discord.NotFound):
                    # Without the right to read, the nonce alone keeps a reply from being there twice.
                    continue
        return None

    async def edit(self, ref: MessageRef, reply: Reply) -> None:
        """Show another card in place of one of ours."""
        posted = PostedId.read(ref.id)
        if posted is None:
            raise ChatError(NAME, f"{ref.id} is no reply of ours", "Post a new one.")
        if posted.is_private:
            what = "a reply that one person saw cannot be changed any more"
            raise NotAllowedError(NAME, what, "the bot Send Messages there, so that replies are public")
        content = self._content(reply, ref.place.thread if posted.is_asked else None)
        channel = self._client.get_partial_messageable(int(posted.channel))
        with asking("changing a reply"):
            await channel.get_partial_message(int(posted.message)).edit(
                content=content.pop("content"),
                embeds=content.pop("embeds"),
                attachments=content.pop("files"),
                view=content.pop("view", None),
                allowed_mentions=_NOBODY,
            )

    async def _in_public(self, place: Place, reply: Reply, handle: Handle | None) -> MessageRef:
        """Post in the channel; where the bot may not, only the person who asked sees it."""
        spot = self._spots(place)[0]
        is_asked = handle is not None and handle.is_pending and place.thread == handle.interaction
        asked = handle if is_asked else None
        try:
            message = await self._send(spot, reply, asked)
        except NotAllowedError:
            if handle is None or not handle.is_pending:
                raise
            private = await self._fill(place, reply, handle)
            if private is None:
                raise
            return private
        if handle is not None and handle.is_pending:
            with suppress(*TROUBLE):
                await self._webhook(handle).delete_message(_PROMISED)
        posted = PostedId(str(message.channel.id), str(message.id), is_asked=is_asked)
        return MessageRef(place, str(posted))

    async def _send(self, spot: _Spot, reply: Reply, asked: Handle | None) -> discord.Message:
        until = self._refused.get(spot.channel_id)
        if until is not None and self._options.clock() < until:
            raise NotAllowedError(NAME, "posting was refused a moment ago", "the bot Send Messages there")
        self._refused.pop(spot.channel_id, None)
        content = self._content(
            reply, asked.interaction if asked else None, asker=asked.person if asked else None
        )
        try:
            return await self._send_content(spot, content, nonce_of(reply.id))
        except TROUBLE as error:
            refusal = chat_error(error, "posting a reply")
            if isinstance(refusal, NotAllowedError):
                self._leave_alone(spot.channel_id)
            raise refusal from error

    async def _send_content(self, spot: _Spot, content: dict[str, Any], nonce: str) -> discord.Message:
        fixed: dict[str, Any] = {"nonce": nonce, "allowed_mentions": _NOBODY, "mention_author": False}
        if spot.reference is None:
            return await spot.channel.send(**content, **fixed)
        try:
            return await spot.channel.send(**content, **fixed, reference=spot.reference)
        except discord.HTTPException as error:
            if error.code != NO_HISTORY:
                raise
            for file in content["files"]:
                file.reset()
            return await spot.channel.send(**content, **fixed)

    def _leave_alone(self, channel_id: int) -> None:
        """Ask a channel that refused nothing more for a while: Discord bans who is refused too often."""
        now = self._options.clock()
        self._refused = {known: until for known, until in self._refused.items() if until > now}
        self._refused[channel_id] = now + timedelta(seconds=self._options.timing.refusal_s)

    async def _in_private(self, place: Place, reply: Reply, handle: Handle) -> MessageRef | None:
        """Say it to one person alone; None where that is not possible."""
        if self._is_fresh(handle):
            found = await (self._fill(place, reply, handle) if handle.is_pending else self._add(place, reply))
            if found is not None:
                return found
        return await self._directly(place, reply)

    def _is_fresh(self, handle: Handle) -> bool:
        begun = discord.utils.snowflake_time(int(handle.interaction))
        return self._options.clock() - begun < _TOKEN_LIFE

    async def _fill(self, place: Place, reply: Reply, handle: Handle) -> MessageRef | None:
        """Fill the message that was promised; None when the promise has ended or was never made."""
        if not self._is_fresh(handle):
            return None
        content = self._content(reply, None)
        files = content.pop("files")
        with asking("answering in private"):
            try:
                message = await self._webhook(handle).edit_message(
                    _PROMISED, **content, attachments=files, allowed_mentions=_NOBODY
                )
            except discord.HTTPException as error:
                self._look_at_refusal(error, handle)
                return None
        return MessageRef(place, str(PostedId(str(message.channel.id), str(message.id), is_private=True)))

    async def _add(self, place: Place, reply: Reply) -> MessageRef | None:
        """Answer a press of a button beside its card, to the one who pressed it."""
        handle = Handle.read(reply.handle)
        if handle is None:
            return None
        with asking("answering in private"):
            try:
                message = await self._webhook(handle).send(
                    **self._content(reply, None), ephemeral=True, wait=True, allowed_mentions=_NOBODY
                )
            except discord.HTTPException as error:
                self._look_at_refusal(error, handle)
                return None
        return MessageRef(place, str(PostedId(str(message.channel.id), str(message.id), is_private=True)))

    def _look_at_refusal(self, error: discord.HTTPException, handle: Handle) -> None:
        """Return when a token has ended or was never acknowledged; raise what is worth another try."""
        if error.status not in {401, 404}:
            raise error
        begun = discord.utils.snowflake_time(int(handle.interaction))
        if self._options.clock() - begun < _ACKNOWLEDGED_BY:
            # Another process may be about to acknowledge it.
            raise UnreachableError(NAME, "answering what is not acknowledged yet") from error

    async def _directly(self, place: Place, reply: Reply) -> MessageRef | None:
        """Send a direct message; None when the person takes none."""
        if reply.recipient is None:
            return None
        with asking("sending a direct message"):
            try:
                channel = await self._client.create_dm(discord.Object(int(reply.recipient)))
                message = await self._send_content(
                    _Spot(channel, channel.id), self._content(reply, None), nonce_of(reply.id)
                )
            except (discord.Forbidden, discord.NotFound):
                return None
        return MessageRef(place, str(PostedId(str(message.channel.id), str(message.id))))

    def _content(self, reply: Reply, thread: str | None, asker: str | None = None) -> dict[str, Any]:
        """Return a reply as the library's arguments."""
        drawn = render(reply.card, OwnMark.of(reply.id, thread), self._options.pages_url, asker)
        files = [discord.File(io.BytesIO(one.text.encode()), one.name) for one in drawn.files]
        content: dict[str, Any] = {
            "content": drawn.content,
            "embeds": [discord.Embed.from_dict(embed) for embed in drawn.embeds],
            "files": files,
        }
        if drawn.buttons or drawn.choices:
            view = discord.ui.View(timeout=None)
            for choice in drawn.choices:
                view.add_item(CardChoice(choice.custom_id, choice.label, choice.options))
            for button in drawn.buttons:
                view.add_item(CardButton(button.custom_id, button.label, button.style))
            content["view"] = view
        return content

    def _webhook(self, handle: Handle) -> discord.Webhook:
        webhook = discord.Webhook.partial(self._client.application_id or 0, handle.token, client=self._client)
        webhook.type = discord.WebhookType.application
        return webhook

    def _spots(self, place: Place) -> list[_Spot]:
        """Return where a reply belongs, then where it may stand from before a thread was opened."""
        channel_id = int(place.channel)
        guild_id = int(place.team) if place.team.isdigit() else None
        channel = self._client.get_partial_messageable(channel_id, guild_id=guild_id)
        head = int(place.thread) if place.thread else None
        if head is None:
            return [_Spot(channel, channel_id)]
        reference = discord.MessageReference(
            message_id=head, channel_id=channel_id, guild_id=guild_id, fail_if_not_exists=False
        )
        spots = [_Spot(channel, channel_id, reference)]
        thread = self._client.get_channel(head)
        if isinstance(thread, discord.Thread):
            spots.insert(0, _Spot(thread, thread.id))
        parent = self._client.get_channel(channel_id)
        if isinstance(parent, discord.ForumChannel):
            # A forum holds no messages: its threads do, also those that have gone quiet.
            archived = self._client.get_partial_messageable(head, guild_id=guild_id)
            return [_Spot(archived, head)]
        return spots


async def _around(channel: discord.abc.Messageable, head: str | None) -> AsyncIterator[discord.Message]:
    """Return the newest messages of a channel, then those that came right after the head of a thread."""
    seen: set[int] = set()
    async for message in channel.history(limit=_SEARCHED):
        seen.add(message.id)
        yield message
    if head is None or len(seen) < _SEARCHED:
        return
    async for message in channel.history(limit=_SEARCHED, after=discord.Object(int(head)), oldest_first=True):
        if message.id not in seen:
            yield message
