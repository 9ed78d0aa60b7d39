"""Stands before the helper on a host and asks the matrix whether a request may pass. Not tests.

usage: gate.py SOCKET DYING HELPER-COMMAND…   (Python's own modules only: it runs on the host)
"""

import json
import socket
import subprocess
import sys

#: as of a program that never began, and of one whose answer got lost
_UNREACHED, _LOST = 127, 1


def main() -> int:
    path, dying, *command = sys.argv[1:]
    data = sys.stdin.buffer.read()
    verb = json.loads(data)["verb"]
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        answers = line.makefile("r")

        def ask(**words) -> str:
            line.sendall(json.dumps({"verb": verb, **words}).encode() + b"\n")
            return answers.readline().strip()

        told = ask(is_done=False)
        if told == "cut":
            return _UNREACHED
        if told.startswith("die "):
            # the last two words are the helper's file and its sub-command
            command = [*command[:-2], dying, told.split()[1], *command[-2:]]
        done = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=False)
        if ask(is_done=True, code=done.returncode) == "cut":
            return _LOST
        sys.stdout.buffer.write(done.stdout)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


if __name__ == "__main__":
    sys.exit(main())
