"""What the engine itself has listen on a container's published port is no stranger; everybody else is."""

import subprocess
import sys

import pytest

from tests.hosts.docker.engine import IMAGE

pytestmark = pytest.mark.root
#: listens under a name until it is ended
LISTENER = (
    "import ctypes, socket, sys; ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0); "
    "found = socket.create_server(('127.0.0.1', int(sys.argv[2]))); print('listens', flush=True); sys.stdin.read()"
)


@pytest.mark.parametrize(("name", "is_sound"), [("docker-proxy", True), ("somebody", False)])
def test_the_engine_s_own_proxy_is_told_from_a_stranger(host, name, is_sound):
    host.docker("create", "--name", host.container, *host.options(), IMAGE, *host.argv())
    command = [sys.executable, "-c", LISTENER, name, str(host.port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as listening:
        assert listening.stdout.readline() == b"listens\n"

        checks = {check["name"]: check for check in host.preflight({"env_unset": []})["checks"]}
        answer = host.probe("health", timeout_s=1)

        listening.stdin.close()
    assert checks["port"]["is_sound"] is is_sound
    assert (name in checks["port"]["detail"]) is not is_sound
    assert answer["status"] is None
