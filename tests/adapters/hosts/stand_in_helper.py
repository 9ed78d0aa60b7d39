"""A program that answers like a helper, or badly, as its first argument says. Run by tests, not a test."""

import json
import os
import signal
import sys

how = sys.argv[1] if len(sys.argv) > 1 else "echo"
asked = sys.stdin.buffer.read()
if how == "echo":
    reply = {"protocol": 1, "ok": True, "result": json.loads(asked)}
    sys.stdout.write(json.dumps(reply))
elif how == "mute":
    sys.exit(3)
elif how == "complains":
    sys.stderr.write("Traceback: it is\nbroken\n")
    sys.exit(1)
elif how == "hangs":
    signal.pause()
elif how == "floods":
    sys.stdout.write("x" * (2 << 20))
elif how == "dies":
    os.kill(os.getpid(), signal.SIGKILL)
elif how == "absent":
    sys.exit(127)
