"""The console as a stage for scenarios: people speak through its HTTP routes, as its page does. Not tests."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace

from adapters.chat.console.rooms import Draft
from adapters.chat.interface import Person
from bot.store.room import SqlRoomLog
from tests.bot.web.served import a_page
from tests.fakes.stage import Form, Seen

#: labels of the form, as they are on the other platforms, and the names that the page sends
FIELDS = {"Log or traceback": "text", "Log file": "file", "vLLM release": "release", "GPU": "gpu"}


class ConsoleStage:
    """Implements `tests.fakes.stage.Stage` for the people before one page."""

    name = "console"

    def __init__(self, start_bot) -> None:
        self.bot = None
        self._start_bot = start_bot
        self._stack = AsyncExitStack()
        self._count = 0
        self._events = []
        self._sent = {}

    async def open(self):
        self.bot = await self._start_bot(None)
        self._page = await self._stack.enter_async_context(a_page(self.bot.bot.listener.url))
        await self._page.load()

    async def close(self):
        await self._stack.aclose()
        await self.bot.stop()

    async def say(self, text, *, person="ann", channel="general", thread=None, files=()):
        self._count += 1
        key = f"said-{self._count}"
        more = {"thread": thread.thread or thread.id} if thread else {}
        await self._send(text, channel, key=key, files=files, **more)
        return Seen(key, channel, person, text, files=tuple(files))

    async def mention(self, text, *, person="ann", channel="general", thread=None, files=()):
        said = f"@vllm-diagnose {text}"
        return await self.say(said, person=person, channel=channel, thread=thread, files=files)

    async def command(self, text="", *, person="ann", channel="general", file=None):
        await self._send(f"/vllm-diagnose {text}", channel, files=[file] if file else [])

    async def open_form(self, *, person="ann", channel="general"):
        return Form("form", "Diagnose", person, channel, tuple(FIELDS))

    async def submit_form(self, form, values):
        chosen = {FIELDS[label]: value for label, value in values.items()}
        file = chosen.pop("file", None)
        text = chosen.pop("text", "")
        await self._send(text, form.channel, ask="1", files=[file] if file else [], **chosen)

    async def press(self, message, label, *, person="ann"):
        button = next(one for one in message.raw["card"]["buttons"] if one["label"] == label)
        await self._act(message, button["action"], button["value"])

    async def choose(self, message, label, *, person="ann"):
        there = [(one, option) for one in message.raw["card"]["choices"] for option in one["options"]]
        choice, option = next(pair for pair in there if pair[1]["label"] == label)
        await self._act(message, choice["action"], option["value"])

    async def _act(self, message, action, value):
        pressed = {"message": message.id, "thread": message.thread, "action": action, "value": value}
        status, answer = await self._page.post(f"/api/rooms/{message.channel}/clicks", body=pressed)
        assert status == 202, answer

    async def edit(self, message, text):
        path = f"/api/rooms/{message.channel}/messages/{message.id}/edit"
        status, answer = await self._page.post(path, body={"text": text})
        assert status == 202, answer
        return Seen(message.id, message.channel, message.author, text)

    async def delete(self, message):
        raise NotImplementedError("the page deletes nothing")

    async def deliver_again(self, message):
        await self._send(message.text, message.channel, key=message.id, files=message.files)

    async def bot_says(self, text, *, bot="alertmanager", channel="general"):
        author = Person(f"bot:{bot}", bot, is_bot=True)
        event = await self.bot.bot.chats.rooms.say(Draft(author, channel, text))
        return Seen(event.payload["id"], channel, bot, text)

    def answers(self, channel="general"):
        shown = {}
        for event in self._events:
            if event.channel == channel and event.kind in {"reply", "edit"}:
                before = shown.get(event.payload["id"])
                edits = before.edits + 1 if before else 0
                shown[event.payload["id"]] = replace(self._seen(event, before), edits=edits)
        return list(shown.values())

    async def next_answer(self, after=0, *, channel="general", within_s=5.0):
        async with asyncio.timeout(within_s):
            while len(self.answers(channel)) <= after:
                await self._read()
        return self.answers(channel)[after]

    async def changed(self, answer, *, within_s=5.0):
        async with asyncio.timeout(within_s):
            while self._now(answer).edits == answer.edits:
                await self._read()
        return self._now(answer)

    async def settled(self, within_s=5.0):
        await self.bot.idle()
        await self._read()

    async def restart(self, *, kill=False):
        await self.bot.stop()
        await self.open()

    async def _send(self, text, channel, *, files=(), **fields):
        uploads = [(file.name, file.content) for file in files]
        status, answer = await self._page.say(text, channel=channel, files=uploads, **fields)
        assert status == 201, answer

    def _now(self, answer):
        return next(one for one in self.answers(answer.channel) if one.id == answer.id)

    async def _read(self):
        log = SqlRoomLog(self.bot.bot.database)
        last = self._events[-1].sequence if self._events else 0
        self._events.extend(await log.after(last, 1_000))

    def _seen(self, event, before=None):
        card = event.payload["card"]
        recipient = event.payload.get("recipient")
        return Seen(
            event.payload["id"],
            event.channel,
            "vllm-diagnose",
            _readable(card),
            thread=event.payload.get("thread", before.thread if before else None),
            private_to="ann" if recipient else None,
            by_the_bot=True,
            buttons=tuple(button["label"] for button in card["buttons"]),
            options=tuple(one["label"] for choice in card["choices"] for one in choice["options"]),
            raw=event.payload,
        )


def _readable(node):
    if isinstance(node, dict):
        return "\n".join(_readable(one) for one in node.values())
    if isinstance(node, list):
        return "\n".join(_readable(one) for one in node)
    return node if isinstance(node, str) else ""
