"""What Slack sends → messages and clicks. Pure. Not for keeping, acknowledging or answering them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from adapters.chat.interface import Click, IncomingMessage, MessageRef, Person, Place, Trigger
from adapters.chat.slack.options import NAME
from adapters.chat.slack.reading import files_of, text_of
from adapters.chat.slack.texts import names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adapters.chat.slack.options import Hearing, Identity

    Payload = Mapping[str, Any]

_TS = re.compile(r"\d{1,12}\.\d{1,9}\Z", re.ASCII)
#: subtypes under which somebody really says something
_SAID = {None, "bot_message", "file_share", "me_message", "thread_broadcast"}
_CLOCKS_DIFFER_S = 600.0
_SLACKBOT = "USLACKBOT"


@dataclass(frozen=True, slots=True)
class Handle:
    """What it takes to answer a command, form, shortcut or click without being in the channel."""

    #: good for 30 minutes and five answers; empty: there is none
    url: str = ""
    #: name of whoever asked where nobody else sees that
    asked_by: str = ""

    def __str__(self) -> str:
        return f"{self.url} {self.asked_by}".rstrip()

    @classmethod
    def parse(cls, text: str | None) -> Handle:
        """Return the handle that was written as text."""
        url, _, asked_by = (text or "").partition(" ")
        return cls(url, asked_by)


def is_ts(message_id: str | None) -> bool:
    """Tell whether an id is Slack's own name of a message, and not one of ours for a command or form."""
    return message_id is not None and bool(_TS.match(message_id))


def asked_at(message_id: str | None) -> str | None:
    """Return since when the answer to a command or form may stand there, as Slack counts time.

    Earlier than we think by what clocks may differ; None for other ids.
    """
    parts = (message_id or "").split("-", 2)
    is_ours = len(parts) == 3 and _TS.match(parts[1])
    return f"{max(0.0, float(parts[1]) - _CLOCKS_DIFFER_S):.6f}" if is_ours else None


def message_of(payload: Payload, us: Identity, hearing: Hearing) -> IncomingMessage | None:
    """Return what an event says; None for all that is no new text of somebody else, or is not listened to."""
    event = payload.get("event") or {}
    if event.get("type") == "app_mention":
        message = _said(event, event, us)
    elif event.get("type") != "message":
        return None
    elif event.get("subtype") == "message_changed":
        message = _changed(event, us)
    elif event.get("subtype") in _SAID and not event.get("hidden"):
        message = _said(event, event, us)
    else:
        return None
    if message is None:
        return None
    is_shared = bool(payload.get("is_ext_shared_channel"))
    if not is_listened_to(message, hearing, is_shared=is_shared):
        return None
    if not payload.get("event_id"):
        return message
    return replace(message, delivery_keys=(*message.delivery_keys, f"event:{payload['event_id']}"))


def is_listened_to(message: IncomingMessage, hearing: Hearing, *, is_shared: bool) -> bool:
    """Tell whether a message is heard; `is_shared` is what Slack says of its channel."""
    if message.trigger.is_asking:
        return hearing.mentions
    channel = message.ref.place.channel
    is_here = not hearing.channels or channel in hearing.channels
    return hearing.unasked and is_here and (hearing.in_shared_channels or not is_shared)


def _said(event: Payload, message: Payload, us: Identity) -> IncomingMessage | None:
    """Return a new message. Both events about a mention carry the same key, whichever comes first."""
    author = author_of(message, us)
    ref = _ref(str(event.get("channel") or ""), message, us)
    if author is None or ref is None:
        return None
    edited = (message.get("edited") or {}).get("ts")
    place = f"{ref.place.channel}:{ref.id}"
    return IncomingMessage(
        ref=ref,
        author=author,
        text=text_of(message, us.user, is_bot=author.is_bot),
        trigger=_trigger(event, message, us),
        sent_at=time_of(ref.id),
        delivery_keys=(f"edit:{place}:{edited}",) if edited else (f"message:{place}",),
        files=files_of(message),
    )


def _changed(event: Payload, us: Identity) -> IncomingMessage | None:
    """Return an edited message; None when its text stayed the same: unfurls and reply counts come so too."""
    message, before = event.get("message") or {}, event.get("previous_message")
    if message.get("subtype") not in _SAID or before is None:
        return None
    author = author_of(message, us)
    ref = _ref(str(event.get("channel") or ""), message, us)
    if author is None or ref is None:
        return None
    text = text_of(message, us.user, is_bot=author.is_bot)
    now_asked = names(str(message.get("text")), us.user) and not names(str(before.get("text")), us.user)
    if not now_asked and text == text_of(before, us.user, is_bot=author.is_bot):
        return None
    stamp = (message.get("edited") or {}).get("ts") or event.get("ts")
    return IncomingMessage(
        ref=ref,
        author=author,
        text=text,
        trigger=Trigger.MENTION if now_asked else Trigger.EDITED,
        sent_at=time_of(ref.id),
        delivery_keys=(f"edit:{ref.place.channel}:{ref.id}:{stamp}",),
        files=files_of(message),
    )


def _trigger(event: Payload, message: Payload, us: Identity) -> Trigger:
    is_direct = event.get("channel_type") == "im" or str(event.get("channel")).startswith("D")
    is_named = event.get("type") == "app_mention" or names(str(message.get("text")), us.user)
    return Trigger.MENTION if is_direct or is_named else Trigger.SAID


def with_thread(message: IncomingMessage, thread: Sequence[Payload], us: Identity) -> IncomingMessage:
    """Return a message that also says what the others said in its thread, oldest first."""
    said = [(one, author_of(one, us)) for one in thread if one.get("ts") != message.ref.id]
    texts = [text_of(one, us.user, is_bot=author.is_bot) for one, author in said if author is not None]
    files = [file for one, author in said if author is not None for file in files_of(one)]
    return replace(message, text="\n".join(filter(None, (*texts, message.text))), files=tuple(files[-10:]))


def shared_file_of(event: Payload, file: Payload, us: Identity) -> IncomingMessage | None:
    """Return the message that brought a file, from `file_shared` and what `files.info` says of the file.

    It has the same key as the message itself, whose event normally comes first and says more.
    """
    channel, user = str(event.get("channel_id") or ""), str(event.get("user_id") or "")
    files = files_of({"files": [file]})
    if not files or user in {"", us.user} or not channel:
        return None
    place = _share(file, channel) or {"ts": event.get("event_ts")}
    ref = _ref(channel, place, us)
    if ref is None:
        return None
    keys = (f"message:{channel}:{ref.id}", f"file:{channel}:{ref.id}:{files[0].id}")
    trigger = Trigger.MENTION if channel.startswith("D") else Trigger.SAID
    return IncomingMessage(ref, Person(user, user), "", trigger, time_of(ref.id), keys, files)


def _share(file: Payload, channel: str) -> Payload | None:
    """Return where a file stands in a channel: the newest message that shows it."""
    shares = file.get("shares") or {}
    found = [one for kind in ("public", "private") for one in (shares.get(kind) or {}).get(channel) or []]
    return max(found, key=lambda one: str(one.get("ts")), default=None)


def command_of(payload: Payload, us: Identity, now: datetime) -> IncomingMessage | None:
    """Return a slash command with text."""
    channel, user = str(payload.get("channel_id") or ""), str(payload.get("user_id") or "")
    trigger_id = str(payload.get("trigger_id") or "")
    if not channel or not user or not trigger_id:
        return None
    name = str(payload.get("user_name") or user)
    return IncomingMessage(
        ref=MessageRef(Place(NAME, us.team, channel), own_id("command", now, trigger_id)),
        author=Person(user, name),
        text=text_of({"text": payload.get("text")}, us.user, is_bot=False),
        trigger=Trigger.COMMAND,
        sent_at=now,
        delivery_keys=(f"command:{trigger_id}",),
        handle=str(Handle(str(payload.get("response_url") or ""), name)),
    )


def shortcut_of(payload: Payload, us: Identity, now: datetime) -> IncomingMessage | None:
    """Return the message that somebody pointed at; they are the ones who wait for an answer."""
    message = payload.get("message") or {}
    channel = str((payload.get("channel") or {}).get("id") or "")
    ref = _ref(channel, {**message, "ts": message.get("ts") or payload.get("message_ts")}, us)
    person = _presser(payload)
    if ref is None or person is None:
        return None
    return IncomingMessage(
        ref=ref,
        author=person,
        text=text_of(message, us.user, is_bot=bool(message.get("bot_id"))),
        trigger=Trigger.SHORTCUT,
        sent_at=now,
        delivery_keys=(f"shortcut:{payload.get('trigger_id') or payload.get('action_ts')}",),
        files=files_of(message),
        handle=str(Handle(str(payload.get("response_url") or ""))) or None,
    )


def click_of(payload: Payload, us: Identity, now: datetime) -> Click | None:
    """Return a press of one of our buttons, or what was chosen; None for all else that can be acted on there."""
    actions = payload.get("actions") or []
    container, message = payload.get("container") or {}, payload.get("message") or {}
    channel = str((payload.get("channel") or {}).get("id") or container.get("channel_id") or "")
    message_id = str(message.get("ts") or container.get("message_ts") or "")
    thread = message.get("thread_ts") or container.get("thread_ts")
    person = _presser(payload)
    given = _value(actions[0]) if actions else None
    if given is None or not channel or not message_id or person is None:
        return None
    action = str(actions[0].get("action_id") or "").partition("#")[0]
    value = given[:100]
    place = Place(NAME, us.team, channel, str(thread) if thread and thread != message_id else None)
    return Click(
        message=MessageRef(place, message_id),
        person=person,
        action=action,
        value=value,
        clicked_at=now,
        # every press has a time of its own: pressing again later is another press
        delivery_keys=(
            f"click:{channel}:{message_id}:{actions[0].get('action_ts') or value}:{person.id}"[:255],
        ),
        handle=str(Handle(str(payload.get("response_url") or ""))) or None,
    )


def _value(action: Payload) -> str | None:
    """Return what a button carries or an option stands for; None for other elements."""
    chosen = {"button": action, "static_select": action.get("selected_option") or {}}.get(
        str(action.get("type"))
    )
    return str(chosen.get("value") or "") if chosen is not None else None


def author_of(message: Payload, us: Identity) -> Person | None:
    """Return who wrote a message; a bot goes by its bot id. None for ourselves, so that no loop can start."""
    user, bot = str(message.get("user") or ""), str(message.get("bot_id") or "")
    if us.user == user or us.bot == bot or not (user or bot):
        return None
    if bot or user == _SLACKBOT or message.get("subtype") == "bot_message":
        profile = message.get("bot_profile") or {}
        name = profile.get("name") or message.get("username") or bot or user
        return Person(bot or user, str(name), is_bot=True)
    return Person(user, user)


def own_id(kind: str, now: datetime, unique: str) -> str:
    """Return an id for something that is asked without being a message in a channel."""
    return f"{kind}-{now.timestamp():.6f}-{unique}"


def time_of(ts: str) -> datetime:
    """Return the time that is in Slack's name of a message."""
    return datetime.fromtimestamp(float(ts), UTC)


def _ref(channel: str, message: Payload, us: Identity) -> MessageRef | None:
    ts, thread = str(message.get("ts") or ""), str(message.get("thread_ts") or "")
    if not channel or not is_ts(ts):
        return None
    is_reply = is_ts(thread) and thread != ts
    return MessageRef(Place(NAME, us.team, channel, thread if is_reply else None), ts)


def _presser(payload: Payload) -> Person | None:
    user = payload.get("user") or {}
    if not user.get("id"):
        return None
    return Person(str(user["id"]), str(user.get("username") or user.get("name") or user["id"]))
