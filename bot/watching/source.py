"""What is followed, be it a file or a stream, as the rest sees it. Not for reading it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.watching.following import Mark
    from bot.watching.lines import Line


class Source(Protocol):
    """Lines that come in the course of time."""

    @property
    def is_full(self) -> bool:
        """Tell whether there may be more to read at once."""

    @property
    def is_ended(self) -> bool:
        """Tell whether nothing will ever follow."""

    @property
    def before(self) -> list[Line]:
        """Return lines that were there before reading began."""

    @property
    def rest(self) -> bytes:
        """Return the line whose end has not come yet."""

    @property
    def identity(self) -> tuple[int, int]:
        """Return what tells one file from another."""

    def look(self) -> list[Line]:
        """Return the lines that were ended since the last look."""

    def mark(self) -> Mark | None:
        """Return the place to go on from later; None where there is no going back."""

    def close(self) -> None:
        """Let go of it."""
