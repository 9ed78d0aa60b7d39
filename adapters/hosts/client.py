"""A host whose verbs are done by the helper on it. Not for how a request gets there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from adapters.hosts.errors import BrokenHostError
from adapters.hosts.records import (
    HostFacts,
    LaunchChange,
    Order,
    Preflight,
    ProbeAnswer,
    Probed,
    ProbeKind,
    ServerStatus,
    Snapshot,
    Started,
    Stopped,
)
from adapters.hosts.wire import record_of, request_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adapters.hosts.transport.interface import Transport

Record = TypeVar("Record")

#: seconds for looking
_LOOK: Final = 20.0
#: seconds for an act besides what it waits for on the host
_ACT: Final = 90.0


class HelperHost:
    """One machine with a helper; meets `Host`."""

    def __init__(self, name: str, transport: Transport) -> None:
        self._name = name
        self._transport = transport

    @property
    def name(self) -> str:
        """Return the name in the registry."""
        return self._name

    async def facts(self) -> HostFacts:
        """Return what is true of the machine."""
        return await self._ask("facts", {}, 2 * _LOOK, HostFacts)

    async def snapshot(self, server: str) -> Snapshot:
        """Return how a server is registered and runs."""
        return await self._ask("snapshot", {"server": server}, _LOOK, Snapshot)

    async def preflight(self, order: Order, change: LaunchChange) -> Preflight:
        """Return whether a change could be made; changes nothing."""
        return await self._ask("preflight", {**_order(order), **_change(change)}, 2 * _LOOK, Preflight)

    async def stop(self, order: Order, grace_seconds: float, restore_after_seconds: float) -> Stopped:
        """Stop a server with all it started."""
        body = {
            **_order(order),
            "grace_seconds": grace_seconds,
            "restore_after_seconds": restore_after_seconds,
        }
        return await self._ask("stop", body, grace_seconds + _ACT, Stopped)

    async def start(
        self, order: Order, change: LaunchChange, spec_hash: str, restore_after_seconds: float
    ) -> Started:
        """Start a stopped server with a change."""
        body = {
            **_order(order),
            **_change(change),
            "spec_hash": spec_hash,
            "restore_after_seconds": restore_after_seconds,
        }
        return await self._ask("start", body, _ACT, Started)

    async def status(self, server: str, log_offset: int, log_limit: int) -> ServerStatus:
        """Return a server's state and the next piece of its log."""
        body = {"server": server, "log_offset": log_offset, "log_limit": log_limit}
        return await self._ask("status", body, _LOOK, ServerStatus)

    async def probe(
        self, server: str, kinds: Sequence[ProbeKind], model: str, timeout_seconds: float
    ) -> tuple[ProbeAnswer, ...]:
        """Ask the running server each question over its own port, from the host itself, one after the other."""
        body = {
            "server": server,
            "kinds": [kind.value for kind in kinds],
            "model": model,
            "timeout_seconds": timeout_seconds,
        }
        answers = (await self._ask("probe", body, timeout_seconds * len(kinds) + _LOOK, Probed)).answers
        if [answer.kind for answer in answers] != list(kinds):
            raise BrokenHostError(self._name, "the helper answered other questions than it was asked")
        return answers

    async def commit(self, order: Order) -> Snapshot:
        """Keep the launch that runs now as the registered one."""
        return await self._ask("commit", _order(order), _LOOK, Snapshot)

    async def restore(self, order: Order, restore_after_seconds: float) -> Started:
        """Stop whatever runs and start the launch that was registered before this run."""
        body = {**_order(order), "restore_after_seconds": restore_after_seconds}
        return await self._ask("restore", body, 2 * _ACT, Started)

    async def close(self) -> None:
        """Give back connections."""
        await self._transport.close()

    async def _ask(self, verb: str, body: Mapping[str, Any], seconds: float, kind: type[Record]) -> Record:
        return record_of(self._name, await self._transport.run(request_bytes(verb, body), seconds), kind)


def _order(order: Order) -> dict[str, Any]:
    return {"order": {"server": order.server, "key": order.key, "fence": order.fence}}


def _change(change: LaunchChange) -> dict[str, Any]:
    return {
        "change": {
            "env_unset": list(change.env_unset),
            "env_set": dict(change.env_set),
            "flags_set": dict(change.flags_set),
            "flags_unset": list(change.flags_unset),
        }
    }
