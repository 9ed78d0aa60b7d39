"""What the pages are given by whoever runs them. Not for the pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.store.interface import AnswerStore, IncidentStore
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
    #: a sample incident to try, None outside the demonstration
    sample: str | None
    #: people have to sign in
    needs_sign_in: bool
