"""A GPU host of its own: real systemd as PID 1 under nspawn, real sshd and sudo, in a network namespace. Not tests.

The root file system is made once from Debian's packages and kept in a cache folder; each machine runs on a throw-away
copy of it.
"""

import itertools
import os
import shutil
import signal
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.hosts.helper.gpu_host import until

CACHE = Path(os.environ.get("VLLM_DIAGNOSE_TEST_CACHE", "/var/cache/vllm-diagnose-tests"))
BASE = CACHE / "bookworm"
PACKAGES = (
    "systemd,systemd-sysv,dbus,openssh-server,python3,sudo,iproute2,procps,polkitd,libpam-systemd,"
    "dbus-user-session"
)
#: machines of this process, each with addresses of its own: none is taken for another, of this run or the next one
_COUNT = itertools.count()
_MOST = 4
_TOOLS = ("debootstrap", "systemd-nspawn", "ip", "nsenter", "unshare", "ssh-keygen")


def missing() -> str | None:
    """Say what keeps such a machine from running here; None when nothing does."""
    if os.geteuid() != 0:
        return "a machine with systemd needs root"
    absent = [tool for tool in _TOOLS if shutil.which(tool) is None]
    return f"{', '.join(absent)} not installed" if absent else None


@dataclass(frozen=True)
class Machine:
    """A running machine."""

    root: Path
    #: pid of its PID 1, seen from here
    leader: int
    #: public key of its sshd
    host_key: str
    #: where its sshd is reached
    address: str
    #: its end of the line to it
    link: str

    def run(self, *words: str, check: bool = True, text: str | None = None) -> str:
        """Run a command inside, as root."""
        command = ["nsenter", "-t", str(self.leader), "-m", "-p", "-u", "-i", "-C", "-n", "--", *words]
        found = subprocess.run(
            command, input=text, capture_output=True, text=True, check=False, timeout=120, env={"PATH": _PATH}
        )
        assert found.returncode == 0 or not check, f"{words}: {found.stderr}{found.stdout}"
        return found.stdout

    def write(self, path: str, text: str | bytes, mode: int = 0o644) -> None:
        """Write a file inside."""
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        target.chmod(mode)


_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@contextmanager
def running(folder: Path):
    """Run a machine for a while."""
    _make_base()
    root = folder / "root"
    # not shutil's: it reads devices as if they were files, and /dev/zero has no end
    _shell(f"cp -a {BASE} {root}")
    key = f"{root}/etc/ssh/ssh_host_ed25519_key"
    # the copy comes with the one that its packages made
    _shell(f"rm -f {key} {key}.pub && ssh-keygen -q -t ed25519 -N '' -f {key}")
    serial = next(_COUNT) % _MOST
    space, link = f"vd{os.getpid()}x{serial}", f"v{os.getpid()}x{serial}b"
    address = _network(space, link, (os.getpid() % (1 << 12) * _MOST + serial) * 4)
    try:
        with (folder / "console.log").open("wb") as log:
            machine = subprocess.Popen(
                _command(root, space), stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        try:
            leader = until("systemd is PID 1", lambda: _leader(machine), 60)
            key = (root / "etc/ssh/ssh_host_ed25519_key.pub").read_text().strip()
            inside = Machine(root, leader, " ".join(key.split()[:2]), address, link)
            until("systemd is up", lambda: _is_up(inside), 120)
            yield inside
        finally:
            _end(machine)
    finally:
        _shell(f"ip netns del {space}")
        shutil.rmtree(root)


def _make_base() -> None:
    if (BASE / "usr/bin/systemctl").exists():
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    draft = CACHE / f"bookworm.{os.getpid()}"
    _shell(f"debootstrap --variant=minbase --include={PACKAGES} bookworm {draft}")
    draft.rename(BASE)


def _network(space: str, link: str, first: int) -> str:
    """Make a namespace and a line into it, with the four addresses from a number on; returns the far one."""
    ours, theirs = (f"10.88.{(first + n) >> 8}.{(first + n) & 255}" for n in (1, 2))
    near = f"{link[:-1]}a"
    for line in (
        f"ip netns add {space}",
        f"ip link add {near} type veth peer name {link} netns {space}",
        f"ip addr add {ours}/30 dev {near}",
        f"ip link set {near} up",
        f"ip -n {space} addr add {theirs}/30 dev {link}",
        f"ip -n {space} link set {link} up",
        f"ip -n {space} link set lo up",
    ):
        _shell(line)
    return theirs


def _command(root: Path, space: str) -> list[str]:
    # the machine sees one pure cgroup2 tree, whatever this one has
    inner = (
        "umount -R /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec systemd-nspawn --register=no "
        f"--keep-unit -q --network-namespace-path=/run/netns/{space} -D {root} -M gpu01 "
        "--rlimit=RLIMIT_NOFILE=1024:1024 -b"
    )
    return ["env", "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1", "unshare", "-m", "sh", "-c", inner]


def _leader(machine: subprocess.Popen) -> int | None:
    assert machine.poll() is None, "the machine ended"
    found = subprocess.run(
        ["pgrep", "-P", str(machine.pid)], capture_output=True, text=True, check=False
    ).stdout.split()
    return next((int(pid) for pid in found if _name(pid) in {"systemd", "init"}), None)


def _name(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _end(machine: subprocess.Popen) -> None:
    """Turn the machine off: its PID 1 takes this signal for `poweroff`; kill it when that takes too long."""
    leader = _leader(machine) if machine.poll() is None else None
    if leader is not None:
        os.kill(leader, signal.SIGRTMIN + 4)
    try:
        machine.wait(30)
    except subprocess.TimeoutExpired:
        if leader is not None:
            os.kill(leader, signal.SIGKILL)
        machine.wait(30)


def _is_up(inside: Machine) -> bool:
    said = inside.run("systemctl", "is-system-running", check=False).strip()
    return said in {"running", "degraded"}


def _shell(line: str, *, check: bool = True) -> None:
    found = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert found.returncode == 0 or not check, f"{line}: {found.stderr[-500:]}"
