"""Asks a running server something, with its own key, which never leaves the host. Not for judging the answer."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from ..acts.clearing import foreign_on_port
from ..launch import running
from .http import Door, ask
from .questions import question

if TYPE_CHECKING:
    from ..acts.work import Work
    from ..launch.spec import Spec

_LONGEST_TYPE = 200
_LOOPBACK = "127.0.0.1"


def probe(work: Work, kinds: tuple[str, ...], model: str, timeout_seconds: float) -> dict[str, Any]:
    """Return what the server answered on its registered port, question by question."""
    record = work.record()
    found = work.driver.observe(record.start_id)
    registered = work.folder.launch("current") or work.driver.registered()
    real = running.find(found.pids, found.pid, registered, work.server)
    launches = [registered] if real is None else [real[1], registered]
    headers = {"Accept": "application/json"}
    key = next((key for key in map(_api_key, launches) if key), None)
    if key is not None:
        headers["Authorization"] = "Bearer " + key
    address = next((address for address in map(_address, launches) if address), _LOOPBACK)
    door = Door(address, work.server.port, _has_certificate(launches[0]))
    masker = work.masker(*launches)

    def answered(kind: str) -> dict[str, Any]:
        asked = question(kind, model)
        answer = ask(door, asked.method, asked.path, headers, asked.body, timeout_seconds)
        return {
            "kind": kind,
            "status": answer.status,
            "body": masker.text(answer.body.decode("utf-8", "replace")),
            "seconds": answer.seconds,
            "trouble": answer.trouble or _others(work, found.pids),
            "content_type": masker.text(answer.content_type[:_LONGEST_TYPE]),
            "asked": asked.asked,
        }

    return {"answers": [answered(kind) for kind in kinds]}


def _others(work: Work, ours: tuple[int, ...]) -> str:
    """Return who else listens on the port, and may have answered in the server's place; empty: nobody is known to."""
    others = foreign_on_port(work, ours)
    if not others:
        return ""
    return "process %d (%s), which is not of this server, listens on its port" % (
        others[0]["pid"],
        others[0]["name"],
    )


def _api_key(spec: Spec) -> str | None:
    """Return the first key that a launch makes its server ask for: the flag wins over the variable."""
    return _value(spec, "--api-key") or spec.env.get("VLLM_API_KEY")


def _address(spec: Spec) -> str | None:
    """Return the one address that a launch makes its server listen on; None where it listens on all."""
    try:
        found = ipaddress.ip_address(_value(spec, "--host") or "")
    except ValueError:
        return None
    return None if found.is_unspecified else str(found)


def _has_certificate(spec: Spec) -> bool:
    """Tell whether a launch makes its server speak TLS: with a key or a certificate, as uvicorn reads them."""
    return bool(_value(spec, "--ssl-keyfile") or _value(spec, "--ssl-certfile"))


def _value(spec: Spec, flag: str) -> str | None:
    for at, word in enumerate(spec.argv):
        name, is_joined, value = word.partition("=")
        if name.replace("_", "-") == flag:
            return value if is_joined else (spec.argv[at + 1] if at + 1 < len(spec.argv) else None)
    return None
