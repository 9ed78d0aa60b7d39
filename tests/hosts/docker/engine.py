"""A real dockerd of the tests' own, on a socket in a folder, and an image made of this machine's /usr. Not tests."""

import io
import json
import os
import shutil
import subprocess
import tarfile
from contextlib import contextmanager
from pathlib import Path

from adapters.hosts.helper.drivers import engine
from tests.hosts.helper.gpu_host import until

#: the image sets it: no container of it can be without
IMAGE_ENV = {"VLLM_ATTENTION_BACKEND": "FLASHINFER", "FROM_IMAGE": "1"}
IMAGE = "vllm-standin:latest"


def missing() -> str | None:
    """Say what keeps a real engine from running here; None when nothing does."""
    if os.geteuid() != 0:
        return "a real dockerd needs root"
    return None if shutil.which("dockerd") else "Debian's docker.io is not installed"


@contextmanager
def running(folder: Path):
    """Run an engine for a while; gives the address of its socket."""
    address = f"unix://{folder}/docker.sock"
    command = ["dockerd", "-H", address, "--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec"]
    command += ["--pidfile", f"{folder}/pid", "--iptables=false", "--ip6tables=false", "--bridge=none"]
    # this machine may not raise limits, and the engine asks for more than it has
    command += ["--default-ulimit", "nofile=1024:1024"]
    with (folder / "log").open("wb") as log:
        daemon = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        until("the engine answers", lambda: _answers(address, daemon, folder / "log"), 60)
        _import_image(address)
        yield address
    finally:
        daemon.terminate()
        daemon.wait(60)
        # it leaves its network namespace mounted, and a folder with a mount in it cannot be removed
        for line in reversed(Path("/proc/mounts").read_text().splitlines()):
            if line.split()[1].startswith(f"{folder}/"):
                subprocess.run(["umount", line.split()[1]], check=False)


def docker(address: str, *words: str, check: bool = True) -> str:
    """Run Docker's own tool against the engine."""
    result = subprocess.run(
        ["docker", "-H", address, *words], capture_output=True, text=True, check=False, timeout=120
    )
    assert result.returncode == 0 or not check, result.stderr
    return result.stdout.strip()


def inspected(address: str, name: str) -> dict:
    """Return what the engine says of a container."""
    return json.loads(docker(address, "inspect", name))[0]


def _answers(address: str, daemon: subprocess.Popen, log: Path) -> bool:
    assert daemon.poll() is None, log.read_text()[-2000:]
    found = subprocess.run(["docker", "-H", address, "version"], capture_output=True, check=False)
    return found.returncode == 0


def _import_image(address: str) -> None:
    """Make an image of empty folders: containers of it mount this machine's programs."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as image:
        for name in ("usr", "etc", "tmp", "proc", "sys", "dev", "work"):
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            image.addfile(entry)
        for name in ("bin", "sbin", "lib", "lib64"):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, f"usr/{name}"
            image.addfile(entry)
    changes = [word for pair in IMAGE_ENV.items() for word in ("-c", f"ENV {pair[0]}={pair[1]}")]
    subprocess.run(
        ["docker", "-H", address, "import", *changes, "-", IMAGE],
        input=stream.getvalue(),
        check=True,
        capture_output=True,
    )


__all__ = ["IMAGE", "IMAGE_ENV", "docker", "engine", "inspected", "missing", "running"]
