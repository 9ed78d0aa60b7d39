"""What is asked of a server: method, path and body of each kind. Not for sending it."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from dataclasses import dataclass

HEALTH = "health"
MODELS = "models"
TEXT = "text"
IMAGE = "image"
#: enough to tell sense from one token over and over
_TOKENS = 16
_SENTENCE = "The capital of France is"
_ABOUT_PICTURE = "Which colour fills this picture? Answer with one word."
#: a multiple of the patch sizes of vision models
_SIDE = 112


@dataclass(frozen=True)
class Question:
    """One request."""

    method: str
    path: str
    body: bytes = b""
    #: the words of it; empty where it is not asked in words
    asked: str = ""


def question(kind: str, model: str) -> Question:
    """Return the request of a kind."""
    if kind == HEALTH:
        return Question("GET", "/health")
    if kind == MODELS:
        return Question("GET", "/v1/models")
    if kind == TEXT:
        body: dict[str, object] = {
            "model": model,
            "prompt": _SENTENCE,
            "max_tokens": _TOKENS,
        }
        return Question("POST", "/v1/completions", _json(dict(body, temperature=0)), _SENTENCE)
    content = [
        {"type": "text", "text": _ABOUT_PICTURE},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64," + _picture()}},
    ]
    message = {"role": "user", "content": content}
    return Question(
        "POST",
        "/v1/chat/completions",
        _json({"model": model, "messages": [message], "max_tokens": _TOKENS, "temperature": 0}),
        _ABOUT_PICTURE,
    )


def _json(body: dict[str, object]) -> bytes:
    return json.dumps(body, ensure_ascii=True, sort_keys=True).encode("ascii")


def _picture() -> str:
    """Return a red square as PNG, in base64."""
    row = b"\0" + b"\xe0\x10\x10" * _SIDE
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(row * _SIDE, 9)),
        (b"IEND", b""),
    ]
    chunks = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    ]
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(chunks)).decode("ascii")
