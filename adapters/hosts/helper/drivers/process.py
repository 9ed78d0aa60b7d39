"""Servers that the helper runs itself: each start has a supervisor of its own, which outlives the helper."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import program
from ..launch import wrapper
from ..launch.identity import account, base_environment, may_become
from ..launch.launcher import write_site
from ..launch.spec import Spec
from ..logs.bounding import forget_old
from ..logs.keeping import read_file, size_of
from ..processes import proc
from ..processes.detaching import spawn_detached
from ..processes.ending import end
from ..processes.members import Roots, members
from ..refusal import UNABLE, Refusal
from ..state.claims import claim, is_claimed
from ..state.files import read_json, write_json
from .interface import ABSENT, EXITED, RUNNING, Look, Observation

if TYPE_CHECKING:
    from ..host.server import Server
    from ..state.folder import Folder
    from .interface import Piece, Start

_SECONDS = 30.0
_EXIT_CODE_SECONDS = 5.0
_LATE_SECONDS = 1.0
_POLL_SECONDS = 0.01
_SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "ash")


def create(server: Server, folder: Folder) -> ProcessDriver:
    """Return the driver of a server that has no manager but the helper."""
    return ProcessDriver(server, folder)


@dataclass(frozen=True)
class ProcessDriver:
    """One server as a process tree of the helper's own."""

    server: Server
    folder: Folder

    def checks(self) -> tuple[Look, ...]:
        """Look whether its program and its user are there."""
        spec = self.registered()
        found = wrapper.program(spec)
        is_user_fine = may_become(self.server.user)
        user = account(self.server.user).pw_name
        can = "can" if is_user_fine else "cannot: it must run as root for that"
        return (
            Look(
                "program",
                found is not None,
                "%s is there" % found if found else "%s is not there or not executable" % spec.argv[0],
            ),
            Look("user", is_user_fine, "to run the server as %s the helper %s" % (user, can)),
        )

    def registered(self) -> Spec:
        """Return the command of the host's list with what every login has in its environment."""
        env = dict(base_environment(self.server.user))
        env.update(self.server.env)
        return Spec(self.server.argv, env)

    def script(self, spec: Spec) -> wrapper.Script | None:
        """Return the wrapper script that the command is."""
        return wrapper.script(spec)

    def observe(self, start_id: str | None) -> Observation:
        """Look for the processes of the last start."""
        if start_id is None or not is_claimed(self.folder.starts, start_id):
            return Observation(ABSENT)
        known = self._known(start_id)
        found = members(_roots(start_id, known))
        pids = tuple(sorted(process.pid for process in found))
        leader = _pair(known.get("leader"))
        if leader is not None and leader in [(process.pid, process.started) for process in found]:
            return Observation(RUNNING, start_id, leader[0], pids)
        if leader is None and pids:
            # The supervisor was killed before it could write down whom it had started.
            eldest = min(found, key=lambda process: (process.started, process.pid))
            return Observation(RUNNING, start_id, eldest.pid, pids)
        return Observation(EXITED, start_id, None, pids, exit_code=self._exit_code(start_id))

    def start(self, start: Start) -> None:
        """Let a supervisor make the start; whichever supervisor claims it first does."""
        if not is_claimed(self.folder.starts, start.start_id):
            forget_old(self.folder.logs, ".log")
            forget_old(self.folder.starts, ".json")
            is_behind_script = self.script(start.spec) is not None
            log = Path(self.server.log_file) if self.server.log_file else None
            write_json(
                self.folder.start_order(start.start_id),
                {
                    **start.spec.as_json(),
                    "user": self.server.user,
                    "cwd": self.server.cwd,
                    "site": str(write_site(self.folder.path.parent)) if is_behind_script else None,
                    "log_base": 0 if log is None else size_of(log),
                },
            )
            spawn_detached([*program.command(), "supervise", str(self.folder.path), start.start_id])
        self._wait_until_made(start.start_id)

    def end(self, start_id: str | None, grace_seconds: float) -> bool:
        """End the session, the descendants and whatever else carries the mark of the start."""
        if start_id is None:
            return False
        if claim(self.folder.starts, start_id):
            # A supervisor that is still on its way will find the start taken.
            return False
        self._wait_until_made(start_id)
        roots = _roots(start_id, self._known(start_id))
        found = members(roots)
        if not found:
            return False
        return end(lambda: members(roots), _to_ask(found, roots.leader), grace_seconds)

    def read_log(self, start_id: str, offset: int, limit: int) -> Piece:
        """Read the file that the supervisor gave the server for its output, or the server's own."""
        if self.server.log_file is None:
            return read_file(self.folder.log_of(start_id), 0, offset, limit)
        order = read_json(self.folder.start_order(start_id)) or {}
        return read_file(Path(self.server.log_file), int(order.get("log_base", 0)), offset, limit)

    def _known(self, start_id: str) -> dict[str, Any]:
        known = read_json(self.folder.start_record(start_id)) or {}
        return known if known.get("boot_id") == proc.boot_id() else {"exit_code": known.get("exit_code")}

    def _exit_code(self, start_id: str) -> int | None:
        """Return how a start ended; its supervisor may need a moment to write that down."""
        deadline = time.monotonic() + _EXIT_CODE_SECONDS
        while True:
            known = self._known(start_id)
            supervisor = _pair(known.get("supervisor"))
            seen = None if supervisor is None else proc.read(supervisor[0])
            is_alive = seen is not None and (seen.pid, seen.started) == supervisor
            if known["exit_code"] is not None or not is_alive or time.monotonic() > deadline:
                code: int | None = known["exit_code"]
                return code
            time.sleep(_POLL_SECONDS)

    def _wait_until_made(self, start_id: str) -> None:
        began = time.monotonic()
        while not self.folder.start_record(start_id).exists():
            waited = time.monotonic() - began
            is_late = waited > _LATE_SECONDS and is_claimed(self.folder.starts, start_id)
            if is_late and not self._is_supervised(start_id):
                # It was killed in between; what it has started, if it has, is found by its mark.
                return
            if waited > _SECONDS:
                raise Refusal(
                    UNABLE, "the server's supervisor did not come up", "ask again with the same key"
                )
            time.sleep(_POLL_SECONDS)

    def _is_supervised(self, start_id: str) -> bool:
        """Tell whether the supervisor that claimed the start still works at it."""
        wanted = ("supervise", str(self.folder.path), start_id)
        return any((proc.cmdline(one.pid) or ())[-3:] == wanted for one in proc.everyone())


def _roots(start_id: str, known: dict[str, Any]) -> Roots:
    return Roots(start_id, _pair(known.get("leader")), _pair(known.get("supervisor")))


def _pair(value: object) -> tuple[int, int] | None:
    return (int(value[0]), int(value[1])) if isinstance(value, list) else None


def _to_ask(found: list[proc.Process], leader: tuple[int, int] | None) -> list[proc.Process]:
    """Return whom to ask politely: vLLM's first process, which ends its own; a shell hands nothing on."""
    first = [process for process in found if (process.pid, process.started) == leader]
    if not first:
        return found
    argv = proc.cmdline(first[0].pid) or ("",)
    if os.path.basename(argv[0]) not in _SHELLS:  # noqa: PTH119 - a word of a command line
        return first
    return first + [process for process in found if process.ppid == first[0].pid]
