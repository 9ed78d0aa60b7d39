"""The stand-in from its first line to its end. Not for what the stages print, nor for the answers."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from . import stages
from .answering import Door
from .changing import change, must_change
from .engine import fork_engine
from .options import OptionError, Options, parse
from .printing import API_SERVER, bare, say

if TYPE_CHECKING:
    from types import FrameType

_USAGE_ERROR = 64
_POLL_SECONDS = 0.02


def main(argv: list[str]) -> int:
    """Run until told to end, or until something fails."""
    try:
        options = parse(argv, dict(os.environ))
    except (OptionError, ValueError) as error:
        sys.stderr.write(f"stand-in: {error}\n")
        return _USAGE_ERROR
    if must_change(options):
        return change(options)
    _note(options)
    is_deaf = bool(options.faults & {"ignores-term", "ignores-term-while-starting"})
    signal.signal(signal.SIGTERM, signal.SIG_IGN if is_deaf else signal.SIG_DFL)
    stages.announce(options)
    ready, told = os.pipe()

    def start_engine() -> int:
        code = stages.start_engine(options, dict(os.environ))
        if code == 0:
            os.write(told, b"1")
        os.close(told)
        return code

    engine = fork_engine(start_engine)
    if "escapee" in options.faults:
        fork_engine(lambda: 0, leaves_session=True)
    os.close(told)
    if os.read(ready, 1) != b"1":
        stages.fail()
        return 1
    return _serve(options, engine)


def _serve(options: Options, engine: int) -> int:
    ending = threading.Event()
    if "ignores-term" not in options.faults:
        signal.signal(signal.SIGTERM, lambda number, frame: _on_term(ending, number, frame))
    try:
        door = Door(options, lambda: _is_alive(engine))
    except OSError as error:
        bare(
            API_SERVER,
            f"OSError: [Errno {error.errno}] error while attempting to bind on address: {error.strerror}",
        )
        os.kill(engine, signal.SIGKILL)
        return 1
    threading.Thread(target=door.serve_forever, daemon=True).start()
    stages.serve(options)
    began = time.monotonic()
    while not ending.is_set():
        if not _is_alive(engine):
            say(
                API_SERVER,
                "core_client.py:600",
                "Engine core proc EngineCore_DP0 died unexpectedly.",
                "ERROR",
            )
            time.sleep(options.engine_death_seconds)
            return 0
        if options.dies_after_seconds is not None and time.monotonic() - began > options.dies_after_seconds:
            return 1
        ending.wait(_POLL_SECONDS)
    say(API_SERVER, "launcher.py:99", "Shutting down")
    if _is_alive(engine):
        os.kill(engine, signal.SIGTERM)
    return 0


def _on_term(ending: threading.Event, number: int, frame: FrameType | None) -> None:
    del number, frame
    ending.set()


def _is_alive(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in ("Z", "X")


def _note(options: Options) -> None:
    """Write a line for this start, with what a test wants to know of it."""
    if options.ledger is None:
        return
    wanted = {name: value for name, value in os.environ.items() if name.startswith(("VLLM_", "RELAUNCH_"))}
    line = json.dumps({"pid": os.getpid(), "argv": sys.argv[1:], "env": wanted}) + "\n"
    descriptor = os.open(options.ledger, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)
