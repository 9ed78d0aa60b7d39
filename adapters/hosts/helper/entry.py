"""The program's sub-commands. Not for what they do."""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module

from . import VERSION
from .refusal import Refusal

_USAGE = """usage: helper serve-request            one request on stdin, one reply on stdout (what ssh runs)
       helper launch SERVER            become the server (what a unit runs)
       helper deadman SERVER KEY       restore the server if its timer is due
       helper watch SERVER             wait for the timer (the helper starts this itself)
       helper supervise FOLDER START   parent of a server (the helper starts this itself)
       helper install | uninstall      set the helper up on this host
       helper judge                    what vLLM itself says (runs with vLLM's own Python)
       helper version
options of all but serve-request: --config FILE
"""
_USAGE_ERROR = 64
_REFUSED = 69


def main(argv: list[str]) -> int:
    """Run one sub-command and return the exit status."""
    if argv[:1] == ["serve-request"]:
        return _serve_request()
    words, environ = _without_config(argv)
    try:
        return _run(words, environ)
    except Refusal as refusal:
        sys.stderr.write("%s; %s\n" % (refusal.what, refusal.next_step))
        return _REFUSED


def _serve_request() -> int:
    """Answer one request. What else stands on the command line, or in what ssh was asked to run, is not heeded."""
    from .request.texts import LIMIT  # noqa: PLC0415 - each sub-command loads what it needs
    from .serving import answer  # noqa: PLC0415

    os.umask(0o077)
    # An act that has begun is ended, also when the connection is not there any more.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    data = sys.stdin.buffer.read(LIMIT + 1)
    sys.stdout.buffer.write(answer(data, os.environ) + b"\n")
    sys.stdout.buffer.flush()
    return 0


def _without_config(argv: list[str]) -> tuple[list[str], dict[str, str]]:
    from .host.allowlist import PATH_VARIABLE  # noqa: PLC0415

    words, environ = list(argv), {name: os.environ[name] for name in (PATH_VARIABLE,) if name in os.environ}
    if "--config" in words[:-1]:
        at = words.index("--config")
        environ[PATH_VARIABLE] = words[at + 1]
        del words[at : at + 2]
    return words, environ


def _run(words: list[str], environ: dict[str, str]) -> int:
    name, rest = (words[0], words[1:]) if words else ("", [])
    if name == "version" and not rest:
        sys.stdout.write(VERSION + "\n")
        return 0
    if name == "supervise" and len(rest) == 2:
        return int(import_module(".drivers.supervisor", __package__).supervise(*rest))
    if name in ("launch", "deadman", "watch") and len(rest) == (2 if name == "deadman" else 1):
        return _of_server(name, rest[0], environ)
    if name in ("install", "uninstall", "judge"):
        return _extra(name, rest)
    sys.stderr.write(_USAGE)
    return _USAGE_ERROR


def _of_server(name: str, server: str, environ: dict[str, str]) -> int:
    from .host.allowlist import read_allowlist  # noqa: PLC0415

    allowlist = read_allowlist(environ)
    if name == "launch":
        # in the folder and with the file mode that the unit names
        return int(import_module(".acts.launch", __package__).launch(allowlist, server))
    os.umask(0o077)
    os.chdir("/")
    firing = import_module(".deadman.firing", __package__)
    return int(
        firing.watch(allowlist, server) if name == "watch" else firing.fire_when_due(allowlist, server)
    )


def _extra(name: str, rest: list[str]) -> int:
    """Run a sub-command that has a module of its own, `main(words) -> int`."""
    if name in ("install", "uninstall"):
        return int(import_module(".install", __package__).main([name, *rest]))
    return int(import_module(".judge.outside", __package__).main())
