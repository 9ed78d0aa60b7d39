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


class Cluster:
    """One server; it can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        there = programs()
        assert there, "PostgreSQL is not installed"
        runs_as = {"user": _USER, "group": pwd.getpwnam(_USER).pw_gid} if os.geteuid() == 0 else {}
        folder.mkdir(parents=True)
        if runs_as:
            shutil.chown(folder, _USER)
        data = folder / "data"
        self._quiet = {"stdout": subprocess.DEVNULL, "cwd": folder, **runs_as}
        made = [there / "initdb", "-D", data, "-A", "trust", "-U", "triage", "-N"]
        subprocess.run(made, check=True, **self._quiet)
        self._options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        self._control = [there / "pg_ctl", "-D", data, "-w", "-l", folder / "log"]
        #: for the store
        self.url = f"postgresql+psycopg://triage@/postgres?host={folder}"

    def start(self) -> None:
        subprocess.run([*self._control, "-o", self._options, "start"], check=True, **self._quiet)

    def stop(self) -> None:
        """End it as a crash does."""
        subprocess.run([*self._control, "-m", "immediate", "stop"], check=True, **self._quiet)


@contextmanager
def a_running_cluster(folder: Path) -> Iterator[Cluster]:
    """Run a server that listens on a socket file alone."""
    cluster = Cluster(folder)
    cluster.start()
    try:
        yield cluster
    finally:
        cluster.stop()


@contextmanager
def a_cluster(folder: Path) -> Iterator[str]:
    """Run such a server; yields its address for the store."""
    with a_running_cluster(folder) as cluster:
        yield cluster.url
