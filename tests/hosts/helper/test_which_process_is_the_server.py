"""What a server runs with is told of the process that listens, not only of the one that was started."""

import sys

from tests.hosts.helper.gpu_host import BACKEND

#: has a child serve and waits for it
PARENT = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"


def test_a_child_that_serves_with_another_setting_is_what_runs(host):
    host.list_server("--standin-faults=child-serves")
    started = host.start()

    status = host.serving()

    assert status["running_spec_hash"] != started["spec_hash"]
    assert status["running"]["env"][BACKEND] == "FLASH_ATTN"


def test_a_child_that_serves_with_the_settings_of_its_parent_is_as_planned(host):
    host.list_server(argv=[sys.executable, "-c", PARENT, *host.argv()], env={BACKEND: "FLASH_ATTN"})
    started = host.start()

    status = host.serving()

    assert host.starts()[0]["pid"] != status["pid"]
    assert status["running_spec_hash"] == started["spec_hash"]


def test_a_server_that_replaces_its_own_environment_is_not_as_planned(host):
    host.list_server("--standin-faults=other-environment")
    started = host.start()

    status = host.serving()

    assert status["running_spec_hash"] != started["spec_hash"]
    assert status["running"]["env"][BACKEND] == "FLASH_ATTN"
