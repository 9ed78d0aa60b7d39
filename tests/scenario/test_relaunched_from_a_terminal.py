"""A relaunch typed at a terminal, carried out by the bot that runs: planned, approved, followed, proven."""

import asyncio
import json

import pytest

from bot.access.signing_in import os_person
from tests.hosts.helper.gpu_host import BACKEND
from tests.scenario.a_terminal import a_terminal, write


@pytest.fixture
async def terminal(tmp_path, monkeypatch):
    async with a_terminal(tmp_path, monkeypatch) as found:
        yield found


async def test_a_server_is_mended_from_a_terminal(terminal):
    host = terminal.host
    code, out, err = await terminal.types("plan", host.name, "--incident", terminal.incident)
    assert code == 0, err
    assert f"- {BACKEND}=FLASHINFER" in out
    assert await terminal.runs() == []

    run_id = await terminal.requested()
    assert host.starts() == []

    unsure = await terminal.types("approve", run_id)
    assert (unsure[0], "--yes" in unsure[2]) == (64, True)
    other = await terminal.types("approve", run_id, "--yes", "--plan", "0" * 12)
    assert other[0] == 77
    assert f"relaunch {run_id} has another plan than {'0' * 12}" in other[2]
    short = await terminal.types("approve", run_id, "--yes", "--plan", "8a8")
    assert (short[0], "at least 12 letters" in short[2]) == (64, True)
    assert "button" not in other[2] + short[2]
    assert host.starts() == []

    code, out, err = await terminal.types("approve", run_id, "--yes", "--wait")
    assert code == 0, err
    assert f"- {BACKEND}=FLASHINFER" in out
    assert "verified" in err
    assert host.status()["phase"] == "committed"

    code, out, _ = await terminal.types("show", run_id)
    assert code == 0
    assert "passed: a real completion makes sense" in out
    assert "paste to verified:" in out
    shown = json.loads((await terminal.types("show", run_id, "--json"))[1])
    assert shown["state"] == "committed"
    assert shown["approvers"] == [os_person().id]
    assert shown["seconds"]["paste_to_verified"] > 0
    (listed,) = json.loads((await terminal.types("list", "--json"))[1])
    assert listed["id"] == run_id

    late = await terminal.types("cancel", run_id)
    assert (late[0], "Too late" in late[2]) == (1, True)


async def test_an_approval_without_a_bot_that_runs_says_so_at_once(terminal):
    run_id = await terminal.requested()
    await terminal.team.stage.bot.stop()

    code, out, err = await terminal.types("approve", run_id, "--yes")

    assert (code, "it begins when a bot runs" in out) == (0, True), err
    assert err.count("start `vllm-diagnose serve`") == 1
    _, out, err = await terminal.types("show", run_id)
    assert err.count("start `vllm-diagnose serve`") == 1
    standing = out.partition(run_id)[0]
    assert standing.count(f"Approved by {os_person().id}") == 1
    assert terminal.host.starts() == []


async def test_a_plan_can_be_turned_down_called_off_or_unlocked(terminal):
    for act in (("reject",), ("cancel",), ("unlock", "--yes")):
        run_id = await terminal.requested()
        named = terminal.host.name if act[0] == "unlock" else run_id
        code, out, err = await terminal.types(act[0], named, *act[1:])
        assert code == 0, err
        assert out.strip()
        assert (await terminal.types("approve", run_id, "--yes"))[0] == 1
    assert {run.state for run in await terminal.runs()} == {"rejected", "voided"}
    for name in (terminal.host.name, "gpu1"):
        code, _, err = await terminal.types("unlock", name, "--yes")
        assert (code, f"{name} has no relaunch under way" in err) == (1, True)
    assert (await terminal.types("unlock", "nowhere", "--yes"))[0] == 64
    assert terminal.host.starts() == []


async def test_all_relaunching_is_turned_off_for_the_bot_that_runs_and_on_again(terminal):
    run_id = await terminal.requested()
    assert (await terminal.types("switch"))[:2] == (0, "Relaunching is on.\n")

    code, out, err = await terminal.types("switch", "off", "--why", "storage is being repaired")
    assert (code, err) == (1, "")
    assert f"by {os_person().id} at " in out
    assert "storage is being repaired." in out
    again = await terminal.types("switch", "off", "--why", "another reason")
    assert (again[0], again[1]) == (1, out)
    assert "It was off already" in again[2]
    assert "Your reason is in the journal" in again[2]
    refused = await terminal.types("approve", run_id, "--yes")
    asked = await terminal.types("plan", terminal.host.name, "--incident", terminal.incident)
    listed = await terminal.types("list")
    told = json.loads((await terminal.types("switch", "--json"))[1])
    assert (refused[0], "storage is being repaired; it lifts when" in refused[2]) == (77, True)
    assert "storage is being repaired" in asked[1]
    assert "storage is being repaired" in listed[2]
    assert (told["on"], "relaunch switch on" in told["lifts"]) == (False, True)

    assert (await terminal.types("switch", "on"))[:2] == (0, "Relaunching is on.\n")
    assert (await terminal.types("list"))[2] == ""
    code, _, err = await terminal.types("approve", run_id, "--yes", "--wait")
    assert code == 0, err


async def test_under_dry_run_every_first_answer_says_so(terminal, monkeypatch):
    monkeypatch.setenv("VLLM_DIAGNOSE_RELAUNCH__DRY_RUN", "true")
    asked = (terminal.host.name, "--incident", terminal.incident)

    for arguments in (("plan", *asked), ("request", *asked), ("switch",)):
        code, out, err = await terminal.types(*arguments)
        assert (code, "dry run" in out, "relaunch.dry_run to false" in out) == (0, True, True), (out, err)
    assert json.loads((await terminal.types("switch", "--json"))[1])["dry_run"] is True


async def test_what_a_server_runs_with_and_whether_the_failure_waits_there_is_asked(terminal):
    host = terminal.host
    await asyncio.to_thread(host.start)
    await asyncio.to_thread(host.ended)

    code, out, err = await terminal.types("fetch", host.name, "--lines", "5")
    assert code == 0, err
    assert f"{BACKEND}=FLASHINFER" in out
    assert "The last 5 lines of this start" in out
    swept = await terminal.types("sweep", "--incident", terminal.incident, "--json")
    assert swept[0] == 1, swept[2]
    (server,) = json.loads(swept[1])["servers"]
    assert server["fate"] in {"would-fail", "likely"}
    assert server["reason"]
    acts = [(entry["stage"], entry["act"], entry["actor"]) for entry in await terminal.team.journalled()]
    for act in ("fetch", "sweep"):
        stages = [stage for stage, name, actor in acts if name == act and actor == os_person().id]
        assert stages == ["decision", "intent", "result"]


async def test_who_may_not_is_told_77_and_nothing_is_done(terminal):
    run_id = await terminal.requested()
    write(terminal.team, "os:somebody-else")
    named = terminal.host.name
    refused = [
        ("plan", named, "--incident", terminal.incident),
        ("request", named, "--incident", terminal.incident),
        ("show", run_id),
        ("approve", run_id, "--yes"),
        ("reject", run_id),
        ("cancel", run_id),
        ("unlock", run_id, "--yes"),
        ("fetch", named),
        ("sweep", "--incident", terminal.incident),
        ("switch", "off"),
        ("switch", "on"),
    ]
    before = len(await terminal.team.journalled())

    for arguments in refused:
        code, out, err = await terminal.types(*arguments)
        assert (code, out, err.count("\n")) == (77, "", 1), arguments
        assert "No role of yours" in err or "no role of yours" in err
    assert (await terminal.types("list"))[1] == ""
    entries = (await terminal.team.journalled())[before:]
    assert len(entries) == len(refused)
    assert {entry["outcome"] for entry in entries} == {"refused"}
    assert terminal.host.starts() == []


async def test_mistakes_have_one_sentence_and_a_code(terminal):
    named, incident = terminal.host.name, terminal.incident
    mistakes = [
        (64, ("request", "nowhere", "--incident", incident)),
        (64, ("request", named, "--incident", "0" * 32)),
        (64, ("request", named)),
        (64, ("request", named, "--incident", incident, "--fix", "magic")),
        (64, ("show", "0" * 32)),
        (64, ("approve", "0" * 32, "--yes")),
        (64, ("fetch", "nowhere")),
        (64, ("fetch", named, "--lines", "100000")),
    ]
    for code, arguments in mistakes:
        found = await terminal.types(*arguments)
        assert (found[0], found[2].count("\n")) == (code, 1), (arguments, found)
    unknown = (await terminal.types("request", named, "--incident", incident, "--fix", "magic"))[2]
    assert "there is no fix called 'magic' that a relaunch can carry out; there is " in unknown
    assert "unset" in unknown
    (terminal.host.folder / "helper.json").unlink()
    text = json.loads(terminal.team.registry.read_text())
    text["hosts"][0]["helper"] = ["/nonexistent/helper"]
    terminal.team.registry.write_text(json.dumps(text))
    away = await terminal.types("plan", named, "--incident", incident)
    assert away[0] == 69, away
    assert (await terminal.types("fetch", named))[0] == 69
    terminal.team.registry.write_text("hosts: 3\n")
    assert (await terminal.types("list"))[0] == 65
