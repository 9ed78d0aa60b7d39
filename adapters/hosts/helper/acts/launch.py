"""Becomes a server as it is written down: what a unit of a manager runs instead of vLLM. Returns only by a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..launch import launcher, wrapper
from ..launch.identity import become_user
from ..processes import proc
from .work import open_work

if TYPE_CHECKING:
    from ..host.allowlist import Allowlist


def launch(allowlist: Allowlist, name: str) -> int:
    """Execute the launch that the last order wrote; after a restart of the machine in an open run, the one before."""
    work = open_work(allowlist, name)
    record = work.record()
    spec = None
    if record.start_id is not None and not (record.is_open and record.boot_id != proc.boot_id()):
        spec = work.folder.launch("current")
    if spec is None:
        spec = work.registered(record)[0]
    if wrapper.script(spec) is not None:
        launcher.write_site(allowlist.state_dir)
    env = launcher.environment(spec, record.start_id or "none", allowlist.state_dir)
    become_user(work.server.user)
    launcher.become(spec, env, work.server.cwd)
    return 1
