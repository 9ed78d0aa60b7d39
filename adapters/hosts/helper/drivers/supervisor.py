"""The parent of one start: gives it a session and a log, adopts its orphans, notes its end. Restarts nothing."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

from ..launch.identity import become_user
from ..launch.launcher import become, environment
from ..launch.spec import Spec
from ..logs.bounding import bound
from ..processes import proc
from ..refusal import Refusal
from ..state.claims import claim
from ..state.files import read_json, write_json
from ..state.folder import Folder

_PR_SET_CHILD_SUBREAPER = 36
#: how often the log is looked at while nothing happens
_LOOK_SECONDS = 5.0
_CANNOT_EXECUTE = 127
#: what a login gives; the helper's own is stricter
_UMASK = 0o022
_IGNORED = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


def supervise(folder_path: str, start_id: str) -> int:
    """Make the start if nobody did, and stay until nothing is left of it."""
    folder = Folder(Path(folder_path))
    order = read_json(folder.start_order(start_id))
    if order is None or not claim(folder.starts, start_id):
        return 0
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    # Blocked, a death that comes between two looks is not missed.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    _adopt_orphans()
    spec = Spec(tuple(order["argv"]), order["env"])
    log = os.open(str(folder.log_of(start_id)), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    leader = os.fork()
    if leader == 0:
        _be_the_server(spec, environment(spec, start_id, order.get("site")), order, log)
    os.close(log)
    _watch(folder, start_id, leader)
    return 0


def _be_the_server(spec: Spec, env: dict[str, str], order: dict[str, object], log: int) -> NoReturn:
    """Turn the forked child into the server; whatever goes wrong stands in its log."""
    code = _CANNOT_EXECUTE
    try:
        os.setsid()
        os.umask(_UMASK)
        quiet = os.open("/dev/null", os.O_RDONLY)
        for source, target in ((quiet, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        for number in _IGNORED:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, set())
        user, cwd = order["user"], order["cwd"]
        become_user(None if user is None else str(user))
        become(spec, env, None if cwd is None else str(cwd))
    except Refusal as refusal:
        os.write(2, ("%s; %s\n" % (refusal.what, refusal.next_step)).encode("utf-8", "replace"))
    except OSError as error:
        os.write(2, ("the server cannot be started: %s\n" % error).encode("utf-8", "replace"))
    finally:
        os._exit(code)


def _watch(folder: Folder, start_id: str, leader: int) -> None:
    me = proc.read(os.getpid())
    child = proc.read(leader)
    known: dict[str, object] = {
        "boot_id": proc.boot_id(),
        "supervisor": None if me is None else [me.pid, me.started],
        # One that has ended already is still named by its number, which is not given again before it is waited for.
        "leader": [leader, child.started if child is not None else -1],
        "exit_code": None,
    }
    write_json(folder.start_record(start_id), known)
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == leader:
            known["exit_code"] = _code(status)
            write_json(folder.start_record(start_id), known)
        if pid == 0:
            signal.sigtimedwait({signal.SIGCHLD}, _LOOK_SECONDS)
            bound(folder.log_of(start_id))


def _code(status: int) -> int:
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _adopt_orphans() -> None:
    """Let whoever loses its parent below us become our child, not init's."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
