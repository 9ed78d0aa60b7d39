"""What every host does for us: look, stop, start, prove, keep or restore a server. Not for deciding any of it.

Every act carries an `Order`. A host does what a key asks once: asked again with the same key it answers with the
outcome of the first time, or goes on where it was. It refuses an order whose fence is lower than one it has seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.hosts.records import (
        HostFacts,
        LaunchChange,
        Order,
        Preflight,
        ProbeAnswer,
        ProbeKind,
        ServerStatus,
        Snapshot,
        Started,
        Stopped,
    )


class Host(Protocol):
    """One machine. Every method raises `HostError`: a `DefiniteError` where asking again changes nothing.

    Those that act may raise `OutcomeUnknownError`.
    """

    @property
    def name(self) -> str:
        """Return the name in the registry."""

    async def facts(self) -> HostFacts:
        """Return what is true of the machine."""

    async def snapshot(self, server: str) -> Snapshot:
        """Return how a server is registered and runs."""

    async def preflight(self, order: Order, change: LaunchChange) -> Preflight:
        """Return whether a change could be made; changes nothing, not even the fence."""

    async def stop(self, order: Order, grace_seconds: float, restore_after_seconds: float) -> Stopped:
        """Stop a server with all it started; arms the timer that restores it should nobody come back."""

    async def start(
        self, order: Order, change: LaunchChange, spec_hash: str, restore_after_seconds: float
    ) -> Started:
        """Start a stopped server with a change; refuses when the result is not the launch of `spec_hash`."""

    async def status(self, server: str, log_offset: int, log_limit: int) -> ServerStatus:
        """Return a server's state and the next piece of its log."""

    async def probe(
        self, server: str, kinds: Sequence[ProbeKind], model: str, timeout_seconds: float
    ) -> tuple[ProbeAnswer, ...]:
        """Ask the running server each question over its own port, from the host itself, one after the other.

        The answers come in the order of the questions; each may take so many seconds.
        """

    async def commit(self, order: Order) -> Snapshot:
        """Keep the launch that runs now as the registered one, and take the timer off."""

    async def restore(self, order: Order, restore_after_seconds: float) -> Started:
        """Stop whatever runs and start the launch that was registered before this run."""

    async def close(self) -> None:
        """Give back connections."""
