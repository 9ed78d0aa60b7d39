"""Runs the helper and kills it right before the n-th thing that others could notice. Not tests.

usage: dying.py N FILE-OF-THE-HELPER SUB-COMMAND
"""

import os
import runpy
import signal
import sys

#: names put in place, files removed, programs started, signals sent
EVENTS = frozenset({"os.rename", "os.remove", "os.posix_spawn", "os.kill"})
#: words to an engine of containers that change something, and programs that do; both are asked more than they are told
CHANGES = (b"POST ", b"DELETE ")
CHANGERS = frozenset({"systemctl", "systemd-run"})
LOOKS = frozenset({"show", "cat", "is-active"})


def is_noticed(event: str, arguments: tuple) -> bool:
    """Whether others could notice it."""
    if event == "http.client.send":
        return bytes(arguments[1]).startswith(CHANGES)
    if event == "subprocess.Popen":
        words = [str(word) for word in arguments[1]]
        return words[0].rpartition("/")[2] in CHANGERS and not LOOKS & set(words)
    return event in EVENTS


def main() -> None:
    left = int(sys.argv[1])

    def hook(event: str, arguments: tuple) -> None:
        nonlocal left
        if is_noticed(event, arguments):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.argv = sys.argv[2:]
    sys.addaudithook(hook)
    runpy.run_path(sys.argv[0], run_name="__main__")


main()
