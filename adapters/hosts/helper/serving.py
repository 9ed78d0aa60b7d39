"""One request in, one reply out. Not for how the bytes come and go."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Callable, Mapping

from . import PROTOCOL
from .acts.commit import commit
from .acts.facts import facts
from .acts.preflight import preflight
from .acts.restore import restore
from .acts.snapshot import snapshot
from .acts.start import start
from .acts.status import status
from .acts.stop import stop
from .acts.work import Work, open_work
from .host.allowlist import read_allowlist
from .probing.asking import probe
from .redaction import Masker
from .refusal import UNABLE, Refusal
from .request.parsing import parse

if TYPE_CHECKING:
    from .host.allowlist import Allowlist

_MOST_BYTES = 1 << 20
_ACTS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "commit": commit,
    "preflight": preflight,
    "probe": probe,
    "restore": restore,
    "snapshot": snapshot,
    "start": start,
    "status": status,
    "stop": stop,
}


def answer(data: bytes, environ: Mapping[str, str]) -> bytes:
    """Return the reply to a request, whatever the request is."""
    try:
        verb, arguments = parse(data)
        result = _act(read_allowlist(environ), verb, arguments)
        reply = _encoded({"protocol": PROTOCOL, "ok": True, "result": result})
    except Refusal as refusal:
        return _encoded(refused(refusal))
    except (OSError, ValueError, KeyError, TypeError) as error:
        # A state file that somebody spoiled, a full disk: told in one line, for nobody reads a traceback there.
        what = "%s: %s" % (type(error).__name__, error)
        return _encoded(refused(Refusal(UNABLE, what, "look at the state folder on the host, and its disk")))
    if len(reply) > _MOST_BYTES:
        return _encoded(refused(Refusal(UNABLE, "the answer is larger than 1 MiB", "ask for less")))
    return reply


def refused(refusal: Refusal) -> dict[str, Any]:
    """Return the reply of a refusal."""
    masker = Masker([], frozenset())
    error = {
        "code": refusal.code,
        "what": masker.text(refusal.what),
        "next_step": masker.text(refusal.next_step),
    }
    return {"protocol": PROTOCOL, "ok": False, "error": error}


def _act(allowlist: Allowlist, verb: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if verb == "facts":
        return facts(allowlist)
    return _ACTS[verb](_work(allowlist, arguments), **arguments)


def _work(allowlist: Allowlist, arguments: dict[str, Any]) -> Work:
    """Return the server that a request means, and leave its name out of the arguments of verbs that only look."""
    if "order" in arguments:
        return open_work(allowlist, arguments["order"].server)
    return open_work(allowlist, arguments.pop("server"))


def _encoded(body: dict[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=True, separators=(",", ":")).encode("ascii")
