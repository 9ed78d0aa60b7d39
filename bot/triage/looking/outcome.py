"""What goes to a worker process and what comes back, in records that can be sent between processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from adapters.chat.interface import Capabilities, Card
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
    #: servers can be relaunched from here: the card offers it where a fix can be carried out so
    can_relaunch: bool = False


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
