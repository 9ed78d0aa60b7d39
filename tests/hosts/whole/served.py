"""One server on a real host, whichever driver runs it, as its owner has it and as the registry names it. Not tests."""

import json
from pathlib import Path

from tests.hosts.docker.composed import Composed
from tests.hosts.docker.docker_host import DockerHost
from tests.hosts.helper.gpu_host import BACKEND, MODEL, GpuHost, NeverHappenedError, until
from tests.hosts.systemd.unit_host import ACCOUNT, HELPER, UnitHost


class Served:
    """What every driver has in common."""

    driver = ""
    name = ""
    port = 0

    def ask(self, verb, **said):
        """Ask the helper on the host itself, beside the bot."""
        raise NotImplementedError

    def owner_starts(self, backend, *flags):
        """Start it as its owner does, with a backend in its environment."""
        raise NotImplementedError

    def way(self):
        """How the registry says that the host is reached."""
        raise NotImplementedError

    def starts(self):
        """What each start of the stand-in found in its environment."""
        raise NotImplementedError

    def let_time_be_over(self):
        """Make the timer due that restores it."""
        raise NotImplementedError

    def status(self):
        return self.ask("status", server=self.name, log_offset=0, log_limit=1 << 17)

    def until(self, what, happens):
        seen = {}

        def look():
            seen.update(self.status())
            return happens(seen) and dict(seen)

        try:
            return until(what, look)
        except NeverHappenedError as error:
            raise NeverHappenedError(f"{error}; seen last: {seen}") from error

    def serving(self, backend):
        """Wait until it serves with a backend in its environment, or with none."""

        def serves(status):
            running = status["running"]
            return status["port_is_open"] and running and running["env"].get(BACKEND) == backend

        return self.until(f"it serves with {backend}", serves)

    def ended(self):
        return self.until("it has ended", lambda one: one["state"] == "exited")


class ProcessServed(Served):
    """The helper supervises it."""

    driver = "process"

    def __init__(self, folder: Path) -> None:
        self.host = self.make(folder)
        self.name, self.port = self.host.name, self.host.port

    def make(self, folder):
        return GpuHost(folder)

    def ask(self, verb, **said):
        return self.host.ask(verb, **said)

    def owner_starts(self, backend, *flags):
        self.host.list_server(*flags, env={BACKEND: backend, "HF_TOKEN": "hf_" + "s3cret" * 5})
        self.host.start()

    def way(self):
        pairs = [f"{name}={value}" for name, value in self.host.environment().items()]
        return {"transport": "local", "helper": ["env", *pairs, *self.host.command()]}

    def starts(self):
        return [start["env"] for start in self.host.starts()]

    def let_time_be_over(self):
        self.host.let_time_be_over()

    async def clean(self):
        self.host.clean()


class DockerServed(ProcessServed):
    """It is a container."""

    driver = "docker"

    def __init__(self, folder: Path, address: str) -> None:
        self._address = address
        super().__init__(folder)

    def make(self, folder):
        return DockerHost(folder, self._address)

    def owner_starts(self, backend, *flags):
        self.host.owner_runs("-e", f"{BACKEND}={backend}", flags=flags)


class ComposeServed(DockerServed):
    """It is a service of a compose file."""

    driver = "compose"
    _composed = None

    def owner_starts(self, backend, *flags):
        self._composed = Composed(self.host, flags, backend)
        self._composed.up()

    async def clean(self):
        if self._composed is not None:
            self._composed.clean()
        self.host.clean()


class UnitServed(Served):
    """It is a unit of another machine, which the bot reaches over SSH."""

    driver = "systemd"

    def __init__(self, machine, folder: Path) -> None:
        self.unit_host = UnitHost(machine, folder)
        self.machine = machine
        self.name, self.port = self.unit_host.name, self.unit_host.port

    def ask(self, verb, **said):
        request = json.dumps({"protocol": 1, "verb": verb, **said})
        reply = json.loads(
            self.machine.run("/usr/bin/python3", "-I", "-S", HELPER, "serve-request", text=request)
        )
        assert reply["ok"], reply
        return reply["result"]

    def owner_starts(self, backend, *flags):
        self.unit_host.owner_writes(f"{BACKEND}={backend}\nEXTRA={' '.join(flags)}\n")
        self.unit_host.owner_starts()

    def ended(self):
        def has_failed():
            shown = self.machine.run("systemctl", "show", "-P", "ActiveState", self.unit_host.unit)
            return shown.strip() == "failed"

        until("systemd has given up", has_failed)
        return self.status()

    def way(self):
        reach = {"address": self.machine.address, "user": ACCOUNT, "host_keys": [self.machine.host_key]}
        return {"transport": "ssh", "ssh": reach, "key_file": str(self.unit_host.key_file)}

    def starts(self):
        return [start["env"] for start in self.unit_host.ledger_lines()]

    def let_time_be_over(self):
        path = self.machine.root / f"var/lib/vllm-diagnose/{self.name}/deadman.json"
        armed = json.loads(path.read_text())
        path.write_text(json.dumps({**armed, "deadline": 0.0}))
        # the manager's own clock cannot be moved: what it would start is started
        self.machine.run("systemctl", "start", "--no-block", f"{armed['unit']}.service")

    def cut(self):
        """Take the network to the machine away; nothing tells either side."""
        self._set_link("down")

    def join(self):
        self._set_link("up")

    def _set_link(self, state):
        self.machine.run("ip", "link", "set", self.machine.link, state)

    async def clean(self):
        self.join()
        await self.unit_host.clean()


def entry_of(served: Served, channel: str) -> dict:
    """Return the registry's entry of a server."""
    return {
        "name": served.name,
        "driver": served.driver,
        "port": served.port,
        "model": MODEL,
        "vllm_version": "0.11.2",
        "gpu_name": "H100",
        "expected_start_seconds": 30,
        "operations": ["relaunch"],
        "approvers": ["oncall"],
        "requester_may_approve": True,
        "channels": [channel],
    }
