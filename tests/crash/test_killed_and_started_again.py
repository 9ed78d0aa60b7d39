"""kill -9 with an answer half given: after the restart every message has exactly one answer."""

import pytest

from tests.crash.killing import MOMENTS, kill_and_count


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("platform", ["slack-socket", "discord"])
async def test_a_killed_bot_answers_exactly_once(platform, moment, tmp_path):
    tally = await kill_and_count(platform, moment, 1, tmp_path)

    assert tally.answers == [1], str(tally)
