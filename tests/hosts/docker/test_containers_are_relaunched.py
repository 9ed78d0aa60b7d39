"""A container is relaunched by a real engine: exactly the planned launch, the owner's own kept, once."""

import subprocess

import pytest

from tests.hosts.helper.gpu_host import BACKEND, MODEL, REFUSED, HelperRefusedError, until

pytestmark = pytest.mark.root
UNSET = {"env_unset": [BACKEND]}


def test_a_variable_of_the_image_is_really_gone(host):
    host.owner_runs()
    assert REFUSED in until("it dies", lambda: _died(host))

    host.stop()
    started = host.start(UNSET)
    status = host.serving()
    kept = host.commit()

    assert "Using FLASH_ATTN backend." in status["log"]["text"]
    assert BACKEND not in status["running"]["env"]
    assert status["running_spec_hash"] == started["spec_hash"] == kept["launch"]["spec_hash"]
    assert status["pid"] in status_pids(host)
    assert MODEL in host.probe("models")["body"]
    assert "Paris" in host.probe("text")["body"]
    assert (
        host.docker(
            "exec", host.container, "sh", "-c", "tr '\\0' '\\n' < /proc/1/environ | grep -c FLASHINFER || :"
        )
        == "0"
    )


def _died(host):
    state = host.inspected()["State"]
    return state["Status"] == "exited" and host.docker("logs", host.container) + " " + _errors(host)


def _errors(host):
    found = subprocess.run(
        ["docker", "-H", host.address, "logs", host.container], capture_output=True, text=True, check=True
    )
    return found.stderr


def status_pids(host):
    found = host.docker("top", host.container, "-eo", "pid")
    return {int(line) for line in found.splitlines()[1:]}


@pytest.mark.parametrize("options", [("-e", f"{BACKEND}=FLASHINFER"), ("--env-file",)])
def test_a_variable_that_the_owner_gave_the_container_is_really_gone(host, options):
    if options == ("--env-file",):
        file = host.folder / "server.env"
        file.write_text(f"{BACKEND}=FLASHINFER\nKEEP=1\n")
        options = ("--env-file", str(file))
    host.owner_runs(*options)

    host.stop()
    host.start(UNSET)

    assert BACKEND not in host.serving()["running"]["env"]


def test_a_variable_and_a_flag_are_set(host):
    host.owner_runs()
    host.stop()
    host.start({"env_set": {BACKEND: "FLASH_ATTN"}, "flags_set": {"--max-model-len": "4096"}})

    running = host.serving()["running"]

    assert running["env"][BACKEND] == "FLASH_ATTN"
    assert "--max-model-len=4096" in running["argv"] or "4096" in running["argv"]


def test_the_owners_container_is_kept_aside_and_its_make_is_kept(host):
    host.owner_runs(
        "--label", "team=vision", "--memory", "2g", "--shm-size", "128m", "-v", "/work", "--workdir", "/etc"
    )
    before = host.inspected()
    host.stop()
    host.start(UNSET)
    host.serving()

    after = host.inspected()
    assert host.names() == {host.container, f"{host.container}.before-relaunch"}
    assert after["Config"]["Labels"]["team"] == "vision"
    for key in ("Memory", "ShmSize", "NetworkMode", "IpcMode"):
        assert after["HostConfig"][key] == before["HostConfig"][key]
    assert after["Config"]["WorkingDir"] == "/etc"
    volumes = [
        mount["Name"] for one in (before, after) for mount in one["Mounts"] if mount["Type"] == "volume"
    ]
    assert len(volumes) == 2
    assert len(set(volumes)) == 1


def test_what_is_asked_twice_is_done_once(host):
    host.owner_runs()
    host.stop()
    first = host.start(UNSET)
    again = host.start(UNSET)

    assert again["start_id"] == first["start_id"]
    host.serving()
    # the owner's own start, and one of ours
    assert len(host.starts()) == 2


def test_a_run_that_fails_is_brought_back(host):
    host.owner_runs("-e", f"{BACKEND}=FLASH_ATTN")
    until("it serves", lambda: host.status()["port_is_open"])
    host.stop()
    host.start({"env_set": {BACKEND: "FLASHINFER"}})
    assert host.ended()["exit_code"] == 1

    host.restore()

    running = host.serving()["running"]
    assert running["env"][BACKEND] == "FLASH_ATTN"
    assert host.status()["phase"] == "restored"


def test_without_a_commit_the_earlier_launch_comes_back_by_itself(host):
    host.owner_runs("-e", f"{BACKEND}=FLASH_ATTN")
    until("it serves", lambda: host.status()["port_is_open"])
    host.stop()
    host.start({"env_set": {BACKEND: "FLASHINFER"}}, after_s=1)

    until("the earlier launch is back", lambda: host.status()["phase"] == "restored")
    assert host.serving()["running"]["env"][BACKEND] == "FLASH_ATTN"


def test_an_engine_that_restarts_everything_does_not_bring_a_stopped_server_back(host):
    host.owner_runs("-e", f"{BACKEND}=FLASH_ATTN", "--restart", "always")
    until("it serves", lambda: host.status()["port_is_open"])

    stopped = host.stop()

    assert stopped["port_is_free"]
    assert host.inspected()["State"]["Running"] is False
    assert host.inspected()["HostConfig"]["RestartPolicy"]["Name"] == "no"
    host.start(UNSET)
    host.serving()
    assert host.inspected()["HostConfig"]["RestartPolicy"]["Name"] == "always"


def test_a_server_that_heeds_no_signal_is_killed_with_all_it_started(host):
    host.owner_runs("-e", f"{BACKEND}=FLASH_ATTN", flags=("--standin-faults=ignores-term",))
    until("it serves", lambda: host.status()["port_is_open"])

    stopped = host.stop(grace_s=1)

    assert stopped["was_killed"]
    assert host.status()["state"] == "exited"


def test_a_log_is_read_on_from_where_it_was_left_and_outlives_its_container(host):
    host.owner_runs()
    host.stop()
    host.start(UNSET)
    whole = host.serving()["log"]
    rest = host.status(offset=whole["next_offset"])["log"]

    assert rest["text"] == ""
    assert rest["next_offset"] == whole["next_offset"]
    assert host.status(offset=0)["log"]["text"].startswith(whole["text"][:200])
    host.docker("rm", "-f", host.container)
    assert host.status(offset=0)["log"]["text"][:200] == whole["text"][:200]


def test_a_container_that_nobody_made_is_refused(host):
    with pytest.raises(HelperRefusedError, match="start the server once as you always do"):
        host.stop()


def test_an_owner_who_makes_the_container_anew_is_followed(host):
    host.owner_runs()
    host.stop()
    host.start(UNSET)
    host.serving()
    host.commit()
    host.docker("rm", "-f", host.container)

    host.owner_runs("-e", f"{BACKEND}=FLASH_ATTN")

    snapshot = host.ask("snapshot", server=host.name)
    assert snapshot["launch"]["env"][BACKEND] == "FLASH_ATTN"
