"""What people do in Discord: talk, upload, edit, use commands, context menus, buttons and forms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.fakes.discord import payloads
from tests.fakes.discord.forms import submission
from tests.fakes.discord.interactions import COMMAND, COMPONENT, SUBMIT
from tests.fakes.discord.limits import CONTENT
from tests.fakes.discord.mentions import pings
from tests.fakes.discord.reading import buttons, choices
from tests.fakes.discord.records import Channel, Interaction, Message, Payload, StoredFile, User
from tests.fakes.stage import Upload

if TYPE_CHECKING:
    from tests.fakes.discord.world import World

_STRING, _ATTACHMENT = 3, 11


@dataclass(frozen=True)
class Person:
    """Somebody in the guild; channels are given by name or as a thread."""

    world: "World"
    user: User

    async def says(
        self,
        channel: str | Channel,
        text: str,
        *,
        files: Sequence[Upload] = (),
        reply_to: Message | None = None,
    ) -> Message:
        """Post. `@name` becomes a mention; over 2,000 characters become `message.txt` with empty content."""
        room = self._room(channel)
        uploads = list(files)
        if len(text) > CONTENT:
            uploads, text = [Upload("message.txt", text.encode(), "text/plain; charset=utf-8"), *uploads], ""
        payload: Payload = {"id": self.world.snowflake(), "content": self._typed(text), "nonce": "1"}
        if reply_to:
            reference = {
                "type": 0,
                "message_id": reply_to.id,
                "channel_id": room.id,
                "guild_id": room.guild_id,
            }
            payload |= {
                "type": 19,
                "message_reference": reference,
                "referenced_message": self.world.shown(reply_to),
            }
        message = Message(
            payload, room.id, self.user, files=[self._store(upload, room) for upload in uploads]
        )
        message.pings = pings(
            payload, through_webhook=False, replied_to=reply_to.author.id if reply_to else None
        )
        return self.world.keep(message)

    async def edits(self, message: Message, text: str) -> Message:
        """Change one's own message."""
        message.payload |= {
            "content": self._typed(text),
            "edited_timestamp": payloads.stamp(self.world.clock.now()),
        }
        message.edits += 1
        self.world.tell("MESSAGE_UPDATE", message)
        return message

    async def deletes(self, message: Message) -> None:
        """Take a message away."""
        message.deleted = True
        channel = self.world.channels[message.channel_id]
        gone = {"id": message.id, "channel_id": channel.id, "guild_id": channel.guild_id}
        self.world.gateway.dispatch("MESSAGE_DELETE", 1 << 9, channel.guild_id, lambda _: gone)

    async def commands(self, channel: str | Channel, name: str, **options: str | Upload) -> Interaction:
        """A slash command that the bot has registered, with text and attachment options."""
        room, command = self._room(channel), self._command(name, 1)
        known = {option["name"]: option for option in command.get("options") or []}
        assert set(options) <= set(known), f"/{name} has only the options {sorted(known)}"
        missing = [one for one, option in known.items() if option.get("required") and one not in options]
        assert not missing, f"/{name} requires {missing}"
        given, attachments = [], {}
        for one, value in options.items():
            if known[one]["type"] == _ATTACHMENT:
                assert isinstance(value, Upload), f"{one} takes a file"
                file = self._store(value, room)
                attachments[file.id] = self.world.links.attachment(file, self.world.clock.now())
                given.append({"name": one, "type": _ATTACHMENT, "value": file.id})
            else:
                given.append({"name": one, "type": known[one]["type"], "value": value})
        data: Payload = {"id": command["id"], "name": name, "type": 1, "options": given}
        if attachments:
            data["resolved"] = {"attachments": attachments}
        return self.world.interactions.begin(COMMAND, self.user, room, data)

    async def uses_menu(self, message: Message, name: str) -> Interaction:
        """A message context-menu command; it carries the whole message whatever the intents."""
        command = self._command(name, 3)
        data = {
            "id": command["id"],
            "name": name,
            "type": 3,
            "target_id": message.id,
            "resolved": {"messages": {message.id: self.world.shown(message)}},
        }
        return self.world.interactions.begin(
            COMMAND, self.user, self.world.channels[message.channel_id], data
        )

    async def presses(self, message: Message, label: str) -> Interaction:
        """Press a button by its label."""
        found = next((one for one in buttons(message.payload) if one.get("label") == label), None)
        assert found, (
            f"no button {label!r}; there are {[one.get('label') for one in buttons(message.payload)]}"
        )
        data = {"custom_id": found["custom_id"], "component_type": 2, "id": 1}
        return self.world.interactions.begin(
            COMPONENT, self.user, self.world.channels[message.channel_id], data, message
        )

    async def chooses(self, message: Message, label: str) -> Interaction:
        """Choose an option of a list by its label."""
        there = [(one, option) for one in choices(message.payload) for option in one["options"]]
        found = next(((one, option) for one, option in there if option["label"] == label), None)
        assert found, f"no option {label!r}; there are {[option['label'] for _, option in there]}"
        data = {
            "custom_id": found[0]["custom_id"],
            "component_type": 3,
            "id": 1,
            "values": [found[1]["value"]],
        }
        return self.world.interactions.begin(
            COMPONENT, self.user, self.world.channels[message.channel_id], data, message
        )

    async def submits(self, form: Interaction, values: Mapping[str, str | Upload]) -> Interaction:
        """Fill in the form that an interaction opened, by labels; the client checks what is required."""
        assert form.modal, "no form is open"
        attachments: Payload = {}

        def keep(upload: Upload) -> str:
            file = self._store(upload, form.channel)
            attachments[file.id] = self.world.links.attachment(file, self.world.clock.now())
            return file.id

        data: Payload = {
            "custom_id": form.modal["custom_id"],
            "components": submission(form.modal, values, keep),
        }
        data["resolved"] = {"attachments": attachments} if attachments else {}
        return self.world.interactions.begin(SUBMIT, self.user, form.channel, data, form.message)

    def _command(self, name: str, kind: int) -> Payload:
        known = [*self.world.commands.get(self.world.guild_id, []), *self.world.commands.get(None, [])]
        found = next((one for one in known if one["name"] == name and one["type"] == kind), None)
        assert found, f"no command {name!r} is registered; there are {[one['name'] for one in known]}"
        return found

    def _room(self, channel: str | Channel) -> Channel:
        return self.world.channel(channel) if isinstance(channel, str) else channel

    def _typed(self, text: str) -> str:
        for known in self.world.users.values():
            text = text.replace(f"@{known.name}", f"<@{known.id}>")
        return text

    def _store(self, upload: Upload, room: Channel) -> StoredFile:
        file = StoredFile(self.world.snowflake(), upload.name, upload.content, upload.content_type, room.id)
        return self.world.files.setdefault(file.id, file)
