"""`watch` as a process that is waited for by what it prints. Not tests."""

import os
import queue
import subprocess
import sys
import threading
from contextlib import contextmanager

from tests.bot.cli.running import ROOT

PATIENCE_S = 60.0


class Watching:
    """A running `watch`, and what it said so far."""

    def __init__(self, process):
        self.process = process
        self.out, self.err = queue.Queue(), queue.Queue()
        self._readers = [
            threading.Thread(target=_drain, args=(stream, lines), daemon=True)
            for stream, lines in ((process.stdout, self.out), (process.stderr, self.err))
        ]
        for reader in self._readers:
            reader.start()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_S)
        self.process.stdin.close()
        for reader in self._readers:
            reader.join(PATIENCE_S)

    def hears(self, words, *, beside=False):
        """Wait until a line with these words is printed; `beside` looks at stderr. Returns the lines up to it."""
        lines = []
        while not lines or words not in lines[-1]:
            line = (self.err if beside else self.out).get(timeout=PATIENCE_S)
            assert line is not None, lines
            lines.append(line)
        return lines

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ends(self, number=None):
        """Wait for its end, told by a signal if one is given; returns its code and what it still said."""
        if number is not None:
            self.process.send_signal(number)
        code = self.process.wait(PATIENCE_S)
        return code, _rest(self.out), _rest(self.err)


def _drain(stream, lines):
    with stream:
        for line in stream:
            lines.put(line.decode())
    lines.put(None)


def _rest(lines):
    return "".join(iter(lambda: lines.get(timeout=PATIENCE_S), None))


@contextmanager
def watching(*arguments, is_ready=True, **environment):
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "watch", "--quiet-seconds", "0.2", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, **environment},
    )
    found = Watching(process)
    try:
        if is_ready:
            found.hears("following ", beside=True)
        yield found
    finally:
        found.close()
