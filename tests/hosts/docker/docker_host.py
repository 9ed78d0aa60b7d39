"""A GPU host whose servers are containers: the real helper, a real engine. Not tests."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003

from tests.hosts.docker.engine import IMAGE, docker, inspected
from tests.hosts.helper.gpu_host import ROOT, GpuHost


class DockerHost(GpuHost):
    """One machine with the helper, an engine, and one container on its list."""

    def __init__(self, folder: Path, address: str) -> None:
        self.address = address
        self.container = f"vllm-{folder.name}"
        super().__init__(folder)
        self.list_server(driver="docker", container=self.container, argv=[], env={})

    def environment(self) -> dict[str, str]:
        return {**super().environment(), "DOCKER_HOST": self.address}

    def ask(self, verb: str, **arguments) -> dict:
        """Ask a helper of its own: the engine's socket is told by its environment."""
        return self.result_of(self.send(self.request(verb, **arguments)))

    def argv(self, *flags: str) -> list[str]:
        return ["/usr/bin/python3", *super().argv(*flags)[1:]]

    def options(self) -> list[str]:
        """How the owner runs the container."""
        mounts = ["/usr:/usr:ro", f"{ROOT}:{ROOT}:ro", f"{self.folder}:{self.folder}"]
        return ["--network", "host", *(word for mount in mounts for word in ("-v", mount))]

    def owner_runs(
        self, *options: str, flags: tuple[str, ...] = (), command: list[str] | None = None
    ) -> None:
        """Run the server as its owner does, or another command."""
        command = command or self.argv(*flags)
        words = ["run", "-d", "--name", self.container, *self.options(), *options, IMAGE, *command]
        docker(self.address, *words)

    def docker(self, *words: str) -> str:
        return docker(self.address, *words)

    def inspected(self, name: str | None = None) -> dict:
        return inspected(self.address, name or self.container)

    def names(self) -> set[str]:
        """Names of this host's containers, stopped ones too."""
        found = docker(self.address, "ps", "-a", "--format", "{{json .}}")
        names = {json.loads(line)["Names"] for line in found.splitlines()}
        return {name for name in names if self.folder.name in name}

    def clean(self) -> None:
        for name in self.names():
            docker(self.address, "rm", "-f", "-v", name, check=False)
        super().clean()
