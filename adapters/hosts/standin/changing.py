"""The stand-in with another environment than it was started with. Not for what it does then."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .options import Options

_VARIABLE, _VALUE = "VLLM_ATTENTION_BACKEND", "FLASH_ATTN"


def must_change(options: Options) -> bool:
    """Tell whether a fault wants another environment than there is."""
    return (
        bool(options.faults & {"other-environment", "child-serves"}) and os.environ.get(_VARIABLE) != _VALUE
    )


def change(options: Options) -> int:
    """Go on with another environment, in this process or in a child that this one waits for."""
    argv = [sys.executable, *sys.orig_argv[1:]]
    environment = {**os.environ, _VARIABLE: _VALUE}
    if "other-environment" in options.faults:
        os.execve(argv[0], argv, environment)  # noqa: S606 (the same program again)
    return subprocess.run(argv, env=environment, check=False).returncode
