"""The same scenarios over Socket Mode and signed HTTP, against a Slack that behaves like Slack."""

from collections.abc import AsyncIterator

import pytest

from adapters.chat.interface import Trigger
from tests.adapters.chat.slack.small_bot import SmallBot
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace
from tests.fakes.stage import Upload

pytestmark = pytest.mark.asyncio


@pytest.fixture(params=["socket", "http"])
async def stage(request: pytest.FixtureRequest) -> AsyncIterator[SlackStage]:
    async with Workspace(SlackSettings(), mode=request.param) as workspace:
        stage = SlackStage(workspace, SmallBot.start)
        try:
            await stage.open()
            yield stage
        finally:
            await stage.close()


def bot_of(stage: SlackStage) -> SmallBot:
    assert isinstance(stage.bot, SmallBot)
    return stage.bot


async def test_a_paste_is_answered_in_its_thread(stage: SlackStage) -> None:
    said = await stage.say('File "core.py:743", in <module> raise Error & more')
    answer = await stage.next_answer()
    assert answer.thread == said.id
    assert 'File "core.py:743", in <module> raise Error & more' in answer.text
    assert answer.buttons == ("Again",)
    await stage.settled()
    assert len(stage.answers()) == 1
    assert bot_of(stage).inbox.messages[0].trigger is Trigger.SAID


async def test_a_file_is_named_with_its_message(stage: SlackStage) -> None:
    await stage.say("", files=[Upload("server.log", b"Traceback"), Upload("shot.png", b"\x89PNG", "image/png")])
    answer = await stage.next_answer()
    assert "[server.log]" in answer.text
    assert "shot.png" not in answer.text
