"""What people do in Slack: talk, upload, edit, use commands, shortcuts, buttons and forms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.fakes.slack.escaping import as_typed, unescape
from tests.fakes.slack.forms import state_values
from tests.fakes.slack.reading import buttons, choices
from tests.fakes.slack.records import Account, Message, OpenView, Payload, StoredFile
from tests.fakes.stage import Upload

if TYPE_CHECKING:
    from tests.fakes.slack.channel import Channel
    from tests.fakes.slack.delivery.dispatcher import Delivery
    from tests.fakes.slack.workspace import Workspace


@dataclass(frozen=True)
class Person:
    """Somebody in the workspace; channels are given by name."""

    workspace: "Workspace"
    account: Account

    async def says(
        self,
        channel: str,
        text: str,
        *,
        thread: Message | None = None,
        files: Sequence[Upload] = (),
    ) -> Message:
        """Post. A text too long for the client becomes a snippet; links, `@name`, & < > go Slack's way."""
        room = self._room(channel)
        uploads = list(files)
        mode = "hosted"
        if len(text) > self.workspace.settings.paste_limit:
            uploads, text, mode = [Upload("Untitled", text.encode()), *uploads], "", "snippet"
        payload = self._payload(text)
        if thread:
            payload["thread_ts"] = thread.thread_ts or thread.ts
        if uploads:
            stored = [self._store(upload, mode, room) for upload in uploads]
            payload |= {
                "subtype": "file_share",
                "upload": False,
                "files": [self.workspace.shown_file(one) for one in stored],
            }
        return self.workspace.keep(Message(payload, room.id, self.account), room)

    async def edits(self, message: Message, text: str) -> Message:
        """Change the text of one's own message."""
        previous = dict(message.payload)
        message.payload |= {
            "text": self._typed(text),
            "edited": {"user": self.account.id, "ts": self.workspace.stamps.ts()},
        }
        message.payload["blocks"] = _composed(message.text)
        message.edits += 1
        self.workspace.events.changed(message, previous, self._where(message))
        return message

    async def deletes(self, message: Message) -> None:
        """Take a message away."""
        message.deleted = True
        self.workspace.events.deleted(message, self._where(message))

    async def commands(self, channel: str, command: str, text: str = "") -> "Delivery":
        """A slash command. It is told to the app even where the bot is no member. Never in a thread."""
        room = self._room(channel)
        addresses = self.workspace.addresses
        payload = {
            "token": "verification-token",
            "team_id": addresses.team_id,
            "team_domain": "fake",
            "channel_id": room.id,
            "channel_name": room.name if room.kind == "channel" else "privategroup",
            "user_id": self.account.id,
            "user_name": self.account.name,
            "command": command,
            "text": text,
            "api_app_id": addresses.app_id,
            "is_enterprise_install": "false",
            "response_url": self.workspace.responses.response_url(room, self.account),
            "trigger_id": self.workspace.responses.triggers.new(self.account, room),
        }
        return self.workspace.dispatcher.send(
            "slash_commands", payload, self.workspace.responses.command_answered
        )

    async def presses(self, message: Message, label: str) -> "Delivery":
        """Press a button by its label."""
        found = next((one for one in buttons(message.payload) if one["text"]["text"] == label), None)
        if found is None:
            raise AssertionError(
                f"no button {label!r}; there are {[one['text']['text'] for one in buttons(message.payload)]}"
            )
        kept = {
            key: found[key]
            for key in ("type", "block_id", "action_id", "text", "value", "style")
            if key in found
        }
        return self._acts(message, kept)

    async def chooses(self, message: Message, label: str) -> "Delivery":
        """Choose an option of a list by its label."""
        there = [(one, option) for one in choices(message.payload) for option in one["options"]]
        found = next(((one, option) for one, option in there if option["text"]["text"] == label), None)
        assert found, f"no option {label!r}; there are {[option['text']['text'] for _, option in there]}"
        element, option = found
        kept = {key: element[key] for key in ("type", "block_id", "action_id", "placeholder")}
        return self._acts(message, {**kept, "selected_option": option})

    def _acts(self, message: Message, action: Payload) -> "Delivery":
        room = self._where(message)
        container: Payload = {
            "type": "message",
            "message_ts": message.ts,
            "channel_id": room.id,
            "is_ephemeral": bool(message.private_to),
        }
        return self._interacts(
            room,
            {
                "type": "block_actions",
                "actions": [{**action, "action_ts": self.workspace.stamps.ts()}],
                "container": container,
                "message": dict(message.payload),
                "state": {"values": {}},
                "channel": {"id": room.id, "name": room.name},
            },
            message,
        )

    async def uses_shortcut(self, message: Message, callback_id: str) -> "Delivery":
        """The message shortcut, which works in threads too."""
        room = self._where(message)
        return self._interacts(
            room,
            {
                "type": "message_action",
                "callback_id": callback_id,
                "message_ts": message.ts,
                "message": dict(message.payload),
                "channel": {"id": room.id, "name": room.name},
                "action_ts": self.workspace.stamps.ts(),
            },
            message,
        )

    async def submits(self, view: OpenView, values: Mapping[str, str | Upload]) -> "Delivery":
        """Fill in a form by labels and send it; the client refuses missing required fields."""
        room = self.workspace.by_id(view.channel_id)

        def keep(upload: Upload) -> Payload:
            return self.workspace.shown_file(self._store(upload, "hosted", room))

        payload = {**view.payload, "state": {"values": state_values(view.payload, values, keep)}}
        return self.workspace.dispatcher.send(
            "interactive",
            {
                **self._who(),
                "type": "view_submission",
                "view": payload,
                "trigger_id": self.workspace.responses.triggers.new(self.account, room),
                "response_urls": [],
            },
            lambda delivery: self.workspace.responses.form_answered(view, delivery),
        )

    def _interacts(self, room: "Channel", payload: Payload, message: Message) -> "Delivery":
        responses = self.workspace.responses
        return self.workspace.dispatcher.send(
            "interactive",
            {
                **self._who(),
                **payload,
                "trigger_id": responses.triggers.new(self.account, room),
                "response_url": responses.response_url(room, self.account, message),
            },
        )

    def _who(self) -> Payload:
        return {
            "user": {
                "id": self.account.id,
                "username": self.account.name,
                "name": self.account.name,
                "team_id": "T0FAKE",
            },
            "team": {"id": "T0FAKE", "domain": "fake"},
            "api_app_id": self.workspace.addresses.app_id,
            "token": "verification-token",
            "enterprise": None,
            "is_enterprise_install": False,
        }

    def _payload(self, text: str) -> Payload:
        payload: Payload = {
            "type": "message",
            "text": self._typed(text),
            "ts": self.workspace.stamps.ts(),
            "team": "T0FAKE",
        }
        if self.account.bot_id is None:
            return payload | {
                "user": self.account.id,
                "client_msg_id": f"msg-{payload['ts']}",
                "blocks": _composed(payload["text"]),
            }
        payload["bot_id"] = self.account.bot_id
        if self.account.app_id is None:
            return payload | {"subtype": "bot_message", "username": self.account.name}
        profile = {
            "id": self.account.bot_id,
            "app_id": self.account.app_id,
            "name": self.account.name,
            "team_id": "T0FAKE",
        }
        return payload | {"user": self.account.id, "app_id": self.account.app_id, "bot_profile": profile}

    def _typed(self, text: str) -> str:
        people = {name: one.id for name, one in self.workspace.accounts.items()}
        channels = {name: one.id for name, one in self.workspace.channels.items()}
        return as_typed(text, people, channels, bare_names=self.workspace.settings.links_bare_names)

    def _room(self, channel: str) -> "Channel":
        room = self.workspace.channel(channel)
        room.members.add(self.account.id)
        return room

    def _where(self, message: Message) -> Any:
        room = self.workspace.by_id(message.channel_id)
        room.members.add(self.account.id)
        return room

    def _store(self, upload: Upload, mode: str, room: "Channel") -> StoredFile:
        workspace = self.workspace
        kind = upload.content_type or ""
        file = StoredFile(
            workspace.stamps.id("F"),
            upload.name,
            upload.content,
            kind,
            self.account,
            int(workspace.clock.now()),
            mode=mode,
        )
        file.connect = room.shared
        file.where.add(room.id)
        return workspace.files.setdefault(file.id, file)


def _composed(text: str) -> list[Payload]:
    """The rich text block that Slack's own client sends beside the text, without its finer mark-up."""
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": unescape(text)}]}
    return [{"type": "rich_text", "block_id": "composed", "elements": [section]}]
