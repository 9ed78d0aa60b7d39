"""Where systemd runs and the helper may, systemd keeps the time; a namespace and stand-ins for its tools play that."""

import shlex
import subprocess

import pytest

from tests.hosts.helper.gpu_host import until

#: a machine of its own as far as /run goes, in which the caller is root
OWN_RUN = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
PREPARE = 'mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system && exec "$@"'
CAN = subprocess.run([*OWN_RUN, PREPARE, "sh", "true"], capture_output=True, check=False).returncode == 0
pytestmark = pytest.mark.skipif(not CAN, reason="needs user namespaces to play a machine with systemd")


@pytest.fixture
def managed(host):
    """A host whose manager writes down what it is asked."""
    asked = host.folder / "asked"
    for name in ("systemd-run", "systemctl"):
        host.put(
            name, f'#!/bin/sh\nprintf "%s" {name} >>{asked}\nprintf " %s" "$@" >>{asked}\necho >>{asked}\n'
        )
    host.before = [*OWN_RUN, PREPARE, "sh"]
    return host


def asked(host) -> list[list[str]]:
    path = host.folder / "asked"
    return [shlex.split(line) for line in path.read_text().splitlines()] if path.exists() else []


def ask(host, verb, **said):
    return host.result_of(host.send(host.request(verb, **said)))


def stop(host, after_s=600):
    return ask(host, "stop", order=host.order("stop"), grace_seconds=5, restore_after_seconds=after_s)


def test_it_is_asked_to_restore_the_server_after_the_time(managed):
    stop(managed)

    (call,) = asked(managed)
    assert call[0] == "systemd-run"
    assert "--collect" in call
    assert "--on-active=600.000" in call
    assert call[-5:-2] == ["deadman", managed.name, "r1:stop"]
    assert managed.watchers() == []


def test_what_it_is_asked_to_run_restores_the_server_when_it_is_due(managed):
    stop(managed, after_s=0.1)
    command = asked(managed)[0]

    subprocess.run(command[command.index("--") + 1 :], check=True, timeout=120)

    assert managed.record()["phase"] == "restored"
    managed.serving()


def test_the_timer_is_taken_off_when_the_run_is_over(managed):
    stop(managed)
    unit = next(word for word in asked(managed)[0] if word.startswith("--unit=")).partition("=")[2]

    ask(managed, "restore", order=managed.order("restore"), restore_after_seconds=600)

    # The restoration had a timer of its own, which took the first one's place.
    calls = asked(managed)
    assert ["systemctl", "stop", f"{unit}.timer"] in calls
    units = [word.partition("=")[2] for call in calls for word in call if word.startswith("--unit=")]
    stopped = [call for call in calls if call[0] == "systemctl"]
    assert stopped == [["systemctl", "stop", f"{unit}.timer"] for unit in units]


def test_a_manager_that_refuses_is_replaced_by_a_process_of_our_own(managed):
    managed.put("systemd-run", "#!/bin/sh\nexit 1\n")

    stop(managed)

    assert until("somebody waits", managed.watchers)
