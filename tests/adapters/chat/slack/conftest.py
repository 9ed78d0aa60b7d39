"""The room in which the scenarios play, once with Socket Mode and once with signed HTTP."""

from collections.abc import AsyncIterator

import pytest

from tests.adapters.chat.slack.small_bot import SmallBot
from tests.fakes.slack.records import ALL_EVENTS, SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace


@pytest.fixture(params=["socket", "http"])
async def stage(request: pytest.FixtureRequest) -> AsyncIterator[SlackStage]:
    settings = SlackSettings(events=ALL_EVENTS | {"file_shared"}, ack_timeout_s=2.0)
    async with Workspace(settings, mode=request.param) as workspace:
        stage = SlackStage(workspace, SmallBot.start)
        try:
            await stage.open()
            yield stage
        finally:
            await stage.close()
