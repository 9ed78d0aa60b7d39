"""What the pages are given by whoever runs them. Not for the pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from bot.hosts.registry import Registry
    from bot.relaunch.desk import Desk
    from bot.relaunch.interface import News
    from bot.store.interface import AnswerStore, IncidentStore
    from bot.web.runs.looks import Looks
    from rules.engine.rule.model import Rule


class Rulebook(Protocol):
    """The rules that are loaded."""

    def rules(self) -> Sequence[Rule]:
        """Return all of them, by id."""

    def rule(self, rule_id: str) -> Rule | None:
        """Return one of them."""

    def fix_words(self, rule: Rule, language: str) -> tuple[str, ...]:
        """Return one sentence per fix of a rule, in the order of the rule."""


class Readiness(Protocol):
    """Whether the bot can do its work."""

    async def faults(self) -> list[str]:
        """Return what is wrong right now; empty when all is well."""

    def connected(self) -> Mapping[str, bool]:
        """Return for each platform whether messages can arrive."""


class WatchedRegistry(Protocol):
    """The registry of hosts as its file is now."""

    @property
    def faults(self) -> tuple[str, ...]:
        """Return what is wrong with the file; empty when nothing is."""

    def __call__(self) -> Registry:
        """Return what it says; a faulty file says nothing."""


@dataclass(frozen=True, slots=True)
class Relaunching:
    """What the pages of hosts and relaunches stand on."""

    desk: Desk
    registry: WatchedRegistry
    looks: Looks
    #: the newest word on a run, where this process carries runs out
    news: Callable[[str], News | None]
    #: id of the person whose process this is: faults of the registry name its lines
    operator: str


@dataclass(frozen=True, slots=True)
class Parts:
    """What the pages stand on."""

    incidents: IncidentStore
    answers: AnswerStore
    rulebook: Rulebook
    readiness: Readiness
    channels: tuple[str, ...]
    text_limit_bytes: int
    file_limit_bytes: int
    files_limit: int
    clock: Callable[[], datetime]
    #: a sample incident to try, None outside the demonstration
    sample: str | None
    #: people have to sign in
    needs_sign_in: bool
    #: None: no registry is configured, and nothing of relaunches is shown
    relaunching: Relaunching | None = None
