"""`python -m tests.rules.engine.endless_logs MIB`: reads logs of that length; prints memory and statuses."""

import json
import sys
from pathlib import Path

from rules.engine.diagnose import Engine, Parts
from tests.rules.engine.matching.handmade_rules import (
    SHIPPED,
    PlainAnswerer,
    ReleaseOnlyReader,
    matcher,
    rule,
    signal,
)

MIB = 1024 * 1024
REJECTED = rule("rejected", signal(r"(?P<model>\S+) refuses backend (?P<backend>\w+)", " refuses backend "))
FAILURE = b"\n(EngineCore pid=1) ERROR 11-28 07:55:57 [core.py:1] ValueError: Qwen refuses backend XF\n"
FILLERS = (
    b'INFO:     10.0.0.1:80 - "POST /v1/completions HTTP/1.1" 200 OK\n',
    b"x" * 4000 + b"\n",
    b"x" * 4000,
    b"\n",
    b"ERROR: what is wrong here\n",
    b"x refuses backend -\n",
    bytes(range(256)),
)


class EndlessLog:
    """A log that is made while it is read, and ends with a failure."""

    def __init__(self, size: int, filler: bytes) -> None:
        self._left = size
        self._filler = filler
        self._end = FAILURE

    def read(self, size: int) -> bytes:
        """Return the next piece."""
        if self._left <= 0:
            last, self._end = self._end, b""
            return last
        piece = self._filler * (size // len(self._filler) + 1)
        self._left -= len(piece)
        return piece


def _peak() -> float:
    """Return the peak memory in MiB; that of getrusage would count the process this one was forked from."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def main() -> None:
    """Read a log of each kind and print what came of it."""
    rules = {REJECTED.id: REJECTED}
    parts = Parts(ReleaseOnlyReader(), matcher(rules.values()), rules.__getitem__, PlainAnswerer(), SHIPPED)
    engine = Engine(parts)
    size = int(sys.argv[1]) * MIB
    statuses = [engine.diagnose_stream(EndlessLog(size, filler)).status for filler in FILLERS]
    print(json.dumps({"peak": _peak(), "statuses": statuses}))  # noqa: T201


if __name__ == "__main__":
    main()
