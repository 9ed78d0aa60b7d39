"""Where in a release's source the attention facts stand that several answers rest on. Not for the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.releases.model import Attention, Source
    from rules.releases.release import Where


class AttentionPlaces:
    """Files and lines of one release."""

    _attention: Attention

    def text_order_place(self) -> Source | None:
        """Return where the order of backends for the language model stands; None where none is known."""
        return next((_real(row.source) for row in self._attention.text_orders), None)

    def tower_choices_place(self, where: Where) -> Source | None:
        """Return where the platform lists what a user may choose for encoders; None without such a list."""
        rows = (row for row in self._attention.tower_choices if row.platform == where.platform)
        return next((_real(row.source) for row in rows), None)

    def tower_default_place(self, where: Where) -> Source | None:
        """Return where it is decided what an encoder gets; None where none is known."""
        rows = (row for row in self._attention.tower_defaults if row.platform == where.platform)
        return next((_real(row.source) for row in rows), None)


def _real(source: Source) -> Source | None:
    return source if source.file else None
