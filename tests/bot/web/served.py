"""A real bot on a free port, and a client that behaves like its page. Not tests."""

import asyncio
import io
import json
import re
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp

from adapters.chat.interface import Person
from bot.bootstrap import Stage, running
from bot.settings import ConsoleSettings, FixedSettings, RelaunchSettings, StoreSettings, TriageSettings
from tests.bot.triage.handmade_engine import handmade_engine

YOU = Person("os:ada", "Ada")
REFUSED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
_BOOT = re.compile(r'<script type="application/json" id="boot">(.*?)</script>', re.DOTALL)
#: how long a test waits for something that must happen
PATIENCE_S = 60


def settings_in(folder, *, console=None, triage=None, relaunch=None):
    return FixedSettings(
        state_dir=folder,
        console=ConsoleSettings(**{"port": 0, **(console or {})}),
        store=StoreSettings(url=f"sqlite+aiosqlite:///{folder}/store.db"),
        triage=TriageSettings(**(triage or {})),
        relaunch=RelaunchSettings(**(relaunch or {})),
    )


@dataclass
class Page:
    """A page as a browser would use it."""

    http: aiohttp.ClientSession
    url: str
    boot: dict = field(default_factory=dict)

    async def load(self, path="/"):
        async with self.http.get(self.url + path) as response:
            text = await response.text()
            found = _BOOT.search(text)
            self.boot = json.loads(found[1]) if found else {}
            return response.status, text

    async def post(self, path, *, data=None, body=None, **headers):
        defaults = {"Origin": self.url, "X-CSRF-Token": self.boot.get("csrf", "")}
        chosen = {name: value for name, value in {**defaults, **headers}.items() if value is not None}
        async with self.http.post(self.url + path, data=data, json=body, headers=chosen) as response:
            text = await response.text()
            is_json = response.content_type == "application/json"
            return response.status, json.loads(text) if is_json else text

    async def say(self, text="", *, channel="incidents", files=(), **fields):
        with aiohttp.MultipartWriter("form-data") as form:
            for name, value in {"text": text, **fields}.items():
                _append(form, value.encode(), name=name)
            for name, content in files:
                _append(form, content, name="file", filename=name)
        return await self.post(f"/api/rooms/{channel}/messages", data=form)

    @asynccontextmanager
    async def following(self, *, after=0, last_event_id=None):
        headers = {"Last-Event-ID": str(last_event_id)} if last_event_id is not None else {}
        address = f"{self.url}/api/rooms/events?after={after}"
        async with self.http.get(address, headers=headers) as response:
            assert response.status == 200
            yield Events(response)


def _append(form, content, **disposition):
    part = aiohttp.payload.BytesIOPayload(io.BytesIO(content))
    part.set_content_disposition("form-data", quote_fields=False, **disposition)
    form.append_payload(part)


class Events:
    """Server-sent events, read as they come."""

    def __init__(self, response):
        self._response = response
        self.last_id = None

    async def next(self):
        """Return the next event as (name, data)."""
        name, data, number = None, None, None
        async with asyncio.timeout(PATIENCE_S):
            while True:
                line = (await self._response.content.readline()).decode().rstrip("\n")
                if not line and name:
                    self.last_id = number or self.last_id
                    return name, data
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    data = json.loads(line.removeprefix("data: "))
                elif line.startswith("id: "):
                    number = int(line.removeprefix("id: "))

    async def room(self, kind, **wanted):
        """Return the next event of a room that has this kind and these values."""
        while True:
            name, data = await self.next()
            if name == "room" and data["kind"] == kind and wanted.items() <= data.items():
                return data


@asynccontextmanager
async def a_page(url):
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar) as http:
        yield Page(http, url)


@asynccontextmanager
async def a_bot(folder, *, everybody=YOU, sample=None, make_engine=handmade_engine, **settings):
    stage = Stage(everybody, sample, make_engine)
    async with running(settings_in(folder, **settings), stage) as bot:
        yield bot


@asynccontextmanager
async def a_loaded_page(folder, **options):
    async with a_bot(folder, **options) as bot, a_page(bot.listener.url) as page:
        await page.load()
        yield page
