"""From half a paste to its cause: the server's own log is fetched by button or command, and who else is asked."""

import asyncio

import pytest

from tests.hosts.helper.gpu_host import BACKEND
from tests.scenario.hosted_team import PATIENCE_S, ROOM, a_hosted_team
from tests.scenario.test_twelve_scenarios_on_four_stages import SAMPLE

STAGES = ["slack-socket", "slack-http", "discord", "console"]
#: the last line of a death, which tells nothing of its cause
ECHO = (
    "(APIServer pid=1) INFO 12-01 04:30:52 [api_server.py:1977] vLLM API server version 0.11.2\n"
    "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. "
    "Failed core proc(s): {}\n"
)
SECRET = "hf_" + "Zq7Planted0Secret9Core5xY2bN8"
OPERATIONS = ["relaunch", "fetch", "sweep"]


@pytest.fixture(params=STAGES)
async def team(request, tmp_path):
    async with a_hosted_team(request.param, tmp_path, operations=OPERATIONS) as found:
        found.host.list_server(env={BACKEND: "FLASHINFER", "HF_TOKEN": SECRET})
        await asyncio.to_thread(found.host.start)
        await asyncio.to_thread(found.host.ended)
        yield found


async def fetches(team):
    entries = await team.journalled()
    return [(entry["stage"], entry["outcome"]) for entry in entries if entry["act"] == "fetch"]


async def half_a_paste(team):
    await team.stage.say(ECHO, channel=ROOM)
    answer = await team.stage.next_answer(channel=ROOM, within_s=PATIENCE_S)
    assert "Fetch for me" in answer.buttons
    return answer


def now(team, answer):
    return next(one for one in team.stage.answers(ROOM) if one.id == answer.id)


async def test_what_a_paste_lacks_is_fetched_and_diagnosed_with_it_once(team):
    stage, answer = team.stage, await half_a_paste(team)

    await stage.press(answer, "Fetch for me")
    await stage.press(answer, "Fetch for me")
    found = await team.shows("Fetched from vision on gpu1")
    await stage.settled(PATIENCE_S)

    cards = [one for one in stage.answers(ROOM) if "Fetched from" in one.text]
    assert [one.id for one in cards] == [found.id]
    assert "Qwen3-VL does not support AttentionBackendEnum.FLASHINFER" in found.text
    assert {"Relaunch…", "Who else?"} <= set(found.buttons)
    assert "Fetch for me" not in found.buttons
    assert found.private_to is None
    assert found.thread == answer.thread
    assert "Fetch for me" not in now(team, answer).buttons
    assert await fetches(team) == [("decision", "allowed"), ("intent", ""), ("result", "done")]
    assert all(SECRET not in one.text for one in stage.answers(ROOM))

    # what was fetched is kept with the paste: a plan can be made of it
    await stage.press(found, "Relaunch…")
    plan = await team.shows("waits for approval")
    assert f"- {BACKEND}=FLASHINFER" in plan.text


async def test_whoever_has_no_role_is_refused_alone_and_it_is_written_down(team):
    stage, answer = team.stage, await half_a_paste(team)
    person = "bob"
    if stage.name == "console":
        team.write_registry("os:eve", "os:eve", f"console:{ROOM}", operations=OPERATIONS)
        person = "ann"

    await stage.press(answer, "Fetch for me", person=person)
    refusal = await stage.next_answer(1, channel=ROOM, within_s=PATIENCE_S)
    await stage.command(f"fetch {team.host.name}", person=person, channel=ROOM)
    await stage.next_answer(2, channel=ROOM, within_s=PATIENCE_S)
    await stage.command("sweep", person=person, channel=ROOM)
    await stage.next_answer(3, channel=ROOM, within_s=PATIENCE_S)

    assert "You may not do this" in refusal.text
    assert refusal.private_to == person
    assert "No role of yours" in refusal.text
    said = [one for one in stage.answers(ROOM) if one.id != answer.id]
    assert [one.private_to for one in said] == [person] * len(said)
    assert "Fetch for me" in now(team, answer).buttons
    assert await fetches(team) == [("decision", "refused")] * 2


async def test_a_command_fetches_a_server_and_one_that_nobody_knows_is_named(team):
    stage = team.stage
    await stage.command(f"fetch {team.host.name}", channel=ROOM)
    found = await team.shows("Fetched from vision on gpu1")

    assert "Qwen3-VL does not support AttentionBackendEnum.FLASHINFER" in found.text
    assert found.private_to is None
    assert "Relaunch…" in found.buttons
    assert SECRET not in found.text

    await stage.command("fetch nowhere", channel=ROOM)
    unknown = await team.shows("No server nowhere is registered")
    assert unknown.private_to == "ann"
    await stage.command("fetch", channel=ROOM)
    nameless = await team.shows("Name a server")
    assert nameless.private_to == "ann"
    assert await fetches(team) == [("decision", "allowed"), ("intent", ""), ("result", "done")]


async def test_a_host_that_does_not_answer_is_one_sentence(team):
    stage, answer = team.stage, await half_a_paste(team)
    registry = team.registry.read_text()
    team.registry.write_text(registry.replace('"helper": ["env"', '"helper": ["false", "env"'))

    await stage.press(answer, "Fetch for me")
    silent = await team.shows("vision could not be asked")

    assert silent.private_to == "ann"
    assert "Fetch for me" in now(team, answer).buttons
    assert (await fetches(team))[-1] == ("result", "failed")

    team.registry.write_text(registry)
    await stage.press(answer, "Fetch for me")
    await team.shows("Fetched from vision on gpu1")


async def test_who_else_would_fail_is_one_card_and_asked_once(team):
    stage = team.stage
    await stage.say(SAMPLE, channel=ROOM)
    answer = await stage.next_answer(channel=ROOM, within_s=PATIENCE_S)

    await stage.press(answer, "Who else?")
    await stage.press(answer, "Who else?")
    found = await team.shows("1 of 1 servers would fail the same way")
    await stage.settled(PATIENCE_S)

    assert "vision on gpu1, vLLM 0.11.2" in found.text
    assert found.private_to is None
    assert found.thread == answer.thread
    assert "Who else?" not in now(team, answer).buttons
    swept = [one for one in await team.journalled() if one["act"] == "sweep"]
    assert [(one["stage"], one["outcome"]) for one in swept] == [
        ("decision", "allowed"),
        ("intent", ""),
        ("result", "done"),
    ]


async def test_who_else_is_asked_by_a_command_too(team):
    stage = team.stage
    await stage.command("sweep", channel=ROOM)
    assert (await team.shows("No failure is kept here")).private_to == "ann"

    await stage.command(f"sweep {team.host.name}", channel=ROOM)
    await team.shows("1 of 1 servers would fail the same way")
    await stage.command("sweep no-such-rule", channel=ROOM)
    assert (await team.shows("no-such-rule is neither")).private_to == "ann"


async def test_in_chinese(team):
    stage = team.stage
    await stage.say(f"服务启动失败，请帮忙看看这是什么原因：\n{ECHO}", channel=ROOM)
    answer = await stage.next_answer(channel=ROOM, within_s=PATIENCE_S)

    await stage.press(answer, "替我获取")
    found = await team.shows("从 gpu1 上的 vision 获取")

    assert "Qwen3-VL does not support AttentionBackendEnum.FLASHINFER" in found.text
    assert "还有谁会这样？" in found.buttons


async def test_one_of_many_servers_is_chosen_from_a_list(team):
    stage, answer = team.stage, await half_a_paste(team)
    team.register(operations=OPERATIONS, also=[f"zeta-{number:03}" for number in range(120)])

    await stage.press(answer, "Fetch for me")
    asked = await team.shows("Which server's log")
    most = {"discord": 25, "console": 500}.get(stage.name, 100)

    assert asked.private_to == "ann"
    assert asked.buttons == ()
    assert asked.options[:2] == ("vision", "zeta-000")
    assert len(asked.options) == min(most, 121)
    assert (f"{121 - most} more fit" in asked.text) == (most < 121)

    await stage.choose(asked, "vision")
    found = await team.shows("Fetched from vision on gpu1")
    assert found.thread == answer.thread


async def test_the_server_of_a_relaunch_is_chosen_from_a_list_too(team):
    stage = team.stage
    team.register(operations=OPERATIONS, also=[f"zeta-{number}" for number in range(5)])
    await stage.say(SAMPLE, channel=ROOM)
    answer = await stage.next_answer(channel=ROOM, within_s=PATIENCE_S)

    await stage.press(answer, "Relaunch…")
    asked = await team.shows("Which server is meant?")
    assert asked.options[:2] == ("All 6, one by one", "vision")
    assert (len(asked.options), asked.buttons) == (7, ())

    await stage.choose(asked, "vision")
    plan = await team.shows("waits for approval")
    assert "vision on gpu1" in plan.text
