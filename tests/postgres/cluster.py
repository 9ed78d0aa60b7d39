"""A PostgreSQL of its own in a temporary folder, run by somebody who is not root. Not tests."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: where Debian keeps the programs of each major release
_PLACES = ["usr/lib/postgresql/*/bin", "usr/local/bin"]
_USER = "nobody"


def programs() -> Path | None:
    """The folder of initdb and pg_ctl, if PostgreSQL is installed."""
    found = [folder for place in _PLACES for folder in sorted(Path("/").glob(place), reverse=True)]
    return next((folder for folder in found if (folder / "initdb").exists()), None)


@contextmanager
def a_cluster(folder: Path) -> Iterator[str]:
    """Start a server that listens on a socket file alone; yields its address for the store."""
    there = programs()
    assert there, "PostgreSQL is not installed"
    runs_as = {"user": _USER, "group": pwd.getpwnam(_USER).pw_gid} if os.geteuid() == 0 else {}
    folder.mkdir(parents=True)
    if runs_as:
        shutil.chown(folder, _USER)
    data = folder / "data"
    quiet = {"stdout": subprocess.DEVNULL, "cwd": folder, **runs_as}
    subprocess.run([there / "initdb", "-D", data, "-A", "trust", "-U", "triage", "-N"], check=True, **quiet)
    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
    control = [there / "pg_ctl", "-D", data, "-w", "-l", folder / "log"]
    subprocess.run([*control, "-o", options, "start"], check=True, **quiet)
    try:
        yield f"postgresql+psycopg://triage@/postgres?host={folder}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=True, **quiet)
