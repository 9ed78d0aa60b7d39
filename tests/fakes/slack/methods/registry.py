"""What a Web API method is here, and the list of all of them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.fakes.slack.limits import RefusedError
from tests.fakes.slack.records import Account, Payload

if TYPE_CHECKING:
    from tests.fakes.slack.channel import Channel
    from tests.fakes.slack.workspace import Workspace


@dataclass
class Call:
    """One request to the Web API; `result` is ok, an error code or what went wrong by plan."""

    method: str
    args: Payload
    workspace: "Workspace"
    result: str = ""

    @property
    def account(self) -> Account:
        return self.workspace.accounts["vllm-triage"]

    def need(self, name: str) -> Any:
        """An argument that must be there."""
        value = self.args.get(name)
        if value in (None, ""):
            raise RefusedError("invalid_arguments", f"[ERROR] missing required field: {name}")
        return value

    def channel(self, *, joined: bool = True) -> "Channel":
        """The channel named by id; private ones are not found from outside."""
        found = self.workspace.by_id(str(self.need("channel")))
        if found is None and self.args["channel"].startswith("U"):
            account = self.workspace.by_id(self.args["channel"])
            found = self.workspace.channel(f"dm-{account.name}", kind="im") if account else None
        if found is None or not hasattr(found, "messages"):
            raise RefusedError("channel_not_found")
        inside = self.account.id in found.members
        if not inside and found.kind != "channel":
            raise RefusedError("channel_not_found")
        if joined and not inside:
            raise RefusedError("not_in_channel")
        room: Channel = found
        return room


@dataclass(frozen=True)
class Method:
    """`scopes`: one of them is enough; none means that any token will do."""

    run: Callable[[Call], Awaitable[Payload]]
    scopes: tuple[str, ...]
    app_token: bool = False


METHODS: dict[str, Method] = {}


def method(
    name: str, *scopes: str, app_token: bool = False
) -> Callable[[Callable[[Call], Awaitable[Payload]]], Any]:
    """Register a coroutine as the method of that name."""

    def register(run: Callable[[Call], Awaitable[Payload]]) -> Callable[[Call], Awaitable[Payload]]:
        METHODS[name] = Method(run, scopes, app_token)
        return run

    return register
