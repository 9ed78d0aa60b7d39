"""Requests and replies as the bytes that go over the wire. Not for carrying them, nor for what they mean.

Protocol 1: one JSON object each way. Replies are checked against the types of the records in `interface`;
keys that a newer helper adds are passed over.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from adapters.hosts.errors import BrokenHostError, DefiniteError, RefusalCode, RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

PROTOCOL: Final = 1
#: the longest request that a helper reads, in bytes
LONGEST_REQUEST: Final = 64 << 10
_INSTALL: Final = "install the helper of this release on the host"

Record = TypeVar("Record")


class _Error(BaseModel):
    model_config = ConfigDict(strict=True)

    code: str
    what: str
    next_step: str = ""


class _Reply(BaseModel):
    model_config = ConfigDict(strict=True)

    protocol: int
    ok: bool
    result: Any = None
    error: _Error | None = None


def request_bytes(verb: str, body: Mapping[str, Any]) -> bytes:
    """Return a request. Raises `ValueError` for one that no helper would read."""
    whole = {"protocol": PROTOCOL, "verb": verb, **body}
    made = json.dumps(whole, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode("ascii")
    if len(made) > LONGEST_REQUEST:
        raise ValueError(f"the request {verb} has {len(made)} bytes, and a helper reads {LONGEST_REQUEST}")
    return made


def record_of(host: str, reply: bytes, kind: type[Record]) -> Record:
    """Return the record that a reply holds.

    Raises `RefusedError` when the helper refused, `BrokenHostError` when the reply is not one that we know.
    """
    try:
        told = _Reply.model_validate_json(reply)
    except ValidationError as error:
        raise BrokenHostError(
            host,
            "what answers is no helper, or one of another release",
            "log in as the bot does, and see that nothing but the helper prints anything",
        ) from error
    if told.protocol != PROTOCOL:
        what = f"the helper speaks protocol {told.protocol}, and this bot {PROTOCOL}"
        raise BrokenHostError(host, what, _INSTALL)
    if not told.ok:
        raise _refusal(host, told.error)
    try:
        return TypeAdapter(kind).validate_json(json.dumps(told.result), strict=True)
    except ValidationError as error:
        what = f"the helper's reply is no {kind.__name__}: {error.errors()[0]['msg']}"
        raise BrokenHostError(host, what, _INSTALL) from error


def _refusal(host: str, error: _Error | None) -> DefiniteError:
    if error is None:
        return BrokenHostError(host, "the helper refused and did not say why", _INSTALL)
    if error.code not in set(RefusalCode):
        # a newer helper has more words for a refusal: it did nothing all the same
        return BrokenHostError(host, f"the helper refused: {error.what}", error.next_step or _INSTALL)
    return RefusedError(host, RefusalCode(error.code), error.what, error.next_step)
