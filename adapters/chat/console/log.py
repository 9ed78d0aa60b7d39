"""The log that the console's rooms stand on, as the console needs it. Whoever keeps it is not known here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class RoomEvent(Protocol):
    """Something that happened in a room."""

    @property
    def sequence(self) -> int:
        """Return its number in the log; later events have higher ones."""

    @property
    def channel(self) -> str:
        """Return the room."""

    @property
    def kind(self) -> str:
        """Return `message`, `reply`, `edit` or `mark`."""

    @property
    def payload(self) -> Mapping[str, Any]:
        """Return what the page draws."""


class RoomLog(Protocol):
    """A log that only grows."""

    async def append(self, channel: str, kind: str, key: str, payload: Mapping[str, Any]) -> RoomEvent:
        """Add an event; one with the same kind and key is added once, and comes back as it was kept."""

    async def after(self, sequence: int, limit: int) -> Sequence[RoomEvent]:
        """Return what happened after a sequence number, oldest first."""

    async def find(self, kind: str, key: str) -> RoomEvent | None:
        """Return the event of this kind and key."""

    async def last_sequence(self) -> int:
        """Return the number of the newest event, 0 when there is none."""
