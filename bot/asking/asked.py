"""What goes to a worker process for a question in words, in records that can be sent there. Not for answering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adapters.chat.interface import Capabilities
    from bot.asking.requests import Request


@dataclass(frozen=True, slots=True)
class Known:
    """What the thread tells, for what the words leave out."""

    version: str | None = None
    gpu: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Worded:
    """Words that may be a question, and how its answer is to be shown."""

    text: str
    limits: Capabilities
    language: str
    known: Known = Known()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was read, and how the answer is to be shown."""

    request: Request
    limits: Capabilities
    language: str
    known: Known = Known()
