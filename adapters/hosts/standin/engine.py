"""The stand-in's engine: a child process with a title of its own, which lives on when its parent is killed."""

from __future__ import annotations

import ctypes
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

_PR_SET_NAME = 15
#: of /proc/self/stat, counted from the word after the name
_ARGUMENTS_BEGIN, _ENVIRONMENT_END = 45, 48


def fork_engine(work: Callable[[], int], *, leaves_session: bool = False) -> int:
    """Start the engine; `work` is its start, and a result other than 0 its failure. Return its pid."""
    pid = os.fork()
    if pid == 0:
        _live(work, leaves_session=leaves_session)
    return pid


def _live(work: Callable[[], int], *, leaves_session: bool) -> NoReturn:
    code = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if leaves_session:
            os.setsid()
        _take_title("VLLM::EngineCore")
        code = work()
        while code == 0:
            signal.pause()
    finally:
        os._exit(code)


def _take_title(title: str) -> None:
    """Write the title over argv and environment, as the library that vLLM uses for it does."""
    words = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    begin, end = int(words[_ARGUMENTS_BEGIN]), int(words[_ENVIRONMENT_END])
    ctypes.memset(begin, 0, end - begin)
    ctypes.memmove(begin, title.encode("ascii"), len(title))
    ctypes.CDLL(None).prctl(_PR_SET_NAME, ctypes.c_char_p(title.encode("ascii")[:15]), 0, 0, 0)
