"""What a REST request is here, and the list of all routes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fakes.discord.records import (
    MISSING_ACCESS,
    MISSING_PERMISSIONS,
    UNKNOWN_CHANNEL,
    UNKNOWN_MESSAGE,
    ApiError,
    Channel,
    Message,
    Payload,
)

if TYPE_CHECKING:
    from tests.fakes.discord.posting import Uploads
    from tests.fakes.discord.world import World


@dataclass
class Asked:
    """One request: route such as `POST /channels/{channel_id}/messages`, path values, body, files."""

    route: str
    world: "World"
    path: dict[str, str]
    query: dict[str, str]
    body: Any = None
    uploads: "Uploads" = field(default_factory=list)
    result: str = ""

    def channel(self, *needs: str) -> Channel:
        """The channel of the path; the bot must see it and hold the named permissions."""
        found = self.world.channels.get(self.path["channel_id"])
        if found is None:
            raise ApiError(*UNKNOWN_CHANNEL)
        parent = self.world.channels.get(found.parent_id or "")
        forbidden = found.forbidden | (parent.forbidden if parent else set())
        if "VIEW_CHANNEL" in forbidden:
            raise ApiError(*MISSING_ACCESS)
        if forbidden & set(needs):
            raise ApiError(*MISSING_PERMISSIONS)
        return found

    def message(self, *needs: str) -> Message:
        """The message of the path."""
        found = self.channel(*needs).messages.get(self.path["message_id"])
        if found is None or found.deleted:
            raise ApiError(*UNKNOWN_MESSAGE)
        return found


Run = Callable[[Asked], Awaitable[Payload | list[Payload] | None]]
ROUTES: dict[str, Run] = {}


def route(name: str) -> Callable[[Run], Run]:
    """Register a coroutine for `METHOD /path`; None is answered with 204."""

    def register(run: Run) -> Run:
        ROUTES[name] = run
        return run

    return register
