"""Two bots on one store, in bad weather: every incident has one answer, and nothing else has any."""

from collections import Counter

import pytest

from tests.soak.playing import PLATFORMS, Plan, soak

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_every_incident_is_answered_once_and_nothing_else_is(platform, tmp_path):
    plan = Plan(platform, messages=60, commands=3)

    figures = await soak(plan, tmp_path, None)

    assert figures.answers == Counter({1: 3}), str(figures)
    assert figures.replies == Counter({1: 3}), str(figures)
    assert figures.others == 0, str(figures)
    assert figures.given_up == 0, str(figures)
    assert sum(figures.faults.values()) > 1, str(figures)
