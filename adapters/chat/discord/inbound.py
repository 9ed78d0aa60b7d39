"""What Discord delivers → messages and clicks. Pure. Not for deciding what is worth an answer.

A thread of ours is headed by one message: a Discord thread has the id of the message it was opened on, a
reply hangs on the message it answers, and a command is headed by its own interaction.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import discord

from adapters.chat.discord.ids import Handle, OwnMark, PostedId
from adapters.chat.discord.options import NAME
from adapters.chat.interface import Click, File, IncomingMessage, MessageRef, Person, Place, Trigger

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from adapters.chat.discord.ids import ButtonId

    Payload = Mapping[str, Any]

#: where direct messages stand
DIRECT = "@me"
#: messages that people write; all others are notices of Discord's own
_WRITTEN = {discord.MessageType.default, discord.MessageType.reply}
#: files that are certainly no log
_NO_TEXT = re.compile(
    r"(?:image|video|audio|font|model)/|application/(?:zip|gzip|x-gzip|x-tar|x-7z|x-rar|vnd\.rar|pdf|x-bzip)",
    re.IGNORECASE,
)
_MEMORY = 10_000


class Threads:
    """Which thread recent messages belong to, for replies to replies. Bounded."""

    def __init__(self, limit: int = _MEMORY) -> None:
        self._heads: OrderedDict[str, str] = OrderedDict()
        self._limit = limit

    def note(self, message: str, head: str) -> None:
        """Remember that a message belongs to the thread of another one."""
        self._heads[message] = head
        self._heads.move_to_end(message)
        while len(self._heads) > self._limit:
            self._heads.popitem(last=False)

    def head_of(self, message: str) -> str:
        """Return the message that heads the thread of a message; itself when nothing else is known."""
        return self._heads.get(message, message)


def place_of(message: discord.Message, threads: Threads, own: int) -> Place:
    """Return where a message stands."""
    channel = message.channel
    team = _team(message)
    if isinstance(channel, discord.Thread):
        return Place(NAME, team, str(channel.parent_id), str(channel.id))
    head = _head(message, threads, own)
    return Place(NAME, team, str(channel.id), head)


def _team(message: discord.Message) -> str:
    """Return the guild of a message, also of one that the library does not know yet."""
    guild_id = message.guild.id if message.guild else getattr(message.channel, "guild_id", None)
    return str(guild_id) if guild_id else DIRECT


def _head(message: discord.Message, threads: Threads, own: int) -> str | None:
    """Return the message on which a reply hangs in the end; None when it is no reply."""
    if message.author.id == own and (thread := _marked_thread(message)):
        return thread
    reference = message.reference
    if reference is None or reference.message_id is None or reference.channel_id != message.channel.id:
        return None
    if reference.type is not discord.MessageReferenceType.default:
        return None
    answered = reference.resolved
    head = str(reference.message_id)
    if isinstance(answered, discord.Message):
        further = answered.reference
        if answered.author.id == own and (thread := _marked_thread(answered)):
            head = thread
        elif further is not None and further.message_id is not None:
            head = str(further.message_id)
    return threads.head_of(head)


def _marked_thread(message: discord.Message) -> str | None:
    mark = own_mark(message)
    return mark.thread if mark else None


def own_mark(message: discord.Message) -> OwnMark | None:
    """Return what one of our replies says about itself."""
    lines = [embed.footer.text or "" for embed in message.embeds]
    return OwnMark.read(lines[-1]) if lines else None


def is_written(message: discord.Message) -> bool:
    """Tell whether somebody wrote a message, rather than Discord a notice."""
    return message.type in _WRITTEN


def message_of(
    message: discord.Message, threads: Threads, own: discord.abc.Snowflake, *, edited: bool = False
) -> IncomingMessage | None:
    """Return what somebody said; None for notices, our own words, and what holds nothing to look at.

    `edited`: this is a later text of a message that was delivered before.
    """
    if not is_written(message) or message.author.id == own.id:
        return None
    place = place_of(message, threads, own.id)
    message_id = str(message.id)
    # The first message of a thread stands before it or in it: both are the head.
    threads.note(message_id, place.thread or message_id)
    text, called = _without_call(_text_of(message), _calls(message, own.id))
    files = files_of(message)
    asked = called or place.team == DIRECT
    if not text.strip() and not files and not asked:
        return None
    trigger = Trigger.EDITED if edited else Trigger.MENTION if asked else Trigger.SAID
    key = f"message:{message_id}"
    if edited:
        key = f"edit:{message_id}:{message.edited_at.isoformat() if message.edited_at else ''}"
    return IncomingMessage(
        ref=MessageRef(place, message_id),
        author=person_of(message.author, is_bot=message.webhook_id is not None),
        text=text,
        trigger=trigger,
        sent_at=message.edited_at if edited and message.edited_at else message.created_at,
        delivery_keys=(key,),
        files=files,
    )


def person_of(user: discord.abc.User, *, is_bot: bool = False) -> Person:
    """Return who somebody is."""
    return Person(str(user.id), user.display_name, is_bot or user.bot)


def _text_of(message: discord.Message) -> str:
    """Return all that a message says: its text, what it forwards, and the embeds of a bot."""
    texts = [message.content, *(one.content for one in message.message_snapshots)]
    if message.author.bot or message.webhook_id is not None:
        texts += [text for embed in message.embeds for text in _embed_texts(embed)]
    return "\n".join(text for text in texts if text)


def _embed_texts(embed: discord.Embed) -> Iterable[str]:
    yield from (text for text in (embed.title, embed.description) if text)
    for field in embed.fields:
        yield f"{field.name}: {field.value}"


def _calls(message: discord.Message, own: int) -> tuple[str, ...]:
    """Return how our name may be written in a message: as a person, and as our own role."""
    roles = [role for role in message.role_mentions if role.tags and role.tags.bot_id == own]
    return (f"<@{own}>", f"<@!{own}>", *(f"<@&{role.id}>" for role in roles))


def _without_call(text: str, calls: Sequence[str]) -> tuple[str, bool]:
    """Return the text without our name, and whether it was there."""
    found = [call for call in calls if call in text]
    for call in found:
        text = text.replace(call, "")
    return (text.strip() if found else text), bool(found)


def files_of(message: discord.Message) -> tuple[File, ...]:
    """Return the files of a message and of what it forwards that may be logs."""
    snapshots = [one for snapshot in message.message_snapshots for one in snapshot.attachments]
    where = f"message:{message.channel.id}/{message.id}"
    return tuple(
        _file(one, f"{where}/{one.id}") for one in (*message.attachments, *snapshots) if _is_log(one)
    )


def _is_log(attachment: discord.Attachment) -> bool:
    return not _NO_TEXT.match(attachment.content_type or "")


def _file(attachment: discord.Attachment, file_id: str) -> File:
    return File(file_id, attachment.filename, attachment.size, attachment.content_type)


def loose_file(attachment: discord.Attachment) -> File:
    """Return a file that came with a command or form: it hangs on no message, so its address is its id."""
    return _file(attachment, f"address:{attachment.url}")


def interaction_place(interaction: discord.Interaction[Any]) -> Place:
    """Return where somebody asked; a command outside a Discord thread heads a thread of its own."""
    team = str(interaction.guild_id) if interaction.guild_id else DIRECT
    channel = interaction.channel
    if isinstance(channel, discord.Thread):
        return Place(NAME, team, str(channel.parent_id), str(channel.id))
    return Place(NAME, team, str(interaction.channel_id))


def handle_of(interaction: discord.Interaction[Any], *, is_pending: bool) -> str:
    """Return what answers an interaction later."""
    return str(Handle(is_pending, str(interaction.id), str(interaction.user.id), interaction.token))


def request_of(
    interaction: discord.Interaction[Any],
    trigger: Trigger,
    text: str,
    files: Sequence[File] = (),
    fields: Mapping[str, str] | None = None,
) -> IncomingMessage:
    """Return what somebody asked by a command or a form."""
    interaction_id = str(interaction.id)
    return IncomingMessage(
        ref=MessageRef(interaction_place(interaction), interaction_id),
        author=person_of(interaction.user),
        text=text,
        trigger=trigger,
        sent_at=interaction.created_at,
        delivery_keys=(f"interaction:{interaction_id}",),
        files=tuple(files),
        fields=dict(fields or {}),
        language=str(interaction.locale),
        handle=handle_of(interaction, is_pending=True),
        groups=_roles(interaction),
    )


def pointed_at(
    interaction: discord.Interaction[Any], message: discord.Message, threads: Threads, own: int
) -> IncomingMessage:
    """Return a message that somebody pointed at; it is whoever pointed that asks."""
    return IncomingMessage(
        ref=MessageRef(place_of(message, threads, own), str(message.id)),
        author=person_of(interaction.user),
        text=_without_call(_text_of(message), _calls(message, own))[0],
        trigger=Trigger.SHORTCUT,
        sent_at=interaction.created_at,
        delivery_keys=(f"interaction:{interaction.id}",),
        files=files_of(message),
        language=str(interaction.locale),
        handle=handle_of(interaction, is_pending=True),
    )


def click_of(
    interaction: discord.Interaction[Any], button: ButtonId, threads: Threads, clicked_at: datetime
) -> Click:
    """Return that somebody pressed a button of a card; `message` is the card's id as posting returned it."""
    message = interaction.message
    place, posted = interaction_place(interaction), None
    if button.card is not None:
        posted = PostedId(str(interaction.channel_id), button.card, is_asked=button.is_asked)
        head = threads.head_of(button.card)
        place = replace(place, thread=place.thread or (head if head != button.card else None))
    elif message is not None:
        place = place_of(message, threads, interaction.application_id)
        posted = posted_id(message)
    return Click(
        message=MessageRef(place, str(posted or interaction.id)),
        person=person_of(interaction.user),
        action=button.action,
        value=button.value,
        clicked_at=clicked_at,
        delivery_keys=(f"interaction:{interaction.id}",),
        handle=handle_of(interaction, is_pending=False),
        groups=_roles(interaction),
        language=str(interaction.locale),
    )


def _roles(interaction: discord.Interaction[Any]) -> tuple[str, ...]:
    """Return the roles of whoever acts, which Discord tells with everything that is done in a server."""
    member = interaction.user
    if not isinstance(member, discord.Member):
        return ()
    # the library's own list leaves out roles that it has not heard of; the guild's number is everybody's role
    told = member._roles  # noqa: SLF001 (as above)
    return (str(member.guild.id), *(str(role) for role in told))


def posted_id(message: discord.Message) -> PostedId:
    """Return the id of one of our replies."""
    return PostedId(
        str(message.channel.id),
        str(message.id),
        is_private=message.flags.ephemeral,
        is_asked=_marked_thread(message) is not None,
    )
