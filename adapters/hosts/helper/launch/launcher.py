"""Becomes the server: clears everything and executes exactly the launch that was written down. Not for watching it."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from .. import program
from ..refusal import UNABLE, Refusal
from . import marks, wrapper
from .late import SITE

if TYPE_CHECKING:
    from pathlib import Path

    from .spec import Spec

#: beside the servers' folders, and readable for the users that servers run as
_SITE_FOLDER = "site"
#: the same for servers that find this program elsewhere than here
_SITE_ELSEWHERE = "site-in-containers"

#: those above are for real time, or the C library's own
_LAST_SIGNAL = 31


def environment(spec: Spec, start_id: str, site: str | None) -> dict[str, str]:
    """Return what the process is given: the launch's environment, its marks, and the way into a wrapper's vLLM.

    `site` is the folder that `write_site` wrote, as the server sees it; None where no script stands before vLLM.
    """
    env = marks.marked(spec, start_id)
    if site is not None:
        env["PYTHONPATH"] = ":".join([site] + [part for part in (env.get("PYTHONPATH"),) if part])
    return env


def write_site(state_dir: Path, archive_elsewhere: str | None = None) -> Path:
    """Write the module that a wrapper's Python imports first; returns its folder.

    `archive_elsewhere` is where a server finds this program that does not see it where it is.
    """
    folder = state_dir / (_SITE_FOLDER if archive_elsewhere is None else _SITE_ELSEWHERE)
    folder.mkdir(mode=0o755, exist_ok=True)
    folder.chmod(0o755)
    path = folder / "sitecustomize.py"
    text = SITE % (archive_elsewhere or str(program.archive()))
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        fresh = folder / ("sitecustomize.%d" % os.getpid())
        fresh.write_text(text, encoding="utf-8")
        fresh.chmod(0o644)
        fresh.replace(path)
    return folder


def become(spec: Spec, env: dict[str, str], cwd: str | None) -> None:
    """Replace this process. Returns only by a refusal."""
    found = wrapper.program(spec)
    if found is None:
        raise Refusal(
            UNABLE,
            "%s is not there or not executable" % spec.argv[0],
            "write the whole path of the program in the registered launch",
        )
    for number in set(range(1, _LAST_SIGNAL + 1)) - {signal.SIGKILL, signal.SIGSTOP}:
        # Python ignores some, a shell in the background others, and what is ignored stays so for who is executed.
        signal.signal(number, signal.SIG_DFL)
    try:
        os.chdir(cwd or "/")
        os.execve(found, list(spec.argv), env)  # noqa: S606 - the argv is a list
    except OSError as error:
        raise Refusal(
            UNABLE, "%s cannot be started: %s" % (found, error.strerror), "try it by hand"
        ) from None
