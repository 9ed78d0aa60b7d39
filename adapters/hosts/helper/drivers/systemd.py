"""Servers that are units of systemd, of the system or of a user: systemd runs the launcher, which becomes the server.

The unit stays the owner's. A drop-in of ours (`helper install` writes it) only replaces its command by the launcher,
so that a start has exactly the planned argv and environment, whatever unit and environment files set.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..launch import marks, wrapper
from ..launch.identity import base_environment
from ..launch.spec import Spec
from ..logs.keeping import read_file, size_of
from ..processes import proc
from ..processes.cgroups import members_below
from ..refusal import UNABLE, Refusal
from ..state.claims import claim
from ..state.files import read_json, write_json
from .copying import copied, copy, read_copy
from .interface import ABSENT, EXITED, RUNNING, UNKNOWN, Look, Observation
from .unit import Names, argv_of, environment_of, read_unit

if TYPE_CHECKING:
    from typing import Iterator

    from ..host.server import Server
    from ..state.folder import Folder
    from .interface import Piece, Start

_SECONDS = 30.0
#: how long a killed unit may take to be gone
_KILL_SECONDS = 15.0
_POLL_SECONDS = 0.1
_SHOWN = (
    "LoadState", "ActiveState", "SubState", "MainPID", "ControlGroup", "NRestarts", "ExecMainCode", "ExecMainStatus",
    "ExecMainStartTimestampMonotonic", "FragmentPath", "DropInPaths", "User", "ExecStart",
)  # fmt: skip
#: what the unit is doing when a server of it may run
_UP = ("active", "activating", "reloading", "deactivating")
_EXITED_BY_ITSELF = "1"


def create(server: Server, folder: Folder) -> SystemdDriver:
    """Return the driver of a server that is a unit."""
    return SystemdDriver(server, folder)


@dataclass(frozen=True)
class SystemdDriver:
    """One server as a unit."""

    server: Server
    folder: Folder

    def checks(self) -> tuple[Look, ...]:
        """Look whether the unit is there and starts through the launcher."""
        shown = self._show()
        is_loaded = shown.get("LoadState") == "loaded"
        is_ours = " launch %s " % self.server.name in shown.get("ExecStart", "").replace(";", " ; ")
        return (
            Look("unit", is_loaded, "%s is %s" % (self.server.unit, shown.get("LoadState") or "not there")),
            Look(
                "launcher",
                is_ours,
                "%s starts through the launcher" % self.server.unit
                if is_ours
                else "%s does not start through the launcher: run `helper install` on the host"
                % self.server.unit,
            ),
        )

    def registered(self) -> Spec:
        """Return the launch of the host's list, or else that of the unit's own files."""
        shown = self._show()
        base = {**self._manager_environment(), **base_environment(self.user())}
        if self.server.argv:
            return Spec(self.server.argv, {**base, **self.server.env})
        if shown.get("LoadState") != "loaded":
            raise Refusal(UNABLE, "there is no unit %s" % self.server.unit, "the host's owner mends the list")
        paths = [shown["FragmentPath"], *shown.get("DropInPaths", "").split()]
        unit = read_unit([path for path in paths if path])
        home = base["HOME"]
        names = Names(str(self.server.unit), home, base["USER"], socket.gethostname())
        env = {**environment_of(unit, names, base), **self.server.env}
        return Spec(argv_of(unit, names, env), env)

    def user(self) -> str | None:
        """Return whom the server runs as; None: whoever the launcher runs as."""
        return self.server.user or self._show().get("User") or None

    def script(self, spec: Spec) -> wrapper.Script | None:
        """Return the wrapper script that the command is."""
        return wrapper.script(spec)

    def observe(self, start_id: str | None) -> Observation:
        """Ask systemd, and look into the unit's control group."""
        shown = self._show()
        if not shown:
            return Observation(UNKNOWN)
        main = int(shown.get("MainPID") or 0)
        group = shown.get("ControlGroup", "")
        pids = members_below(group) if group not in ("", "/") else ()
        restarts = int(shown.get("NRestarts") or 0)
        if main and main in pids:
            own = (proc.environ(main) or {}).get(marks.START_ID) or self._known_start(start_id, shown)
            return Observation(RUNNING, own, main, pids, restarts)
        known = self._known_start(start_id, shown)
        if known is None and not pids:
            return Observation(ABSENT)
        return Observation(EXITED, known, None, pids, restarts, _exit_code(shown))

    def start(self, start: Start) -> None:
        """Let systemd start the unit, once."""
        claim(self.folder.starts, start.start_id)
        record = self.folder.start_record(start.start_id)
        known = read_json(record)
        if known is None:
            # Nothing was asked of systemd before this is written down.
            log = self.server.log_file
            known = {
                "asked_at_us": _monotonic_us(),
                "since_us": time.time_ns() // 1000,
                "log_base": 0 if log is None else size_of(Path(log)),
            }
            write_json(record, known)
        if not self._was_made(int(known["asked_at_us"])):
            # A unit that failed too often is not started again before its count is taken back.
            self._systemctl("reset-failed", str(self.server.unit), check=False)
            self._systemctl("start", "--no-block", str(self.server.unit))
        self._wait_until_made(int(known["asked_at_us"]))

    def end(self, start_id: str | None, grace_seconds: float) -> bool:
        """Stop the unit; what does not heed it in time is killed with the whole control group."""
        del start_id
        if not self._pids():
            self._systemctl("stop", "--no-block", str(self.server.unit), check=False)
            return False
        self._systemctl("stop", "--no-block", str(self.server.unit))
        if self._is_gone_within(grace_seconds):
            return False
        self._systemctl("kill", "--signal=KILL", str(self.server.unit), check=False)
        if not self._is_gone_within(_KILL_SECONDS):
            raise Refusal(
                UNABLE,
                "the unit %s does not end although it was killed" % self.server.unit,
                "it hangs in the kernel, most likely in the GPU driver: the machine must be restarted",
            )
        return True

    def read_log(self, start_id: str, offset: int, limit: int) -> Piece:
        """Copy what the journal has kept of this start since the last time, and read the copy; or the server's file."""
        record = read_json(self.folder.start_record(start_id)) or {}
        if self.server.log_file is not None:
            return read_file(Path(self.server.log_file), int(record.get("log_base", 0)), offset, limit)
        if record:
            since = copied(self.folder, start_id) or str(record["since_us"])
            copy(self.folder, start_id, self._journal(int(since)))
        return read_copy(self.folder, start_id, offset, limit)

    def _known_start(self, start_id: str | None, shown: dict[str, str]) -> str | None:
        """Return the start that the unit's last process was of: the one asked for, if systemd began it since."""
        record = None if start_id is None else read_json(self.folder.start_record(start_id))
        if record is None:
            return None
        return start_id if _began_us(shown) >= int(record["asked_at_us"]) else None

    def _was_made(self, asked_at_us: int) -> bool:
        return _began_us(self._show()) >= asked_at_us

    def _wait_until_made(self, asked_at_us: int) -> None:
        deadline = time.monotonic() + _SECONDS
        while not self._was_made(asked_at_us):
            if time.monotonic() > deadline:
                shown = self._show()
                raise Refusal(
                    UNABLE,
                    "systemd did not start %s: it is %s"
                    % (self.server.unit, shown.get("ActiveState", "unknown")),
                    "`systemctl status %s` on the host says why" % self.server.unit,
                )
            time.sleep(_POLL_SECONDS)

    def _pids(self) -> tuple[int, ...]:
        shown = self._show()
        group = shown.get("ControlGroup", "")
        return members_below(group) if group not in ("", "/") else ()

    def _is_gone_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self._pids() or self._show().get("ActiveState") in _UP:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def _journal(self, since_us: int) -> Iterator[tuple[str, bytes]]:
        """Yield what the unit printed since a time, each line with its time as a mark that sorts."""
        field = "_SYSTEMD_USER_UNIT" if self.server.scope == "user" else "_SYSTEMD_UNIT"
        since = "--since=@%d.%06d" % divmod(since_us, 1_000_000)
        output = self._tool(
            "journalctl", "--no-pager", "-q", "-o", "json", since, "%s=%s" % (field, self.server.unit)
        )
        for line in output.splitlines():
            entry = json.loads(line)
            said = entry.get("MESSAGE")
            data = bytes(said) if isinstance(said, list) else str(said or "").encode("utf-8", "replace")
            yield "%020d" % int(entry["__REALTIME_TIMESTAMP"]), data + b"\n"

    def _show(self) -> dict[str, str]:
        output = self._systemctl("show", "--property=" + ",".join(_SHOWN), str(self.server.unit))
        return dict(line.split("=", 1) for line in output.splitlines() if "=" in line)

    def _manager_environment(self) -> dict[str, str]:
        lines = self._systemctl("show-environment").splitlines()
        return {name: value for name, _, value in (line.partition("=") for line in lines) if name == "LANG"}

    def _systemctl(self, *words: str, check: bool = True) -> str:
        return self._tool("systemctl", *words, check=check)

    def _tool(self, name: str, *words: str, check: bool = True) -> str:
        tool = shutil.which(name)
        if tool is None:
            raise Refusal(UNABLE, "this host has no %s" % name, "give the server another driver")
        scope = ["--user"] if self.server.scope == "user" else []
        try:
            found = subprocess.run(
                [tool, *scope, *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Refusal(UNABLE, "%s does not answer" % name, "look at the host's service manager") from None
        if check and found.returncode != 0:
            said = " ".join(found.stderr.decode("utf-8", "replace").split())[:300]
            raise Refusal(UNABLE, "%s %s: %s" % (name, words[0], said), "try the same by hand on the host")
        return found.stdout.decode("utf-8", "replace")


def _exit_code(shown: dict[str, str]) -> int | None:
    if not int(shown.get("ExecMainStartTimestampMonotonic") or 0):
        return None
    status = int(shown.get("ExecMainStatus") or 0)
    return status if shown.get("ExecMainCode") == _EXITED_BY_ITSELF else -status


def _began_us(shown: dict[str, str]) -> int:
    return int(shown.get("ExecMainStartTimestampMonotonic") or 0)


def _monotonic_us() -> int:
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
