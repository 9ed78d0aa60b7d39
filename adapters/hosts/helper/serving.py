"""One request in, one reply out. Not for how the bytes come and go."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any, Callable, Mapping

from . import PROTOCOL
from .host.allowlist import read_allowlist
from .redaction import Masker
from .refusal import UNABLE, Refusal
from .request.parsing import parse

if TYPE_CHECKING:
    from .host.allowlist import Allowlist

_MOST_BYTES = 1 << 20
#: each verb is a function of its own name; only its module is loaded
_ACTS = {
    "commit": ".acts.commit",
    "facts": ".acts.facts",
    "preflight": ".acts.preflight",
    "probe": ".probing.asking",
    "restore": ".acts.restore",
    "snapshot": ".acts.snapshot",
    "start": ".acts.start",
    "status": ".acts.status",
    "stop": ".acts.stop",
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
    act: Callable[..., dict[str, Any]] = getattr(import_module(_ACTS[verb], __package__), verb)
    if verb == "facts":
        return act(allowlist)
    # Verbs that only look name the server themselves; the others do it in their order.
    name = arguments["order"].server if "order" in arguments else arguments.pop("server")
    work = import_module(".acts.work", __package__).open_work(allowlist, name)
    return act(work, **arguments)


def _encoded(body: dict[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=True, separators=(",", ":")).encode("ascii")
