"""Hostile pastes through the real bot: nothing it sends, shows, keeps or logs pings anybody or tells a secret."""

import json
import random
import re
import sqlite3
from contextlib import suppress
from html.parser import HTMLParser

import pytest

from adapters.chat.interface import Person
from bot.bootstrap import Stage
from tests.bot.web.served import a_page
from tests.contract.hostile import SECRETS, hostile
from tests.fakes.discord.records import DiscordSettings
from tests.fakes.discord.stage import DiscordStage
from tests.fakes.discord.world import World
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import BOT, Workspace
from tests.fakes.stage import Upload
from tests.scenario.console_stage import ConsoleStage
from tests.scenario.real_bot import RealBot, settings_for

PATIENCE_S = 120.0
PASTES = 12
#: names that people may give themselves
NAMES = ("ann", "@everyone", "<!channel>", "```", "</script><b>", "<@1234567890123456>")
#: of a form's field: the console takes 300 bytes, and one character may have four
FIELD = 75
FORM = {"release": "vLLM release", "gpu": "GPU", "model": "Model"}


def _start_in(folder, **channels):
    async def start(addresses):
        return await RealBot.start(
            settings_for(addresses, folder, **channels), Stage(Person("os:ann", "ann"))
        )

    return start


async def say_all(stage):
    """Say hostile things in every way there is; returns once all of it is answered or left alone."""
    chance = random.Random(7)  # noqa: S311 (dice for tests)
    for number in range(PASTES):
        paste, person = hostile(chance), chance.choice(NAMES)
        room = f"room-{number}"
        files = [Upload(stage_name_of(paste.file_name), paste.text.encode("utf-8", "replace"))]
        await stage.say(paste.text, channel=room)
        await stage.say("log", channel=room, files=files)
        await stage.mention(paste.text, channel=room)
        await stage.command(paste.text[:3_000], channel=room, person=person)
        form = await stage.open_form(channel=room, person=person)
        fields = {
            FORM[name]: value[:FIELD] for name, value in paste.fields.items() if FORM[name] in form.fields
        }
        await stage.submit_form(form, {"Log or traceback": paste.text[:3_000], **fields})
        await stage.settled(PATIENCE_S)


def stage_name_of(name):
    """A file's name as a browser or a client sends it: without what would end its header."""
    return "".join(one for one in name if one.isprintable() and one not in '";').strip() or "log"


def assert_keeps_secrets(*texts):
    for text in texts:
        found = [secret for secret in SECRETS if secret in text]
        assert not found, [text[max(0, text.index(one) - 80) :][:200] for one in found]


def assert_kept_without_secrets(folder):
    store = sqlite3.connect(folder / "store.db")
    try:
        names = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [row for name in names for row in store.execute(f'SELECT * FROM "{name}"')]  # noqa: S608 (own names)
    finally:
        store.close()
    assert len(rows) > PASTES
    assert_keeps_secrets(*(_readable(one) for row in rows for one in row))


def _readable(value):
    """A kept value without JSON's escapes; a text may begin like JSON and be none."""
    if isinstance(value, str) and value[:1] in "{[":
        with suppress(ValueError):
            return json.dumps(json.loads(value), ensure_ascii=False)
    return str(value)


async def test_slack_its_files_its_forms_and_its_private_answers(tmp_path, capsys):
    async with Workspace(SlackSettings(paste_limit=100_000)) as workspace:
        stage = SlackStage(workspace, _start_in(tmp_path))
        await stage.open()
        try:
            await say_all(stage)
            seen = [one for number in range(PASTES) for one in stage.answers(f"room-{number}")]
        finally:
            await stage.close()
        sent = [json.dumps(call.args, ensure_ascii=False, default=str) for call in workspace.api.calls]
        uploaded = [file for file in workspace.files.values() if file.owner.id == BOT.id]
        shown = [
            json.dumps(one.payload, ensure_ascii=False)
            for one in workspace.messages
            if one.author.id == BOT.id
        ]
        forms = [json.dumps(view.payload, ensure_ascii=False) for view in workspace.views]

    assert len(seen) > PASTES
    assert [one.pings for one in seen if one.pings] == []
    assert {call.result for call in workspace.api.calls} == {"ok"}
    assert_keeps_secrets(*sent, *shown, *forms)
    assert_keeps_secrets(
        *(text for file in uploaded for text in (file.name, file.title, file.content.decode()))
    )
    assert_kept_without_secrets(tmp_path)
    assert_keeps_secrets(*capsys.readouterr())


async def test_discord_its_files_its_forms_and_its_private_answers(tmp_path, capsys):
    async with World(DiscordSettings()) as world:
        stage = DiscordStage(world, _start_in(tmp_path))
        await stage.open()
        try:
            await say_all(stage)
            seen = [one for number in range(PASTES) for one in stage.answers(f"room-{number}")]
        finally:
            await stage.close()
        sent = [json.dumps(call.body, ensure_ascii=False, default=str) for call in world.rest.calls]
        files = [upload for call in world.rest.calls for upload in call.uploads]

    assert len(seen) > PASTES
    # whoever asked by a command is named first, and nobody else is
    named = {name for one in seen for name in one.pings}
    assert named <= set(NAMES)
    assert [one.text for one in seen if one.pings & {"everyone", "here"}] == []
    assert [call.result for call in world.rest.calls if not call.result.startswith("2")] == []
    assert_keeps_secrets(*sent, *(text for name, content, _ in files for text in (name, content.decode())))
    assert_kept_without_secrets(tmp_path)
    assert_keeps_secrets(*capsys.readouterr())


class _Markup(HTMLParser):
    """The elements of a page that run something, and the texts of its data."""

    def __init__(self) -> None:
        super().__init__()
        self.running, self.data, self._is_data = [], [], False

    def handle_starttag(self, tag, attrs):
        self._is_data = ("type", "application/json") in attrs
        if tag == "script" and not self._is_data:
            self.running.append(dict(attrs).get("src", "inline"))
        self.running += [f"{tag} {name}" for name, _ in attrs if name.startswith("on")]
        self.running += [f"{tag} {value}" for _, value in attrs if (value or "").startswith("javascript:")]

    def handle_data(self, data):
        if self._is_data and data.strip():
            self.data.append(json.loads(data))


async def test_the_console_its_pages_and_its_json(tmp_path, capsys):
    rooms = tuple(f"room-{number}" for number in range(PASTES))
    stage = ConsoleStage(_start_in(tmp_path, channels=rooms))
    await stage.open()
    try:
        await say_all(stage)
        url = stage.bot.bot.listener.url
        async with a_page(url) as page:
            _, listed = await page.load("/incidents")
            incidents = re.findall(r'href="(/incidents/[^"]+)"', listed)
            pages = [(path, (await page.load(path))[1]) for path in ("/", "/incidents", *incidents)]
            async with page.http.get(f"{url}/api/incidents") as response:
                recent = await response.text()
        events = [json.dumps(event.payload, ensure_ascii=False) for event in stage._events]
    finally:
        await stage.close()

    assert len(incidents) > 3
    for path, text in pages:
        markup = _Markup()
        markup.feed(text)
        assert markup.running, path
        assert [one for one in markup.running if not re.fullmatch(r"/static/[a-z]+\.js", one)] == []
        assert bool(markup.data) == (path != "/incidents"), path
    assert_keeps_secrets(recent, *events, *(text for _, text in pages))
    assert_kept_without_secrets(tmp_path)
    assert_keeps_secrets(*capsys.readouterr())


@pytest.mark.parametrize("seed", range(3))
def test_the_pastes_say_what_must_not_be_seen(seed):
    chance = random.Random(seed)  # noqa: S311 (dice for tests)

    assert any(secret in hostile(chance).text for secret in SECRETS for _ in range(20))
