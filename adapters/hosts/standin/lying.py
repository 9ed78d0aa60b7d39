"""Completions that are none, as bytes, one way for each fault. Not for sending them, nor for whom they deceive."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_NOISE = "!" * 16


@dataclass(frozen=True)
class Completion:
    """An answer to be sent."""

    body: dict[str, Any]
    #: what it says, before it is put into the body
    text: str
    prompt: str
    is_chat: bool
    status: int = 200
    kind: str = "application/json"
    #: sent as it is in place of the body
    raw: bytes | None = None
    #: bytes that are announced and never come
    missing: int = 0

    def data(self) -> bytes:
        """Return the body's bytes."""
        return json.dumps(self.body).encode() if self.raw is None else self.raw

    def saying(self, text: str) -> Completion:
        """Return the same with another text."""
        choice = dict(self.body["choices"][0])
        choice.update({"message": {"role": "assistant", "content": text}} if self.is_chat else {"text": text})
        return replace(self, text=text, body={**self.body, "choices": [choice]})

    def having(self, **parts: object) -> Completion:
        """Return the same with other parts."""
        return replace(self, body={**self.body, **parts})


def _with_choice(answer: Completion, **parts: object) -> Completion:
    return answer.having(choices=[{**answer.body["choices"][0], **parts}])


def _without_name(answer: Completion) -> Completion:
    return replace(answer, body={key: value for key, value in answer.body.items() if key != "model"})


LIES: dict[str, Callable[[Completion], Completion]] = {
    "empty-completion": lambda answer: answer.saying(""),
    "repeated-token": lambda answer: answer.saying(_NOISE),
    "echo": lambda answer: answer.saying(answer.prompt),
    "sane-then-noise": lambda answer: answer.saying(f"{answer.text.split()[0]}{_NOISE}"),
    "two-models": lambda answer: answer.having(model="another/model"),
    "nameless-completion": _without_name,
    "aborted": lambda answer: _with_choice(answer, finish_reason="abort"),
    "error-beside": lambda answer: answer.having(error={"message": "CUDA error", "code": 500}),
    "wrong-types": lambda answer: _with_choice(answer, message=[answer.text], text={"0": answer.text}),
    "not-a-number": lambda answer: replace(
        answer, raw=json.dumps({**answer.body, "logprob": float("nan")}).encode()
    ),
    "page-for-completion": lambda answer: replace(answer, kind="text/html; charset=utf-8"),
    "redirected-completion": lambda answer: replace(answer, status=307),
    "cut-completion": lambda answer: replace(answer, missing=10),
}


def spoil(answer: Completion, faults: frozenset[str]) -> Completion:
    """Return an answer with all faults that are on and concern it."""
    for fault, lie in LIES.items():
        if fault in faults:
            answer = lie(answer)
    return answer
