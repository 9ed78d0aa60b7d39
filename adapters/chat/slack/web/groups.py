"""Asks Slack who is in its user groups. Not for what membership allows.

Slack tells no groups with a press. Asking takes `usergroups:read`, which the manifest wants only where the
registry names groups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.chat.errors import ChatError
from adapters.chat.short_memory import ShortMemory
from adapters.chat.slack.options import NAME
from adapters.chat.slack.web.faults import RefusedError

if TYPE_CHECKING:
    from adapters.chat.slack.web.api import Api

#: groups whose members are remembered; a registry names a handful
_MOST_GROUPS: Final = 200
#: Slack's words for a group that is not there, or that somebody switched off: nobody is in it
GONE: Final = frozenset({"no_such_subteam", "subteam_not_found"})


class UserGroups:
    """The user groups of one workspace."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._members: ShortMemory[str, frozenset[str]] = ShortMemory(_MOST_GROUPS)
        self._team: str | None = None

    async def of(self, team: str, person_id: str, among: frozenset[str], age_s: float) -> frozenset[str]:
        """Return which of these groups a person is in, as of `age_s` seconds ago at most. Raises `ChatError`."""
        if team != await self._own_team():
            raise ChatError(
                NAME, "the groups of another workspace cannot be asked for", "Check the registry."
            )
        # one after the other: there are few, and Slack takes some twenty such questions a minute
        return frozenset([one for one in sorted(among) if person_id in await self.members(one, age_s)])

    async def members(self, group: str, age_s: float = 0.0) -> frozenset[str]:
        """Return the ids of all people in a group; none in one that is gone. Raises `ChatError`."""
        known = self._members.find(group, age_s)
        if known is not None:
            return known
        try:
            answer = await self._api.call(self._api.client.usergroups_users_list, usergroup=group)
        except RefusedError as refused:
            if refused.code not in GONE:
                raise
            answer = {}
        told = answer.get("users", [])
        members = frozenset(str(one) for one in told) if isinstance(told, list) else frozenset()
        self._members.keep(group, members)
        return members

    async def _own_team(self) -> str:
        if self._team is None:
            self._team = str((await self._api.call(self._api.client.auth_test))["team_id"])
        return self._team
