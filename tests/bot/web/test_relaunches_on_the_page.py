"""The pages of relaunches and hosts over real HTTP: who sees what, what a button does, once, and what it cannot."""

import json

import pytest

from bot.access.signing_in import os_person
from bot.bootstrap import login
from bot.clock import system_clock
from bot.relaunch.interface import News
from bot.relaunch.states import State
from bot.store.relaunches.interface import Move
from tests.bot.relaunch.team import ANNA, ROOT
from tests.bot.web.relaunched import a_console, planned
from tests.bot.web.served import YOU, a_bot, a_page

NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
APPROVE, REJECT, CANCEL = "relaunch-approve", "relaunch-reject", "relaunch-cancel"


async def test_the_list_names_each_run_with_its_state_in_words(tmp_path):
    async with a_console(tmp_path) as (_, page, team):
        run_id, _ = await planned(team)

        status, text = await page.load("/relaunches")
        _, chinese = await page.load("/relaunches?lang=zh")

        assert status == 200
        for told in (f'href="/relaunches/{run_id}"', "qwen", "gpu-1", "waits for approval", ANNA.id):
            assert told in text
        assert 'href="/hosts"' in text
        assert "等待批准" in chinese


async def test_the_list_says_that_relaunching_is_switched_off_and_by_whom(tmp_path):
    async with a_console(tmp_path) as (_, page, team):
        _, on = await page.load("/relaunches")
        why = "<b>it burns</b>"
        assert await team.switching.turn(ROOT, on=False, why=why) is True

        _, off = await page.load("/relaunches")

        assert "switched off" not in on
        assert f"Relaunching was switched off by {ROOT.id} at " in off
        assert "relaunch switch on" in off
        assert why not in off
        assert "&lt;b&gt;it burns" in off


async def test_the_page_of_a_run_shows_plan_risk_proofs_timeline_and_times(tmp_path):
    async with a_console(tmp_path) as (_, page, team):
        run_id, plan_hash = await planned(team)

        status, _ = await page.load(f"/relaunches/{run_id}")
        live = page.boot["live"]

        assert status == 200
        assert live["plan"] == plan_hash
        assert (live["state"], live["has_ended"]) == ("awaiting_approval", False)
        card = json.dumps(live["card"])
        assert "- VLLM_ATTENTION_BACKEND=FLASHINFER" in card
        assert "a real completion makes sense" in card
        assert "Risk" in card
        assert [button["action"] for button in live["card"]["buttons"]] == [APPROVE, REJECT]
        assert [moment["word"] for moment in live["timeline"]][-1] == "waits for approval"
        assert [one["part"] for one in live["clock"]][-1] == "Paste to verified"


async def test_what_a_run_says_never_becomes_markup(tmp_path):
    async with a_console(tmp_path, model=NASTY) as (_, page, team):
        run_id, _ = await planned(team)
        await team.runs.move(Move(run_id, State.REJECTED, system_clock(), NASTY))

        _, text = await page.load(f"/relaunches/{run_id}")
        _, listing = await page.load("/relaunches")
        _, hosts = await page.load("/hosts")

        assert "&lt;img src=x" in hosts
        for shown in (text, listing, hosts):
            assert "<img src=x" not in shown
            assert "<script>alert" not in shown
        assert text.count("</script>") == text.count("<script")


async def test_a_button_approves_the_plan_that_was_shown_and_only_once(tmp_path):
    async with a_console(tmp_path) as (_, page, team):
        run_id, plan_hash = await planned(team)
        await page.load(f"/relaunches/{run_id}")
        click = {"action": APPROVE, "plan": page.boot["live"]["plan"]}

        first, told = await page.post(f"/api/relaunches/{run_id}", body=click)
        again, late = await page.post(f"/api/relaunches/{run_id}", body=click)

        assert (first, told["kind"]) == (200, "approved")
        assert (again, late["kind"]) == (409, "already")
        given = await team.approvals.of(run_id)
        assert [(actor.surface, actor.id, approval.plan_hash) for actor, approval in given] == [
            ("console", YOU.id, plan_hash)
        ]


async def test_another_plan_than_the_one_that_was_shown_is_refused(tmp_path):
    async with a_console(tmp_path) as (_, page, team):
        run_id, plan_hash = await planned(team)
        await page.load(f"/relaunches/{run_id}")

        for action in (APPROVE, REJECT):
            for seen in ("0" * 64, "", "ü", plan_hash[:24]):
                status, told = await page.post(
                    f"/api/relaunches/{run_id}", body={"action": action, "plan": seen}
                )

                assert (status, told["kind"]) == (403, "denied")
                assert "another plan" in json.dumps(told["card"])
        assert (await team.runs.get(run_id)).state is State.AWAITING_APPROVAL


@pytest.mark.parametrize(
    ("action", "kind", "state"),
    [(REJECT, "rejected", State.REJECTED), (CANCEL, "called-off", State.VOIDED)],
)
async def test_a_plan_is_turned_down_or_called_off(tmp_path, action, kind, state):
    async with a_console(tmp_path) as (_, page, team):
        run_id, plan_hash = await planned(team)
        await page.load(f"/relaunches/{run_id}")

        status, told = await page.post(
            f"/api/relaunches/{run_id}", body={"action": action, "plan": plan_hash}
        )
        _, live = await page.load(f"/api/relaunches/{run_id}")

        assert (status, told["kind"]) == (200, kind)
        assert (await team.runs.get(run_id)).state is state
        assert json.loads(live)["has_ended"] is True
        assert json.loads(live)["card"]["buttons"] == []


async def test_what_is_no_click_is_refused(tmp_path):
    bodies = [b"", b"{", b"[]", b'"x"', b"[" * 50_000, b"\xff", b'{"action": "relaunch-approve"}']
    bodies += [b'{"action": "x", "plan": ""}', b'{"action": ["relaunch-approve"], "plan": ""}']
    bodies += [b'{"action": "relaunch-approve", "plan": 1}']
    async with a_console(tmp_path) as (_, page, team):
        run_id, _ = await planned(team)
        await page.load(f"/relaunches/{run_id}")

        for body in bodies:
            status, told = await page.post(f"/api/relaunches/{run_id}", data=body)

            assert (status, told["error"]) == (400, "not-a-click"), body


async def test_a_button_needs_the_word_of_the_page_and_its_own_origin(tmp_path):
    async with a_console(tmp_path) as (_, page, team):
        run_id, plan_hash = await planned(team)
        await page.load(f"/relaunches/{run_id}")
        path, click = f"/api/relaunches/{run_id}", {"action": APPROVE, "plan": plan_hash}

        without, _ = await page.post(path, body=click, **{"X-CSRF-Token": None})
        foreign, _ = await page.post(path, body=click, Origin="http://evil.example")

        assert (without, foreign) == (403, 403)
        assert (await team.runs.get(run_id)).state is State.AWAITING_APPROVAL


async def test_where_people_sign_in_nothing_of_relaunches_is_shown_before(tmp_path):
    async with a_console(tmp_path, everybody=None, people=(os_person().id,)) as (bot, page, team):
        run_id, plan_hash = await planned(team)
        paths = ("/relaunches", f"/relaunches/{run_id}", f"/api/relaunches/{run_id}", "/hosts", "/api/hosts")

        before = [await page.load(path) for path in (*paths, f"/api/relaunches/{run_id}/log")]
        refused, _ = await page.post(f"/api/relaunches/{run_id}", body={"action": APPROVE, "plan": plan_hash})
        link = await login(bot.settings)
        await page.post("/login", data={"token": link.partition("=")[2]})
        after = [await page.load(path) for path in paths]

        assert {status for status, _ in before} == {401}
        assert not any("qwen" in text for _, text in before)
        assert refused in {401, 403}
        assert {status for status, _ in after} == {200}
        assert all("qwen" in text for _, text in after)


@pytest.mark.parametrize("registry", [{"people": [ANNA.id]}, {"may": ["approve"]}])
async def test_who_may_not_view_sees_an_empty_list_and_no_run(tmp_path, registry):
    async with a_console(tmp_path, **registry) as (_, page, team):
        run_id, plan_hash = await planned(team)

        _, listing = await page.load("/relaunches")
        _, hosts = await page.load("/hosts")
        _, states = await page.load("/api/hosts")
        statuses = [
            (await page.load(path))[0]
            for path in (
                f"/relaunches/{run_id}",
                f"/api/relaunches/{run_id}",
                f"/api/relaunches/{run_id}/log",
            )
        ]
        await page.load()
        acted, _ = await page.post(f"/api/relaunches/{run_id}", body={"action": APPROVE, "plan": plan_hash})

        assert "qwen" not in listing + hosts + states
        assert run_id not in listing
        assert (statuses, acted) == ([404, 404, 404], 404)
        assert (await team.runs.get(run_id)).state is State.AWAITING_APPROVAL


async def test_a_run_that_nobody_asked_for_is_not_found(tmp_path):
    async with a_console(tmp_path) as (_, page, _):
        assert (await page.load(f"/relaunches/{'0' * 32}"))[0] == 404
        assert (await page.load("/api/relaunches/%00"))[0] == 404


async def test_a_start_shows_its_percentage_while_the_news_is_of_its_state(tmp_path):
    async with a_console(tmp_path) as (bot, page, team):
        run_id, _ = await planned(team)
        now = system_clock()
        await bot.acting.news.hear(News(run_id, State.AWAITING_APPROVAL, now, "", 56.4, "weights", "5/9"))
        _, live = await page.load(f"/api/relaunches/{run_id}")
        await bot.acting.news.hear(News(run_id, State.STARTING, now, "", 80.0, "weights"))
        _, stale = await page.load(f"/api/relaunches/{run_id}")

        assert json.loads(live)["progress"] == {"percent": 56, "phase": "weights 5/9"}
        assert json.loads(stale)["progress"] is None


async def test_a_host_that_does_not_answer_is_told_as_such(tmp_path):
    async with a_console(tmp_path) as (_, page, team):
        run_id, _ = await planned(team)

        _, hosts = await page.load("/hosts")
        _, states = await page.load("/api/hosts")
        _, log = await page.load(f"/api/relaunches/{run_id}/log")

        assert f'href="/relaunches/{run_id}"' in hosts
        assert json.loads(states)["qwen"]["state"] is None
        assert "gpu-1" in json.loads(states)["qwen"]["trouble"]
        assert json.loads(log)["lines"] == []
        assert "gpu-1" in json.loads(log)["trouble"]


@pytest.mark.parametrize(("person", "sees_faults"), [(YOU, False), (os_person(), True)])
async def test_faults_of_the_registry_are_shown_to_whoever_runs_the_bot(tmp_path, person, sees_faults):
    async with a_console(tmp_path, everybody=person) as (_, page, _):
        (tmp_path / "hosts.yaml").write_text("version: 1\nhosts: [{name: gpu-secret}]\n")

        status, text = await page.load("/hosts")

        assert status == 200
        assert "cannot be used as it is" in text
        assert ("<li>" in text) is sees_faults


async def test_without_a_registry_there_is_nothing_of_relaunches(tmp_path):
    async with a_bot(tmp_path) as bot, a_page(bot.listener.url) as page:
        _, text = await page.load()

        assert "/relaunches" not in text
        assert 'href="/hosts"' not in text
        for path in ("/relaunches", "/hosts", "/api/hosts", f"/api/relaunches/{'0' * 32}"):
            assert (await page.load(path))[0] == 404
