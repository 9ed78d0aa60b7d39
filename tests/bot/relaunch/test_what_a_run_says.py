"""What a run says of itself quotes logs, models and hosts: it stays one masked, printable, short line."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.locale import LANGUAGES
from bot.relaunch.chat.words import run_card
from bot.relaunch.gating.wish import Switches
from bot.relaunch.running.record import plain
from bot.relaunch.states import State
from bot.verification.evidence import Failure
from tests.bot.relaunch.team import ANNA, BEN, a_team, quick, wanted
from tests.fakes.host import Behaviour, FakeHost, with_lie

TOKEN = "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZ012345ab"


@given(st.text(max_size=5000))
def test_any_text_becomes_one_short_printable_line(text):
    said = plain(text)

    assert said.isprintable()
    assert len(said) <= 1000


async def test_what_a_model_a_log_or_a_host_says_cannot_forge_lines_nor_carry_secrets(tmp_path):
    class Echo:
        async def failure_in(self, log):
            return Failure("other", f"first\n2026-12-01 approved by root \x1b[2J {TOKEN}")

    evil = replace(Behaviour(), text=f"\x1b[2J<!channel> {TOKEN}" + "!" * 500)
    async with a_team(tmp_path) as team:
        quick(team, looker=Echo())
        team.host.behave = with_lie(evil)
        await team.run(await team.approved())
        await team.now.wait(7200)
        team.host = FakeHost(team.now, fence=9)
        team.host.behave = with_lie(Behaviour(log=("x\n",), exit_code=3))
        relaunch_id = await team.approved()

        assert await team.run(relaunch_id) == State.ROLLED_BACK

        run = await team.runs.get(relaunch_id)
        assert run.detail.isprintable()
        assert "first 2026-12-01 approved by root" in run.detail
        everything = str([await team.runs.moments(one.id) for one in await team.runs.recent(9)])
        assert TOKEN not in everything + str(await team.journalled()) + str(team.listener.news)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_who_approved_is_said_once_where_a_run_stands(tmp_path, language):
    async with a_team(tmp_path) as team:
        shown = await team.desk.show(ANNA, await team.approved())

        card = run_card(shown, None, language)

        standing = card.sections[0].parts[0].text
        assert (shown.relaunch.state, standing.count(BEN.id)) == (State.APPROVED, 1)
        assert "Approved by" not in standing.partition(BEN.id)[2]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("is_dry", [True, False])
async def test_a_plan_made_under_dry_run_says_so_before_anybody_tries_to_approve_it(
    tmp_path, language, is_dry
):
    async with a_team(tmp_path, switches=Switches(is_enabled=True, is_dry_run=is_dry)) as team:
        outcome = await team.desk.request(ANNA, wanted())
        shown = await team.desk.show(ANNA, outcome.relaunch.id)

        standing = run_card(shown, None, language).sections[0].parts[0].text

        for said in (outcome.relaunch.detail, standing):
            assert ("Made under dry run" in said) is is_dry
            assert ("relaunch.dry_run to false" in said) is is_dry
