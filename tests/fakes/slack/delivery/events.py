"""What the app is told when something happens in a channel: events in their `event_callback` wrapping."""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.fakes.slack.channel import Channel
from tests.fakes.slack.delivery.dispatcher import Delivery, Dispatcher
from tests.fakes.slack.records import Message, Payload, SlackAddresses, SlackSettings, StoredFile

if TYPE_CHECKING:
    from tests.fakes.slack.channel import Stamps

_SUBSCRIPTIONS = {"channel": "message.channels", "group": "message.groups", "im": "message.im"}


@dataclass
class Events:
    """Turns happenings into deliveries, if the app is subscribed and a member of the channel."""

    settings: SlackSettings
    dispatcher: Dispatcher
    stamps: "Stamps"
    addresses: SlackAddresses

    def posted(self, message: Message, channel: Channel) -> list[Delivery]:
        """A new message: `message`, and `app_mention` or `file_shared` where they apply."""
        event = {
            **message.payload,
            "channel": channel.id,
            "event_ts": message.ts,
            "channel_type": channel.kind,
        }
        sent = [self.emit(event, channel, message)]
        if f"<@{self.addresses.bot_user_id}" in message.text and channel.kind != "im":
            kept = ("user", "text", "ts", "thread_ts", "team", "blocks", "files", "bot_id", "client_msg_id")
            mention = {key: message.payload[key] for key in kept if key in message.payload}
            sent.append(
                self.emit(
                    {"type": "app_mention", **mention, "channel": channel.id, "event_ts": message.ts},
                    channel,
                    message,
                )
            )
        for file in message.payload.get("files", []):
            shared = {
                "type": "file_shared",
                "file_id": file["id"],
                "file": {"id": file["id"]},
                "channel_id": channel.id,
                "user_id": message.author.id,
                "event_ts": message.ts,
            }
            sent.append(self.emit(shared, channel, message))
        return [delivery for delivery in sent if delivery]

    def changed(self, message: Message, previous: Payload, channel: Channel) -> Delivery | None:
        """`message_changed`: an edit, but also an unfurled link or a new thread count."""
        stamp = self.stamps.ts()
        return self.emit(
            {
                "type": "message",
                "subtype": "message_changed",
                "hidden": True,
                "channel": channel.id,
                "ts": stamp,
                "event_ts": stamp,
                "channel_type": channel.kind,
                "message": dict(message.payload),
                "previous_message": previous,
            },
            channel,
            message,
        )

    def deleted(self, message: Message, channel: Channel) -> Delivery | None:
        """`message_deleted` with what stood there."""
        stamp = self.stamps.ts()
        return self.emit(
            {
                "type": "message",
                "subtype": "message_deleted",
                "hidden": True,
                "channel": channel.id,
                "ts": stamp,
                "event_ts": stamp,
                "channel_type": channel.kind,
                "deleted_ts": message.ts,
                "previous_message": dict(message.payload),
            },
            channel,
            message,
        )

    def emit(self, event: Payload, channel: Channel, message: Message | None = None) -> Delivery | None:
        """Wrap and send one event; None if the app would not get it."""
        wanted = _SUBSCRIPTIONS[channel.kind] if event["type"] == "message" else event["type"]
        if wanted not in self.settings.events or self.addresses.bot_user_id not in channel.members:
            return None
        payload = {
            "token": "verification-token",
            "team_id": self.addresses.team_id,
            "api_app_id": self.addresses.app_id,
            "type": "event_callback",
            "event_id": self.dispatcher.next_event_id(),
            "event_time": int(time.time()),
            "is_ext_shared_channel": channel.shared,
            "event_context": "4-fake",
            "event": event,
            "authorizations": [
                {
                    "enterprise_id": None,
                    "team_id": self.addresses.team_id,
                    "is_bot": True,
                    "user_id": self.addresses.bot_user_id,
                    "is_enterprise_install": False,
                }
            ],
        }
        if message:
            message.delivered.append(payload)
        return self.dispatcher.send("events_api", payload)

    def again(self, message: Message) -> list[Delivery]:
        """Deliver every event about a message once more, with the same event ids."""
        return [self.dispatcher.send("events_api", payload) for payload in list(message.delivered)]

    def rate_limited(self) -> Delivery:
        """More than 30,000 events an hour: this payload comes instead of the events, which are lost."""
        return self.dispatcher.send(
            "events_api",
            {
                "token": "verification-token",
                "team_id": self.addresses.team_id,
                "type": "app_rate_limited",
                "minute_rate_limited": int(time.time()) // 60 * 60,
                "api_app_id": self.addresses.app_id,
            },
        )


def described_file(file: StoredFile, base_url: str, *, connect: bool = False) -> Payload:
    """A file as events and `files.info` show it; through Slack Connect only `check_file_info` comes."""
    if connect:
        return {
            "id": file.id,
            "created": None,
            "timestamp": None,
            "user": None,
            "file_access": "check_file_info",
            "mode": "file_access",
        }
    kind = file.name.rpartition(".")[2] if "." in file.name else "text"
    address = f"{base_url}files-pri/T0FAKE-{file.id}"
    preview = {"preview": file.content[:400].decode(errors="replace"), "lines": file.content.count(b"\n") + 1}
    return {
        "id": file.id,
        "created": file.created,
        "timestamp": file.created,
        "name": file.name,
        "title": file.title or file.name,
        "mimetype": file.mimetype,
        "filetype": {"txt": "text", "log": "text"}.get(kind, kind),
        "pretty_type": "Plain Text",
        "user": file.owner.id,
        "editable": file.mode == "snippet",
        "size": len(file.content),
        "mode": file.mode,
        "is_external": False,
        "external_type": "",
        "is_public": True,
        "file_access": "visible",
        "url_private": f"{address}/{file.name}",
        "url_private_download": f"{address}/download/{file.name}",
        "permalink": f"{base_url}files/{file.id}",
        "has_rich_preview": False,
        **(preview if file.mode == "snippet" else {}),
    }
