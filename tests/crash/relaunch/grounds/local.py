"""This very machine as the host: the real helper behind the gate, with processes or containers. Not tests."""

import json
import shutil
import socket
import sys
from contextlib import asynccontextmanager
from pathlib import Path

from adapters.hosts.helper.processes import proc
from bot.hosts.registry import TransportKind
from tests.crash.relaunch.grounds.helped import DYING, GATE, LIE, HelpedGround, a_way
from tests.hosts.docker.docker_host import DockerHost
from tests.hosts.docker.engine import docker, running
from tests.hosts.helper.gpu_host import BACKEND, GpuHost, until


class HostApart(GpuHost):
    """Each request has a helper of its own, as the bot's have."""

    def ask(self, verb: str, **arguments) -> dict:
        return self.result_of(self.send(self.request(verb, **arguments)))


class LocalGround(HelpedGround):
    """A host in a folder."""

    def __init__(self, host: GpuHost, door: Path) -> None:
        super().__init__()
        self.host = host
        variables = [f"{name}={value}" for name, value in host.environment().items()]
        gate = [sys.executable, "-I", "-S", str(GATE), str(door), str(DYING)]
        helper = ("env", *variables, *gate, *host.command())
        self.way = a_way(host.name, self.name, host.port, transport=TransportKind.LOCAL, helper=helper)

    def cut(self, *, silently: bool = False) -> None:
        self.door.cut(silently=silently)

    def heal(self) -> None:
        self.door.heal()

    def _forget(self) -> None:
        self.host.clean()
        shutil.rmtree(self.host.state, ignore_errors=True)
        self.host.ledger.unlink(missing_ok=True)

    def _state(self) -> Path:
        return self.host.state / self.host.name

    def _ledger(self) -> list[dict]:
        return self.host.starts()

    def _serves(self) -> bool:
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", self.host.port)) == 0


class ProcessGround(LocalGround):
    """The server is a process of the helper's."""

    name = "process"

    def _fail_anew(self, lies: bool) -> None:
        self._forget()
        self.host.list_server(*[LIE][:lies], env={BACKEND: "FLASHINFER"})
        self.host.start()
        self.host.ended()

    def _running(self) -> list[dict[str, str]]:
        return [line["env"] for line in self._ledger() if proc.read(line["pid"]) is not None]

    def _left(self) -> list[str]:
        engines, servers = len(self.host.engines()), len(self._running())
        return [] if engines == servers else [f"{engines} engines of {servers} servers"]


class DockerGround(LocalGround):
    """The server is a container."""

    name = "docker"
    host: DockerHost

    def _fail_anew(self, lies: bool) -> None:
        self._forget()
        self.host.owner_runs(flags=(LIE,) if lies else ())
        until("it dies", lambda: self.host.inspected()["State"]["Status"] == "exited")

    def _running(self) -> list[dict[str, str]]:
        # one that is gone by the time it is looked at is no matter
        found = [docker(self.host.address, "inspect", name, check=False) for name in self.host.names()]
        states = [one["State"] for text in found for one in json.loads(text or "[]")]
        return [proc.environ(state["Pid"]) or {} for state in states if state["Running"]]

    def _left(self) -> list[str]:
        known = {self.host.container, f"{self.host.container}.before-relaunch"}
        return [f"the container {name}" for name in sorted(self.host.names() - known)]


@asynccontextmanager
async def process_ground(folder: Path):
    door = folder / "door.sock"
    (folder / "gpu").mkdir()
    ground = ProcessGround(HostApart(folder / "gpu"), door)
    async with ground.door.serving(door):
        try:
            yield ground
        finally:
            ground.host.clean()


@asynccontextmanager
async def docker_ground(folder: Path):
    """Opens an engine of its own."""
    (folder / "engine").mkdir()
    with running(folder / "engine") as address:
        async with docker_ground_on(folder, address) as ground:
            yield ground


@asynccontextmanager
async def docker_ground_on(folder: Path, address: str):
    door, place = folder / "door.sock", folder / f"gpu-{folder.name}"
    place.mkdir()
    ground = DockerGround(DockerHost(place, address), door)
    async with ground.door.serving(door):
        try:
            yield ground
        finally:
            ground.host.clean()
