"""What the journal holds about one moment. Not how entries are chained or kept."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


class Stage(StrEnum):
    """Which side of an act an entry is written on."""

    #: somebody was or was not allowed something
    DECISION = "decision"
    #: written before the act: it may be about to happen
    INTENT = "intent"
    #: written after the act, with what came of it
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was decided, is about to be done, or was done. Every text is masked already."""

    at: datetime
    stage: Stage
    #: what it is about: `request`, `approve`, `stop`, `start`, `restore` …
    act: str
    #: the acting person by platform ids (`slack:T1:U1`), or `bot`
    actor: str
    #: how it ended: `allowed`, `refused`, `done`, `failed`, `unknown`; empty for an intent
    outcome: str = ""
    #: the role that allowed it; empty: none did
    role: str = ""
    host: str = ""
    server: str = ""
    relaunch: str = ""
    #: SHA-256 of the plan, hexadecimal
    plan_hash: str = ""
    #: the platform's id of the message or click, or the address of a request
    source: str = ""
    #: one short sentence, or the evidence
    detail: str = ""
