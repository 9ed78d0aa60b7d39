"""Runs the program, in this process or, for what a shell sees, as one of its own. Not tests."""

import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bot.cli.app import main

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


def run(capsys, monkeypatch, *arguments: str, stdin: bytes = b"") -> Outcome:
    """Run in this process."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
    code = main(list(arguments))
    shown = capsys.readouterr()
    return Outcome(code, shown.out, shown.err)


def process(
    *arguments: str, stdin: bytes | None = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "bot", *arguments],
        input=stdin,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )
