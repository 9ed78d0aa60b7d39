"""A service of a compose file that a real compose brings up. Not tests."""

import json
import os
import shutil
import subprocess

import pytest

from tests.hosts.docker.engine import IMAGE
from tests.hosts.helper.gpu_host import BACKEND, ROOT


class Composed:
    """A compose file with the server as its only service."""

    def __init__(self, host, flags=(), backend="FLASHINFER", **service):
        if shutil.which("docker-compose") is None:
            pytest.skip("Debian's docker-compose is not installed")
        self.host = host
        self.file = host.folder / "compose.yml"
        self.project = host.folder.name.replace("_", "")
        (host.folder / "server.env").write_text(f"{BACKEND}={backend}\n")
        words = "".join(f"      - {json.dumps(word)}\n" for word in host.argv(*flags))
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
        """Remove what compose made."""
        for line in self.host.docker(
            "ps", "-aq", "--filter", f"label=com.docker.compose.project={self.project}"
        ).split():
            self.host.docker("rm", "-f", "-v", line)
