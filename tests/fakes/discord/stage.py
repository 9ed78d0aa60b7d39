"""Discord as a stage for scenarios."""

from collections.abc import Mapping, Sequence

from tests.fakes.discord.forms import labels
from tests.fakes.discord.limits import CONTENT
from tests.fakes.discord.people import Person
from tests.fakes.discord.reading import buttons, choices, readable
from tests.fakes.discord.records import Channel, Message
from tests.fakes.discord.world import BOT_NAME, World
from tests.fakes.stage import Form, Seen, StartBot, Upload
from tests.fakes.staging import FakeStage

COMMAND = "vllm-diagnose"


class DiscordStage(FakeStage):
    """Implements `tests.fakes.stage.Stage`. `text_option` and `file_option` name the command's options."""

    name = "discord"

    def __init__(
        self, world: World, start_bot: StartBot, *, text_option: str = "text", file_option: str = "log"
    ) -> None:
        super().__init__(world.watch, start_bot)
        self.world = world
        self._text_option, self._file_option = text_option, file_option

    async def open(self) -> None:
        """Start the bot and wait until it is on the gateway and has registered its commands."""
        self.world.channel("general")
        self.bot = await self._start_bot(self.world.addresses)
        await self.world.gateway.ready()
        await self.world.watch.until(
            lambda: any(self.world.commands.values()) or None, "the bot to register commands"
        )

    async def say(
        self,
        text: str,
        *,
        person: str = "ann",
        channel: str = "general",
        thread: Seen | None = None,
        files: Sequence[Upload] = (),
    ) -> Seen:
        speaker = self.world.user(person)
        if thread is None:
            return self._seen(await speaker.says(channel, text, files=files))
        if opened := self.world.channels.get(thread.thread or thread.id):
            return self._seen(await speaker.says(opened, text, files=files))
        return self._seen(await speaker.says(channel, text, files=files, reply_to=self._message(thread)))

    async def mention(
        self,
        text: str,
        *,
        person: str = "ann",
        channel: str = "general",
        thread: Seen | None = None,
        files: Sequence[Upload] = (),
    ) -> Seen:
        if len(text) > CONTENT:  # the client turns the paste into a file and leaves the mention typed
            files, text = [Upload("message.txt", text.encode()), *files], ""
        said = f"@{BOT_NAME} {text}"
        return await self.say(said, person=person, channel=channel, thread=thread, files=files)

    async def command(
        self,
        text: str = "",
        *,
        person: str = "ann",
        channel: str = "general",
        file: Upload | None = None,
    ) -> None:
        options: dict[str, str | Upload] = {}
        if text:
            options[self._text_option] = text
        if file:
            options[self._file_option] = file
        await self.world.user(person).commands(channel, COMMAND, **options)

    async def open_form(self, *, person: str = "ann", channel: str = "general") -> Form:
        interaction = await self.world.user(person).commands(channel, COMMAND)
        modal = await self.world.watch.until(lambda: interaction.modal, "a form")
        return Form(interaction.id, modal["title"], person, channel, labels(modal))

    async def submit_form(self, form: Form, values: Mapping[str, str | Upload]) -> None:
        interaction = next(one for one in self.world.interactions.begun if one.id == form.id)
        await self.world.user(form.person).submits(interaction, values)

    async def press(self, message: Seen, label: str, *, person: str = "ann") -> None:
        await self.world.user(person).presses(self._message(message), label)

    async def choose(self, message: Seen, label: str, *, person: str = "ann") -> None:
        await self.world.user(person).chooses(self._message(message), label)

    async def edit(self, message: Seen, text: str) -> Seen:
        found = self._message(message)
        return self._seen(await Person(self.world, found.author).edits(found, text))

    async def delete(self, message: Seen) -> None:
        found = self._message(message)
        await Person(self.world, found.author).deletes(found)

    async def deliver_again(self, message: Seen) -> None:
        self.world.tell("MESSAGE_CREATE", self._message(message))

    async def bot_says(self, text: str, *, bot: str = "alertmanager", channel: str = "general") -> Seen:
        return self._seen(await self.world.user(bot, bot=True).says(channel, text))

    def answers(self, channel: str = "general") -> list[Seen]:
        room = self.world.channel(channel)
        rooms = {room.id, *(one.id for one in self.world.channels.values() if one.parent_id == room.id)}
        mine = [
            one
            for one in self.world.messages
            if one.author == self.world.bot_user and one.channel_id in rooms
        ]
        return [self._seen(one) for one in mine if not one.deleted and not one.loading]

    def _current(self, seen: Seen) -> Seen:
        return self._seen(self._message(seen))

    def _heard(self) -> int:
        return sum(session.sequence for session in self.world.gateway.sessions)

    async def _all_heard(self, within_s: float) -> None:
        await self.world.gateway.all_heard(within_s)

    def _message(self, seen: Seen) -> Message:
        return next(one for one in self.world.messages if one.id == seen.id)

    def _seen(self, message: Message) -> Seen:
        room = self.world.channels[message.channel_id]
        names = {one.id: one.name for one in self.world.users.values()}
        return Seen(
            message.id,
            self._top(room).name,
            message.author.name,
            readable(message.payload),
            thread=self._thread(message, room),
            private_to=message.private_to or (room.name.removeprefix("dm-") if room.kind == 1 else None),
            by_the_bot=message.author == self.world.bot_user,
            buttons=tuple(one.get("label", "") for one in buttons(message.payload)),
            options=tuple(option["label"] for one in choices(message.payload) for option in one["options"]),
            files=tuple(Upload(file.name, file.content, file.content_type) for file in message.files),
            pings=frozenset(names.get(one, one) for one in message.pings),
            edits=message.edits,
            raw=self.world.shown(message),
        )

    def _top(self, room: Channel) -> Channel:
        return self.world.channels[room.parent_id] if room.parent_id else room

    def _thread(self, message: Message, room: Channel) -> str | None:
        if room.kind == 11:
            return room.id
        reference = message.payload.get("message_reference")
        return str(reference["message_id"]) if reference else None
