"""One log that is followed, with what is known of its failures. Not for telling anybody."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.watching.known import KnownFailures
from bot.watching.remembered import Remembered

if TYPE_CHECKING:
    from bot.watching.following import Mark
    from bot.watching.source import Source
    from bot.watching.watchman import Case, Watchman


@dataclass(slots=True)
class Followed:
    """A log by the name that it was given."""

    name: str
    source: Source
    watchman: Watchman
    known: KnownFailures = field(default_factory=KnownFailures)
    #: where the next life goes on: nothing before it waits to be told
    _mark: Mark | None = field(default=None, init=False)
    _kept: str = field(default="", init=False)

    def begin(self) -> None:
        """Take in what was there before."""
        self.watchman.remember(self.source.before)
        self._mark = self.source.mark()

    def cases(self, now: float) -> list[Case]:
        """Return starts that failed, as far as new lines tell."""
        cases = self.watchman.take(self.source.look(), now)
        if self.source.is_full:
            return cases
        if self.source.is_ended:
            last = self.watchman.end(now, self.source.rest)
        else:
            last = self.watchman.due(now, self.source.rest)
        return [*cases, last] if last is not None else cases

    def to_remember(self) -> Remembered | None:
        """Return what the next life needs to know, if that changed and there is going back to it."""
        if self.watchman.is_calm:
            self._mark = self.source.mark()
        if self._mark is None:
            return None
        remembered = Remembered(self._mark, self.known.raised)
        text = remembered.to_text()
        if text == self._kept:
            return None
        self._kept = text
        return remembered
