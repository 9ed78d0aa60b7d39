"""What goes to a worker process and what comes back, in records that can be sent between processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.hosts.guess import NO_HINTS
from bot.relaunch.scope import NOTHING, Scope

if TYPE_CHECKING:
    from pathlib import Path

    from adapters.chat.interface import Capabilities, Card, Section
    from bot.hosts.guess import Hints
    from bot.relaunch.offer import Offer
    from rules.engine.report import Status

#: what is read and cleaned as a whole; larger inputs are scanned
WHOLE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Question:
    """What to look at, and how the answer is to be shown."""

    #: texts in the order they were sent
    texts: tuple[str, ...]
    #: files that came with them
    files: tuple[Path, ...]
    limits: Capabilities
    reply_id: str
    #: facts from a form
    vllm_version: str | None = None
    gpu: str | None = None
    model: str | None = None
    #: None: that of the text
    language: str | None = None
    #: secrets that were taken out of the texts already
    masked: int = 0
    #: the launch of a server as one line of shell
    launch: str | None = None
    #: what the card may offer beside its answer
    scope: Scope = NOTHING
    #: shown after what the answer says
    added: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it."""

    status: Status
    fingerprint: str
    #: fitted to the limits of the question
    card: Card
    title: str
    language: str
    rule: str | None = None
    #: all that fired, that one first
    rules: tuple[str, ...] = ()
    failure_class: str | None = None
    confidence: str | None = None
    vllm_version: str | None = None
    gpu: str | None = None
    model: str | None = None
    #: the paste shows vLLM's own output
    is_plainly_vllm: bool = False
    #: masked text of the files, to be kept with the message; None when they are too large to keep
    read: str | None = None
    #: what a relaunch could do about it; None: nothing
    offer: Offer | None = None
    #: what tells which server is meant; words only of servers in the question's scope
    hints: Hints = NO_HINTS
