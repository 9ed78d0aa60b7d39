"""A server that is a unit of a real systemd, reached over a real sshd as the bot reaches it. Not tests."""

import asyncio
import json
import uuid

import asyncssh

from adapters.hosts.build import build
from adapters.hosts.client import HelperHost
from adapters.hosts.records import LaunchChange, Order, RunState
from adapters.hosts.transport.ssh import SshAddress, SshKey, SshTransport
from tests.hosts.helper.gpu_host import BACKEND, MODEL, PATIENCE_S, ROOT

ACCOUNT = "vllm-diagnose"
HELPER = "/usr/local/lib/vllm-diagnose/helper.pyz"
UNSET = LaunchChange(env_unset=(BACKEND,))


class UnitHost:
    """One machine with the installed helper, and one unit on its list."""

    def __init__(self, machine, folder):
        self.machine = machine
        self.name = f"s{uuid.uuid4().hex[:8]}"
        self.unit = f"vllm@{self.name}.service"
        self.ledger = f"/var/ledgers/{self.name}"
        self.port = 8000
        self._key = asyncssh.generate_private_key("ssh-ed25519")
        self.key_file = folder / "id"
        self.key_file.write_bytes(self._key.export_private_key())
        self.key_file.chmod(0o600)
        self._prepare()
        address = SshAddress(machine.address, 22, ACCOUNT, (machine.host_key,))
        self.ssh = SshTransport("gpu01", (address,), SshKey(self.key_file))
        self.host = HelperHost("gpu01", self.ssh)
        self._fence = 0

    def _prepare(self):
        inside = self.machine
        if not (inside.root / "opt/standin").exists():
            for path in (ROOT / "adapters/hosts/standin").glob("*.py"):
                inside.write(f"/opt/standin/{path.name}", path.read_bytes())
            inside.run("useradd", "--create-home", "--shell", "/bin/sh", ACCOUNT)
            inside.run("useradd", "--create-home", "--shell", "/usr/sbin/nologin", "vllm")
            inside.run("install", "-d", "-o", "vllm", "/var/ledgers")
        inside.write("/opt/helper.pyz", build(), 0o755)
        # what the owner had before we came
        inside.write(
            "/etc/systemd/system/vllm@.service",
            f"""[Unit]
Description=vLLM %i
StartLimitIntervalSec=60
StartLimitBurst=3
[Service]
Type=exec
User=vllm
WorkingDirectory=/opt
Environment=FROM_UNIT=1 {BACKEND}=FLASH_ATTN
EnvironmentFile=-/etc/vllm/%i.env
ExecStart=/usr/bin/python3 -u /opt/standin/__main__.py serve {MODEL} --port {self.port} \\
  --standin-ledger=/var/ledgers/%i $EXTRA
KillMode=control-group
TimeoutStopSec=60
Restart=on-failure
RestartSec=1
""",
        )

    def owner_writes(self, environment, *, unit=None, command=None):
        """Write the unit's environment file, and put the server on the host's list."""
        inside = self.machine
        inside.write(f"/etc/vllm/{self.name}.env", environment)
        if unit or command:
            lines = [*(unit or ()), *(["ExecStart=", f"ExecStart={command}"] if command else [])]
            inside.write(
                f"/etc/systemd/system/{self.unit}.d/10-owner.conf", "[Service]\n" + "\n".join(lines) + "\n"
            )
        server = {
            "driver": "systemd",
            "unit": self.unit,
            "port": self.port,
            "env_allowed": {BACKEND: ["FLASH_ATTN", "FLASHINFER"]},
            "flags_allowed": {"--max-model-len": {"pattern": "[0-9]{3,6}"}},
        }
        listed = {"version": 1, "state_dir": "/var/lib/vllm-diagnose", "servers": {self.name: server}}
        inside.write("/etc/vllm-diagnose/helper.json", json.dumps(listed))
        said = inside.run("/usr/bin/python3", "/opt/helper.pyz", "install", "--account", ACCOUNT)
        line = next(line for line in said.splitlines() if "restrict,command=" in line)
        key = self._key.export_public_key().decode().strip()
        options = line.partition(": ")[2].replace("ssh-ed25519 AAAA…", key)
        inside.write(f"/home/{ACCOUNT}/.ssh/authorized_keys", options + "\n", 0o600)
        inside.run("chown", "-R", f"{ACCOUNT}:{ACCOUNT}", f"/home/{ACCOUNT}/.ssh")

    def owner_starts(self):
        self.machine.run("systemctl", "start", self.unit, check=False)

    def order(self, step):
        return Order(self.name, f"r{self._fence}:{step}", self._fence)

    async def stop(self, *, new_run=True, grace=10.0, restore_after=600.0):
        self._fence += new_run
        return await self.host.stop(self.order("stop"), grace, restore_after)

    async def start(self, change=UNSET, restore_after=600.0):
        planned = await self.host.preflight(self.order("preflight"), change)
        assert planned.is_sound, planned.checks
        return await self.host.start(self.order("start"), change, planned.after.spec_hash, restore_after)

    async def status(self):
        return await self.host.status(self.name, 0, 1 << 17)

    async def until(self, what, happens):
        deadline = asyncio.get_running_loop().time() + PATIENCE_S
        while True:
            status = await self.status()
            if happens(status):
                return status
            assert asyncio.get_running_loop().time() < deadline, f"{what} did not happen: {status}"
            await asyncio.sleep(0.05)

    async def serving(self):
        return await self.until("the server serves", lambda one: one.port_is_open)

    async def ended(self):
        return await self.until("the server ends", lambda one: one.state is RunState.EXITED)

    def environ(self, pid_name="MainPID"):
        """What the kernel says of the server's environment; nothing when it does not run."""
        pid = self.machine.run("systemctl", "show", "-P", pid_name, self.unit).strip()
        data = self.machine.run("cat", f"/proc/{pid}/environ", check=False)
        return dict(pair.split("=", 1) for pair in data.split("\0") if "=" in pair)

    def ledger_lines(self):
        """What each start of the stand-in wrote down."""
        text = self.machine.run("sh", "-c", f"cat {self.ledger} 2>/dev/null || :")
        return [json.loads(line) for line in text.splitlines()]

    def starts(self):
        return len(self.ledger_lines())

    async def clean(self):
        await self.ssh.close()
        self.forget()

    def forget(self):
        """End the unit and drop all that was written of it."""
        self.machine.run("systemctl", "kill", "--signal=KILL", self.unit, check=False)
        self.machine.run("systemctl", "stop", self.unit, check=False)
        self.machine.run(
            "rm", "-rf", f"/etc/systemd/system/{self.unit}.d", f"/var/lib/vllm-diagnose/{self.name}"
        )
