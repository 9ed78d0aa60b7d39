"""Discord's JSON for users, guilds, channels, messages and interactions, from our records."""

import datetime as dt
import hashlib
from typing import Any
from urllib.parse import quote

from tests.fakes.discord.mentions import named_users
from tests.fakes.discord.records import Channel, Interaction, Message, Payload, StoredFile, User

#: everything a bot of ours could need, and more: fakes must not hide a ping behind a missing permission
ALL_PERMISSIONS = str((1 << 50) - 1)


def stamp(seconds: float) -> str:
    """ISO time as Discord writes it."""
    return dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat()


def seconds_of(snowflake: str) -> float:
    """When an id was made."""
    return ((int(snowflake) >> 22) + 1_420_070_400_000) / 1_000


def user(one: User) -> Payload:
    return {
        "id": one.id,
        "username": one.name,
        "global_name": None if one.bot else one.name.title(),
        "discriminator": "0",
        "avatar": None,
        "bot": one.bot,
        "public_flags": 0,
        "flags": 0,
    }


def member(one: User, *, alone: bool = True) -> Payload:
    """A member; in message events it comes without the user inside."""
    inner = {"user": user(one)} if alone else {}
    return {
        **inner,
        "roles": list(one.roles),
        "nick": None,
        "avatar": None,
        "joined_at": stamp(1.7e9),
        "premium_since": None,
        "deaf": False,
        "mute": False,
        "flags": 0,
        "pending": False,
        "communication_disabled_until": None,
        "permissions": ALL_PERMISSIONS,
    }


def channel(one: Channel) -> Payload:
    if one.kind == 1:
        recipients = [user(one.recipient)] if one.recipient else []
        return {"id": one.id, "type": 1, "last_message_id": None, "recipients": recipients, "flags": 0}
    if one.kind == 11:
        made = seconds_of(one.id)
        meta = {
            "archived": False,
            "auto_archive_duration": 1_440,
            "archive_timestamp": stamp(made),
            "locked": False,
        }
        return {
            "id": one.id,
            "guild_id": one.guild_id,
            "parent_id": one.parent_id,
            "owner_id": one.owner_id,
            "type": 11,
            "name": one.name,
            "last_message_id": None,
            "message_count": len(one.messages),
            "member_count": 1,
            "rate_limit_per_user": 0,
            "thread_metadata": meta,
            "total_message_sent": len(one.messages),
            "flags": 0,
        }
    return {
        "id": one.id,
        "guild_id": one.guild_id,
        "type": one.kind,
        "name": one.name,
        "position": 0,
        "topic": None,
        "nsfw": False,
        "last_message_id": None,
        "rate_limit_per_user": 0,
        "parent_id": None,
        "flags": 0,
        "permission_overwrites": [],
        "available_tags": [],
        "default_auto_archive_duration": 1_440,
    }


def guild(guild_id: str, name: str, bot: User, channels: list[Channel]) -> Payload:
    """As GUILD_CREATE gives it, with the bot as the only member that is told."""
    everyone = {
        "id": guild_id,
        "name": "@everyone",
        "color": 0,
        "hoist": False,
        "position": 0,
        "permissions": ALL_PERMISSIONS,
        "managed": False,
        "mentionable": False,
        "flags": 0,
        "icon": None,
        "unicode_emoji": None,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
    }
    empty: dict[str, list[Any]] = {
        key: []
        for key in (
            "emojis",
            "stickers",
            "features",
            "voice_states",
            "presences",
            "stage_instances",
            "guild_scheduled_events",
            "soundboard_sounds",
        )
    }
    return {
        "id": guild_id,
        "name": name,
        "owner_id": "1",
        "icon": None,
        "description": None,
        "splash": None,
        "banner": None,
        "unavailable": False,
        "large": False,
        "member_count": 3,
        "joined_at": stamp(1.7e9),
        "roles": [everyone],
        "members": [member(bot)],
        "channels": [channel(one) for one in channels if one.kind in (0, 15)],
        "threads": [channel(one) for one in channels if one.kind == 11],
        "verification_level": 0,
        "mfa_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "nsfw_level": 0,
        "premium_tier": 0,
        "premium_subscription_count": 0,
        "preferred_locale": "en-US",
        "system_channel_id": None,
        "afk_channel_id": None,
        "system_channel_flags": 0,
        "afk_timeout": 300,
        "application_id": None,
        **empty,
    }


class Links:
    """Signed, expiring addresses of attachments."""

    def __init__(self, base_url: str, lives_s: float) -> None:
        self._base_url = base_url
        self._lives_s = lives_s

    def attachment(self, file: StoredFile, now: float) -> Payload:
        made, ends = f"{int(now):x}", f"{int(now + self._lives_s):x}"
        signed = self.sign(file.id, made, ends)
        path = f"attachments/{file.channel_id}/{file.id}/{quote(file.name, safe='')}"
        url = f"{self._base_url}{path}?ex={ends}&is={made}&hm={signed}&"
        shown: Payload = {
            "id": file.id,
            "filename": file.name,
            "size": len(file.content),
            "url": url,
            "proxy_url": url,
        }
        return shown | ({"content_type": file.content_type} if file.content_type else {})

    def sign(self, file_id: str, made: str, ends: str) -> str:
        return hashlib.sha256(f"fake:{file_id}:{made}:{ends}".encode()).hexdigest()


def message(one: Message, attachments: list[Payload], users: dict[str, User]) -> Payload:
    """The full record, with freshly signed attachments."""
    named = [users[found] for found in named_users(one.payload.get("content") or "") if found in users]
    reply = one.payload.get("referenced_message")
    if reply and reply["author"]["id"] in users and one.pings & {reply["author"]["id"]}:
        named.append(users[reply["author"]["id"]])
    return {
        "type": 0,
        "tts": False,
        "pinned": False,
        "edited_timestamp": None,
        "flags": 0,
        "embeds": [],
        "components": [],
        "mention_roles": [],
        "mention_channels": [],
        "content": "",
        **{
            key: value for key, value in one.payload.items() if value is not None or key == "edited_timestamp"
        },
        "timestamp": stamp(seconds_of(one.id)),
        "channel_id": one.channel_id,
        "author": user(one.author),
        "attachments": attachments,
        "mentions": [user(each) for each in named],
        "mention_everyone": bool(one.pings & {"everyone", "here"}),
    }


def without_content(shown: Payload) -> Payload:
    """What an app sees that may not read messages."""
    return shown | {"content": "", "embeds": [], "attachments": [], "components": []}


def interaction(one: Interaction, application_id: str, shown_message: Payload | None) -> Payload:
    guild_id = one.channel.guild_id
    payload: Payload = {
        "id": one.id,
        "application_id": application_id,
        "type": one.kind,
        "token": one.token,
        "version": 1,
        "data": one.data,
        "channel_id": one.channel.id,
        "channel": channel(one.channel) | {"permissions": ALL_PERMISSIONS},
        "locale": "en-US",
        "app_permissions": ALL_PERMISSIONS,
        "entitlements": [],
        "attachment_size_limit": 10_485_760,
        "authorizing_integration_owners": {"0": guild_id or "0"},
        "context": 0 if guild_id else 1,
    }
    if guild_id:
        payload |= {
            "guild_id": guild_id,
            "guild_locale": "en-US",
            "member": member(one.user),
            "guild": {"id": guild_id, "locale": "en-US", "features": []},
        }
    else:
        payload["user"] = user(one.user)
    return payload | ({"message": shown_message} if shown_message else {})
