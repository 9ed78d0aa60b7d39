"""A service of a compose file is relaunched by a real compose and a real engine, and stays compose's own."""

import json
import os
import shutil
import subprocess

import pytest

from tests.hosts.docker.engine import IMAGE
from tests.hosts.helper.gpu_host import BACKEND, ROOT, HelperRefusedError

pytestmark = pytest.mark.root
UNSET = {"env_unset": [BACKEND]}


class Composed:
    """A compose file with the server as its only service."""

    def __init__(self, host, **service):
        if shutil.which("docker-compose") is None:
            pytest.skip("Debian's docker-compose is not installed")
        self.host = host
        self.file = host.folder / "compose.yml"
        self.project = host.folder.name.replace("_", "")
        (host.folder / "server.env").write_text(f"{BACKEND}=FLASHINFER\n")
        words = "".join(f"      - {json.dumps(word)}\n" for word in host.argv())
        more = "".join(f"    {key}: {value}\n" for key, value in service.items())
        self.file.write_text(
            f'version: "3"\nservices:\n  vllm:\n    image: {IMAGE}\n    network_mode: host\n    env_file: server.env\n'
            f'    volumes: ["/usr:/usr:ro", "{ROOT}:{ROOT}:ro", "{host.folder}:{host.folder}"]\n{more}'
            f"    command:\n{words}"
        )
        host.list_server(driver="compose", compose_file=str(self.file), service="vllm", argv=[], env={})

    def up(self):
        """Bring it up as its owner does, and return what compose says."""
        command = ["docker-compose", "-p", self.project, "-f", str(self.file), "up", "-d"]
        found = subprocess.run(
            command,
            env={**os.environ, "DOCKER_HOST": self.host.address},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert found.returncode == 0, found.stderr
        return found.stderr

    def clean(self):
        for line in self.host.docker(
            "ps", "-aq", "--filter", f"label=com.docker.compose.project={self.project}"
        ).split():
            self.host.docker("rm", "-f", "-v", line)


@pytest.fixture
def service(host):
    found = Composed(host)
    yield found
    found.clean()


def test_a_variable_of_an_env_file_is_really_gone_and_compose_leaves_the_service_alone(host, service):
    service.up()
    host.stop()
    started = host.start(UNSET)
    status = host.serving()
    host.commit()

    assert BACKEND not in status["running"]["env"]
    assert status["running_spec_hash"] == started["spec_hash"]
    assert "up-to-date" in service.up()
    assert host.status()["start_id"] == started["start_id"]


def test_an_owner_who_changes_the_file_is_followed(host, service):
    service.up()
    host.stop()
    host.start(UNSET)
    host.serving()
    host.commit()

    service.file.write_text(
        service.file.read_text().replace("    command:", "    environment: {NCCL_DEBUG: INFO}\n    command:")
    )
    service.up()

    assert host.ask("snapshot", server=host.name)["launch"]["env"][BACKEND] == "FLASHINFER"


def test_the_earlier_launch_comes_back(host, service):
    service.up()
    host.stop()
    host.start(UNSET)
    host.serving()

    host.restore()

    assert host.ended()["exit_code"] == 1
    assert host.ask("snapshot", server=host.name)["launch"]["env"][BACKEND] == "FLASHINFER"


def test_a_service_that_was_never_up_is_refused(host, service):
    with pytest.raises(HelperRefusedError, match="bring it up once with compose"):
        host.stop()
