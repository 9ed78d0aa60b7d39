"""A unit of a real systemd is relaunched over a real sshd: exactly the planned launch, once, and back again."""

import asyncio
import contextlib
import time

import asyncssh
import pytest

from adapters.hosts.errors import HostUnreachableError, OutcomeUnknownError, RefusalCode, RefusedError
from adapters.hosts.records import LaunchChange, Order, Phase, ProbeKind, RunState
from tests.hosts.helper.gpu_host import BACKEND, MODEL, REFUSED
from tests.hosts.systemd.unit_host import ACCOUNT, HELPER

pytestmark = pytest.mark.root
FLASHINFER = LaunchChange(env_set={BACKEND: "FLASHINFER"})


async def test_a_variable_of_an_environment_file_is_really_gone(host):
    host.owner_writes(f"{BACKEND}=FLASHINFER\nKEEP=1\n")
    host.owner_starts()

    await host.stop()
    started = await host.start()
    status = await host.serving()
    kept = await host.host.commit(host.order("commit"))

    assert BACKEND not in status.running.env
    assert BACKEND not in host.environ()
    assert host.environ()["KEEP"] == "1"
    assert status.running_spec_hash == started.spec_hash == kept.launch.spec_hash
    assert "Using FLASH_ATTN backend." in status.log.text
    assert kept.phase is Phase.COMMITTED
    models, text = await host.host.probe(host.name, (ProbeKind.MODELS, ProbeKind.TEXT), MODEL, 20)
    assert MODEL in models.body
    assert "Paris" in text.body


async def test_a_variable_of_the_unit_itself_is_really_gone(host):
    host.owner_writes("")
    host.owner_starts()
    await host.serving()

    await host.stop()
    await host.start()
    await host.serving()

    assert BACKEND not in host.environ()
    assert host.environ()["FROM_UNIT"] == "1"
    assert host.environ()["USER"] == "vllm"


async def test_a_variable_that_a_wrapper_script_sets_is_really_gone(host):
    script = f"/opt/{host.name}.sh"
    command = f"/usr/bin/python3 -u /opt/standin/vllm serve {MODEL} --port {host.port} --standin-ledger={host.ledger}"
    host.machine.write("/opt/standin/vllm", (host.machine.root / "opt/standin/__main__.py").read_bytes())
    host.machine.write(script, f"#!/bin/sh\nexport {BACKEND}=FLASHINFER\nexec {command}\n", 0o755)
    host.owner_writes("", command=script)

    await host.stop()
    started = await host.start()
    status = await host.serving()

    assert BACKEND not in host.environ()
    assert status.running_spec_hash == started.spec_hash


async def test_the_server_runs_as_its_user_in_its_folder(host):
    host.owner_writes("")
    await host.stop()
    await host.start()
    status = await host.serving()

    pid = host.machine.run("systemctl", "show", "-P", "MainPID", host.unit).strip()
    assert host.machine.run("stat", "-c", "%U", f"/proc/{pid}").strip() == "vllm"
    assert host.machine.run("readlink", f"/proc/{pid}/cwd").strip() == "/opt"
    assert str(status.pid) == pid


async def test_what_is_asked_twice_is_done_once(host):
    host.owner_writes("")
    await host.stop()
    first = await host.start()
    await host.serving()
    again = await host.start()
    await host.stop(new_run=False)

    # a late copy of the stop ends nothing
    assert again.start_id == first.start_id
    assert (await host.status()).state is RunState.RUNNING
    assert host.starts() == 1


async def test_a_run_that_fails_is_brought_back(host):
    host.owner_writes("")
    host.owner_starts()
    await host.serving()
    await host.stop()
    await host.start(FLASHINFER)
    failed = await host.until("it fails", lambda one: REFUSED in one.log.text)
    assert failed.log.text.count("Initializing a V1 LLM engine") >= 1

    await host.host.restore(host.order("restore"), 600)

    status = await host.serving()
    assert host.environ()[BACKEND] == "FLASH_ATTN"
    assert status.phase is Phase.RESTORED


async def test_restarts_by_systemd_are_told_and_a_crash_loop_can_be_started_again(host):
    host.owner_writes("")
    await host.stop()
    await host.start(FLASHINFER)
    looping = await host.until(
        "systemd gives up", lambda one: one.state is RunState.EXITED and one.restarts >= 2
    )
    assert looping.restarts >= 2

    await host.host.restore(host.order("restore"), 600)

    assert (await host.serving()).state is RunState.RUNNING


async def test_without_a_commit_the_earlier_launch_comes_back_by_itself(host):
    host.owner_writes("")
    host.owner_starts()
    await host.serving()
    await host.stop()
    await host.start(FLASHINFER, restore_after=1)

    await host.until("the earlier launch is back", lambda one: one.phase is Phase.RESTORED)
    await host.serving()
    assert host.environ()[BACKEND] == "FLASH_ATTN"


async def test_a_server_that_heeds_no_signal_is_killed_with_its_group_and_stays_down(host):
    host.owner_writes("EXTRA=--standin-faults=ignores-term,escapee\n", unit=["KillMode=mixed"])
    host.owner_starts()
    await host.serving()
    began = time.monotonic()

    stopped = await host.stop(grace=1)

    assert stopped.was_killed
    assert stopped.port_is_free
    assert time.monotonic() - began < 45
    assert host.machine.run("systemctl", "show", "-P", "ActiveState", host.unit).strip() in {
        "failed",
        "inactive",
    }
    assert host.machine.run("pgrep", "-u", "vllm", check=False) == ""


async def test_an_owner_who_changes_the_environment_file_is_followed(host):
    host.owner_writes("")
    await host.stop()
    await host.start()
    await host.serving()
    await host.host.commit(host.order("commit"))

    host.machine.write(f"/etc/vllm/{host.name}.env", f"{BACKEND}=FLASH_ATTN\nNEW=1\n")
    host.machine.run("systemctl", "restart", host.unit)
    await host.serving()

    assert host.environ()["NEW"] == "1"
    assert host.environ()[BACKEND] == "FLASH_ATTN"


async def test_an_older_run_is_fenced(host):
    host.owner_writes("")
    await host.stop()
    await host.stop()

    with pytest.raises(RefusedError) as caught:
        await host.host.stop(Order(host.name, "r1:late", 1), 5, 600)
    assert caught.value.code is RefusalCode.FENCED


async def test_the_bots_key_gets_nothing_but_the_helper(host):
    host.owner_writes("")
    key = str(host.key_file)
    async with asyncssh.connect(
        host.machine.address,
        username=ACCOUNT,
        client_keys=[key],
        known_hosts=([asyncssh.import_public_key(host.machine.host_key)], [], []),
        config=None,
        agent_path=None,
    ) as connection:
        asked = await connection.run("id; cat /etc/shadow", input="id; cat /etc/shadow")
        assert '"bad-request"' in asked.stdout
        assert "uid=" not in asked.stdout
        assert "root:" not in asked.stdout + asked.stderr
        with pytest.raises(asyncssh.ChannelOpenError):
            await connection.open_connection("127.0.0.1", 8000)
    sudo = host.machine.run("runuser", "-u", ACCOUNT, "--", "sudo", "-n", "/usr/bin/id", check=False)
    assert "uid=0" not in sudo
    more = ["/usr/bin/python3", "-I", "-S", "-B", HELPER, "serve-request", "--config", "/home/mine.json"]
    refused = host.machine.run("runuser", "-u", ACCOUNT, "--", "sudo", "-n", *more, check=False, text="{}")
    assert refused == ""


async def test_a_machine_that_loses_its_sshd_in_the_middle_is_asked_again_and_acts_once(host):
    host.owner_writes("")
    await host.stop()
    planned = await host.host.preflight(host.order("preflight"), LaunchChange(env_unset=(BACKEND,)))
    change, order = LaunchChange(env_unset=(BACKEND,)), host.order("start")
    asked = asyncio.create_task(host.host.start(order, change, planned.after.spec_hash, 600))
    await asyncio.sleep(0.1)
    host.machine.run("sh", "-c", "pkill -f 'sshd: [v]llm-diagnose' || :")
    # it may have been answered just before
    with contextlib.suppress(OutcomeUnknownError, HostUnreachableError):
        await asked

    started = await host.host.start(order, change, planned.after.spec_hash, 600)

    assert (await host.serving()).start_id == started.start_id
    assert host.starts() == 1


async def test_uninstalling_leaves_the_owners_unit_as_it_was(host):
    host.owner_writes("")
    host.machine.run("/usr/bin/python3", HELPER, "uninstall")

    shown = host.machine.run("systemctl", "show", "-P", "ExecStart", host.unit)
    assert "standin" in shown
    assert "launch" not in shown
    assert host.machine.run("test", "-e", "/etc/sudoers.d/vllm-diagnose", check=False) == ""
    assert not (host.machine.root / "usr/local/lib/vllm-diagnose/helper.pyz").exists()
