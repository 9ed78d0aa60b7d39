"""Changes the start of vLLM that a wrapper script makes: runs inside that Python, before vLLM is imported.

The launcher puts a folder first on PYTHONPATH whose `sitecustomize` calls `take_over`. So it does not matter how the
script reaches vLLM (by name, by path, in an environment that it activates), nor what it exports before. Not for
launches without a wrapper.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from . import marks
from .change import Change, applied, change_from
from .spec import Spec

#: text of the module that a wrapper's Python imports first; `%r` is where this package is found
SITE = """import sys
_here = __file__.rpartition("/")[0]
sys.path.insert(0, %r)
try:
    from helper.launch.late import take_over
finally:
    del sys.path[0]
take_over(_here)
for _name in [name for name in sys.modules if name.partition(".")[0] == "helper"]:
    del sys.modules[_name]
sys.path[:] = [folder for folder in sys.path if folder != _here]
sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize
except ImportError:
    pass
"""


def take_over(site_folder: str) -> None:
    """Start this process anew with the change made, if it is vLLM's start; else do nothing."""
    argv = [os.fsdecode(word) for word in Path("/proc/self/cmdline").read_bytes().split(b"\0")[:-1]]
    if not is_vllm(argv) or marks.APPLIED in os.environ:
        return
    final = changed_start(Spec(tuple(argv), dict(os.environ)), site_folder)
    program = argv[0] if "/" in argv[0] else sys.executable
    os.execve(program, list(final.argv), dict(final.env))  # noqa: S606 - the argv is a list


def changed_start(spec: Spec, site_folder: str) -> Spec:
    """Return argv and environment that vLLM is to be given, marked as such."""
    env = dict(spec.env)
    change = change_from(env.pop(marks.CHANGE)) if marks.CHANGE in env else Change()
    rest = [folder for folder in env.pop("PYTHONPATH", "").split(":") if folder not in ("", site_folder)]
    if rest:
        env["PYTHONPATH"] = ":".join(rest)
    final = applied(Spec(spec.argv, env), change)
    bare = Spec(final.argv, marks.unmarked(final.env))
    return Spec(final.argv, dict(final.env, **{marks.APPLIED: bare.hash}))


def is_vllm(argv: list[str]) -> bool:
    """Tell whether a command line of Python starts vLLM: its script, or one of its modules."""
    for at, word in enumerate(argv[1:], start=1):
        if word == "-m":
            return argv[at + 1 : at + 2] != [] and argv[at + 1].split(".")[0] == "vllm"
        if not word.startswith("-"):
            return Path(word).name == "vllm" or "/vllm/entrypoints/" in word
    return False
