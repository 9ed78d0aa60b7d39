"""A machine of its own as the host: a unit of a real systemd, reached by ssh over a line that can be cut. Not tests."""

import shutil
from contextlib import asynccontextmanager
from pathlib import Path

from bot.hosts.registry import Reach, TransportKind
from tests.crash.relaunch.grounds.helped import DYING, GATE, LIE, HelpedGround, a_way
from tests.crash.relaunch.grounds.line import Line
from tests.hosts.helper.gpu_host import BACKEND, until
from tests.hosts.systemd.machine import Machine, running
from tests.hosts.systemd.unit_host import ACCOUNT, HELPER, UnitHost

#: as the machine sees it
DOOR = "/var/gate"
#: the helper as the account may start it, and the same with a program before it that lets it die
COMMAND = f"sudo -n /usr/bin/python3 -I -S -B {HELPER} serve-request"
MAY_DIE = f"{ACCOUNT} ALL=(root) NOPASSWD: /usr/bin/python3 -I -S -B /opt/dying.py *\n"


class SystemdGround(HelpedGround):
    """The server is a unit."""

    name = "systemd"

    def __init__(self, host: UnitHost, line: Line) -> None:
        super().__init__()
        self.host, self.line = host, line
        reach = Reach(
            "127.0.0.1", line.port, ACCOUNT, (host.machine.host_key,), (), "", frozenset({"loopback"})
        )
        ssh = {"transport": TransportKind.SSH, "route": (reach,), "key_file": host.key_file}
        self.way = a_way(host.name, self.name, host.port, **ssh)
        self._prepare()

    def cut(self, *, silently: bool = False) -> None:
        self.line.cut(silently=silently)

    def heal(self) -> None:
        self.line.heal()

    def _prepare(self) -> None:
        inside = self.host.machine
        for program in (GATE, DYING):
            inside.write(f"/opt/{program.name}", program.read_bytes())
        inside.write("/etc/sudoers.d/dying", MAY_DIE, 0o440)

    def _fail_anew(self, lies: bool) -> None:
        host, inside = self.host, self.host.machine
        host.forget()
        inside.run("rm", "-f", host.ledger)
        extra = f"EXTRA={LIE}\n" if lies else ""
        host.owner_writes(f"{BACKEND}=FLASHINFER\n{extra}", unit=["Restart=no"])
        keys = f"/home/{ACCOUNT}/.ssh/authorized_keys"
        gate = f"/usr/bin/python3 /opt/gate.py {DOOR}/door.sock /opt/dying.py {COMMAND}"
        line = (inside.root / keys.lstrip("/")).read_text()
        assert COMMAND in line
        inside.write(keys, line.replace(COMMAND, gate), 0o600)
        inside.run("chown", f"{ACCOUNT}:{ACCOUNT}", keys)
        host.owner_starts()
        until("it dies", lambda: self._ledger() and not self._running())

    def _state(self) -> Path:
        return self.host.machine.root / "var/lib/vllm-diagnose" / self.host.name

    def _ledger(self) -> list[dict]:
        return self.host.ledger_lines()

    def _running(self) -> list[dict[str, str]]:
        environ = self.host.environ()
        return [environ] if environ else []

    def _serves(self) -> bool:
        found = self.host.machine.run("ss", "-Hltn", f"sport = :{self.host.port}")
        return bool(found.strip())

    def _left(self) -> list[str]:
        engines = self.host.machine.run("pgrep", "-c", "-f", "VLLM::EngineCore", check=False).strip()
        servers = len(self._running())
        return [] if engines == str(servers) else [f"{engines} engines of {servers} servers"]


@asynccontextmanager
async def systemd_ground(folder: Path):
    """Runs a machine of its own."""
    with running(folder) as machine:
        async with systemd_ground_on(folder, machine) as ground:
            yield ground


@asynccontextmanager
async def systemd_ground_on(folder: Path, machine: Machine):
    place = machine.root / DOOR.lstrip("/")
    place.mkdir(exist_ok=True)
    async with Line(machine.address, 22).open() as line:
        host = UnitHost(machine, folder)
        ground = SystemdGround(host, line)
        try:
            async with ground.door.serving(place / "door.sock"):
                yield ground
        finally:
            await host.clean()
            shutil.rmtree(place)
