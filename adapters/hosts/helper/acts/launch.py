"""Becomes a server as it is written down: what a unit of systemd runs instead of vLLM. Returns only by a refusal."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..drivers.systemd import SystemdDriver
from ..launch import launcher
from ..launch.identity import become_user
from ..launch.marks import FROM_MANAGER
from ..processes import proc
from .work import open_work

if TYPE_CHECKING:
    from ..host.allowlist import Allowlist


def launch(allowlist: Allowlist, name: str) -> int:
    """Execute the launch of the open run; without one, or after a restart of the machine, the one that holds."""
    work = open_work(allowlist, name)
    record = work.record()
    spec = None
    if record.is_open and record.boot_id == proc.boot_id():
        spec = work.folder.launch("current")
    if spec is None:
        spec = work.registered(record)[0]
    site = None if work.driver.script(spec) is None else str(launcher.write_site(allowlist.state_dir))
    env = launcher.environment(spec, record.start_id or "none", site)
    env.update({name: os.environ[name] for name in FROM_MANAGER if name in os.environ and name not in env})
    if isinstance(work.driver, SystemdDriver):
        become_user(work.driver.user())
    # the unit's own working directory, where the list names none
    launcher.become(spec, env, work.server.cwd or ".")
    return 1
