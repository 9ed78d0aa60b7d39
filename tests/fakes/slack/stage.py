"""Slack as a stage for scenarios, in Socket Mode or over signed HTTP."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tests.fakes.slack.forms import labels
from tests.fakes.slack.people import Person
from tests.fakes.slack.reading import buttons, choices, pings, readable
from tests.fakes.slack.records import Message, OpenView
from tests.fakes.slack.workspace import BOT, Workspace
from tests.fakes.stage import Form, Seen, StartBot, Upload
from tests.fakes.staging import FakeStage

COMMAND = "/vllm-diagnose"


class SlackStage(FakeStage):
    """Implements `tests.fakes.stage.Stage`."""

    def __init__(self, workspace: Workspace, start_bot: StartBot) -> None:
        super().__init__(workspace.watch, start_bot)
        self.name = f"slack-{workspace.addresses.mode}"
        self.workspace = workspace

    async def open(self) -> None:
        """Start the bot and wait until Slack can reach it."""
        self.workspace.channel("general")
        self.bot = await self._start_bot(self.workspace.addresses)
        if self.bot.events_url:
            self.workspace.http.open(self.bot.events_url)
        else:
            await self.workspace.sockets.connected()

    async def say(
        self,
        text: str,
        *,
        person: str = "ann",
        channel: str = "general",
        thread: Seen | None = None,
        files: Sequence[Upload] = (),
    ) -> Seen:
        parent = self._message(thread) if thread else None
        return self._seen(await self._person(person).says(channel, text, thread=parent, files=files))

    async def mention(
        self,
        text: str,
        *,
        person: str = "ann",
        channel: str = "general",
        thread: Seen | None = None,
        files: Sequence[Upload] = (),
    ) -> Seen:
        if len(text) > self.workspace.settings.paste_limit:  # the paste becomes a snippet, the mention stays
            files, text = [Upload("Untitled", text.encode()), *files], ""
        said = f"@{BOT.name} {text}"
        return await self.say(said, person=person, channel=channel, thread=thread, files=files)

    async def command(
        self,
        text: str = "",
        *,
        person: str = "ann",
        channel: str = "general",
        file: Upload | None = None,
    ) -> None:
        assert file is None, "Slack's commands take no file"
        await self._person(person).commands(channel, COMMAND, text)

    async def open_form(self, *, person: str = "ann", channel: str = "general") -> Form:
        before = len(self.workspace.views)
        await self._person(person).commands(channel, COMMAND, "")
        view = await self.workspace.watch.until(
            lambda: self.workspace.views[before] if len(self.workspace.views) > before else None, "a form"
        )
        return Form(view.payload["id"], view.payload["title"]["text"], person, channel, labels(view.payload))

    async def submit_form(self, form: Form, values: Mapping[str, str | Upload]) -> None:
        await self._person(form.person).submits(self._view(form), values)

    async def press(self, message: Seen, label: str, *, person: str = "ann") -> None:
        await self._person(person).presses(self._message(message), label)

    async def choose(self, message: Seen, label: str, *, person: str = "ann") -> None:
        await self._person(person).chooses(self._message(message), label)

    async def edit(self, message: Seen, text: str) -> Seen:
        found = self._message(message)
        return self._seen(await Person(self.workspace, found.author).edits(found, text))

    async def delete(self, message: Seen) -> None:
        found = self._message(message)
        await Person(self.workspace, found.author).deletes(found)

    async def deliver_again(self, message: Seen) -> None:
        self.workspace.events.again(self._message(message))

    async def bot_says(self, text: str, *, bot: str = "alertmanager", channel: str = "general") -> Seen:
        return self._seen(await self.workspace.bot(bot).says(channel, text))

    def answers(self, channel: str = "general") -> list[Seen]:
        room = self.workspace.channel(channel)
        mine = [
            one for one in self.workspace.messages if one.author.id == BOT.id and one.channel_id == room.id
        ]
        return [self._seen(one) for one in mine if not one.deleted]

    def _current(self, seen: Seen) -> Seen:
        return self._seen(self._message(seen))

    def _heard(self) -> int:
        return len(self.workspace.dispatcher.deliveries)

    async def _all_heard(self, within_s: float) -> None:
        await self.workspace.dispatcher.settled(within_s)

    async def restart(self, *, kill: bool = False) -> None:
        self.workspace.http.away()
        await super().restart(kill=kill)

    def _person(self, name: str) -> Person:
        return self.workspace.user(name)

    def _view(self, form: Form) -> OpenView:
        return next(view for view in self.workspace.views if view.payload["id"] == form.id)

    def _message(self, seen: Seen) -> Message:
        room = self.workspace.channel(seen.channel)
        return next(one for one in [*room.messages, *room.ephemerals] if one.ts == seen.id)

    def _seen(self, message: Message) -> Seen:
        names = {one.id: name for name, one in self.workspace.accounts.items()}
        room = self.workspace.by_id(message.channel_id)
        files = [self.workspace.files[file["id"]] for file in message.payload.get("files", [])]
        seen = Seen(
            message.ts, room.name, message.author.name, readable(message.payload), raw=message.payload
        )
        return replace(
            seen,
            thread=message.thread_ts if message.thread_ts != message.ts else None,
            private_to=message.private_to or (room.name.removeprefix("dm-") if room.kind == "im" else None),
            by_the_bot=message.author.id == BOT.id,
            buttons=tuple(button["text"]["text"] for button in buttons(message.payload)),
            options=tuple(
                option["text"]["text"] for one in choices(message.payload) for option in one["options"]
            ),
            files=tuple(Upload(file.name, file.content, file.mimetype or None) for file in files),
            pings=frozenset(names.get(one, one) for one in pings(message)),
            edits=message.edits,
        )
