"""The fixes of one cause as a part of a page for a person at a terminal. Not for which fixes there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.cli.answer.proofs import shared_proofs
from bot.locale import say
from bot.locale.ranges import in_words
from rules.engine.report import Risk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.cli.answer.page import Page
    from rules.engine.report import Proof, Remedy


def print_fixes(fixes: tuple[Remedy, ...], release: str | None, page: Page, language: str) -> None:
    """Print numbered fixes with the proof of each, and last the proof that all of them have in common.

    `release` is the one that is known to run; None: each fix says which releases it is for.
    """
    _Fixes(fixes, release, page, language).show()


@dataclass(frozen=True, slots=True)
class _Fixes:
    fixes: tuple[Remedy, ...]
    release: str | None
    page: Page
    language: str

    def show(self) -> None:
        """Print them in their order."""
        shared = shared_proofs(self.fixes)
        for number, fix in enumerate(self.fixes, start=1):
            self.page.blank()
            self._fix(fix, number, shared)
        if shared:
            self.page.blank()
            self.page.heading(self._say("terminal.proof.any"))
            self._proofs(shared)

    def _say(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)

    def _fix(self, fix: Remedy, number: int, shared: tuple[Proof, ...]) -> None:
        total = len(self.fixes)
        head = self._say("card.fix.one" if total == 1 else "card.fix.numbered", number=number, total=total)
        if fix.releases:
            releases = self.release or in_words(fix.releases, self.language)
            head += f" {self._say('card.fix.releases', releases=releases)}"
        self.page.heading(head)
        self.page.prose(fix.summary)
        if fix.risk is not Risk.LOW:
            self.page.prose(f"({self._say(f'card.risk.{fix.risk.value}')})")
        for command in fix.commands:
            self.page.command(command)
        own = tuple(proof for proof in fix.verify if proof not in shared)
        if own:
            self.page.prose(self._say("terminal.proof"))
            self._proofs(own)

    def _proofs(self, proofs: Iterable[Proof]) -> None:
        for proof in proofs:
            self.page.bullet(proof.expect)
            self.page.command(proof.command)
