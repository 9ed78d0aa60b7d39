"""Lines as vLLM 0.11.2 prints them, each process with its prefix. Not for when they are printed."""

from __future__ import annotations

import os
import sys
import time

API_SERVER = "APIServer"
ENGINE = "EngineCore_DP0"
_SITE = "/opt/venv/lib/python3.12/site-packages/vllm/"
#: file of the package, line, function and the line of code itself, from the outermost call to the one that raised
Frames = list[tuple[str, int, str, str]]


def say(process: str, place: str, text: str, level: str = "INFO") -> None:
    """Print one line of a log."""
    stamp = time.strftime("%m-%d %H:%M:%S")
    bare(process, f"{level} {stamp} [{place}] {text}")


def bare(process: str, text: str, end: str = "\n") -> None:
    """Print a line that has only the prefix of its process."""
    sys.stdout.write(f"\x1b[1;36m({process} pid={os.getpid()})\x1b[0;0m {text}{end}")
    sys.stdout.flush()


def progress(process: str, what: str, done: int, whole: int) -> None:
    """Print one state of a bar, which the next one overwrites on a terminal."""
    percent = 100 * done // whole
    text = f"\r{what}: {percent:>3}% Completed | {done}/{whole} [00:0{done}<00:0{whole - done},  1.02s/it]"
    bare(process, text, "\n" if done == whole else "")


def traceback(process: str, frames: Frames, error: str, place: str | None = None) -> None:
    """Print a traceback, through the logger where `place` is given."""
    lines = ["Traceback (most recent call last):"]
    for file, line, function, code in frames:
        where = file if file.startswith("/") else _SITE + file
        lines += [f'  File "{where}", line {line}, in {function}', f"    {code}"]
    for text in [*lines, error]:
        if place is None:
            bare(process, text)
        else:
            say(process, place, text, "ERROR")
