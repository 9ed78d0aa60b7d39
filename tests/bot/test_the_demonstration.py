"""The demonstration tells the whole story: the sample is pasted, its server relaunched by two presses, and verified."""

import asyncio
import json
import os
import re
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.sample_team import sample_incident
from tests.bot.cli.running import ROOT
from tests.bot.web.served import a_page

PATIENCE_S = 150


@asynccontextmanager
async def a_demonstration(folder):
    """Run the demonstration with its folder inside this one, which then marks all that belongs to it."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "demo", "--no-browser"),
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(folder)},
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        line = (await child.stdout.readline()).decode()
        yield child, re.search(r"http\S+", line)[0]
    finally:
        if child.returncode is None:
            child.send_signal(signal.SIGTERM)
        await child.wait()


def _still_running(folder):
    """Command lines of processes that name the folder, in their words or in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes()
                told = words + (entry / "environ").read_bytes()
            except OSError:
                continue
            if str(folder).encode() in told:
                found.append(words)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux plays a host")
async def test_two_presses_lead_from_the_sample_to_a_verified_server(tmp_path):
    async with asyncio.timeout(PATIENCE_S), a_demonstration(tmp_path) as (_, url), a_page(url) as page:
        await page.load()
        room = page.boot["channels"][0]
        status, _ = await page.say(sample_incident(), channel=room)
        assert status == 201
        titles = [title async for title in _story(page, room)]

    assert titles[0] == "Qwen3-VL's vision encoder refuses FLASHINFER"
    assert titles[-1] == "qwen3-vl is fixed and verified"
    assert "Relaunch of qwen3-vl: waits for approval" in titles
    assert _still_running(tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux plays a host")
async def test_a_demonstration_that_is_ended_at_once_leaves_nothing_behind(tmp_path):
    async with asyncio.timeout(PATIENCE_S), a_demonstration(tmp_path) as (child, _):
        child.send_signal(signal.SIGTERM)
        assert await child.wait() == 0

    assert _still_running(tmp_path) == []


async def _story(page, room):
    """Press what a person would press, and yield the titles of all cards as they change."""
    pressed = set()
    async with page.http.get(f"{page.url}/api/rooms/events?after=0") as response:
        async for raw in response.content:
            if not raw.startswith(b"data:"):
                continue
            event = json.loads(raw[5:])
            payload = event.get("payload", event)
            card = payload.get("card")
            if card is None:
                continue
            yield card["title"]
            if "is fixed" in card["title"] or "earlier launch" in card["title"]:
                return
            for button in card["buttons"]:
                if button["label"] in {"Relaunch…", "Approve"} - pressed:
                    pressed.add(button["label"])
                    body = {"message": payload["id"], "thread": payload.get("thread")}
                    body |= {"action": button["action"], "value": button["value"]}
                    assert (await page.post(f"/api/rooms/{room}/clicks", body=body))[0] == 202
