"""Who wants an act on a host, as the platform or the terminal proved it. Not for what they may."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

#: `slack:TEAM:USER`, `discord:GUILD:USER`, `os:NAME`; ids that a platform gives, never names that people choose
ACTOR_ID: Final = re.compile(
    r"(?:slack|discord):[A-Za-z0-9_-]{1,64}:[A-Za-z0-9_-]{1,64}|os:[^\s:\x00-\x1f]{1,64}"
)
#: `slack:TEAM:group:GROUP`, `discord:GUILD:role:ROLE`
GROUP_ID: Final = re.compile(
    r"slack:[A-Za-z0-9_-]{1,64}:group:S[A-Za-z0-9]{1,63}|discord:[A-Za-z0-9_-]{1,64}:role:[A-Za-z0-9_-]{1,64}"
)


class Surface(StrEnum):
    """Where an act is asked for."""

    SLACK = "slack"
    DISCORD = "discord"
    CONSOLE = "console"
    TERMINAL = "terminal"


#: surfaces where whoever acts was signed in by the operator's own means; a chat id proves an account, not a person
SIGNED_IN: Final = frozenset({Surface.CONSOLE, Surface.TERMINAL})


#: how a platform's groups stand in the registry
GROUP_KINDS: Final = {Surface.SLACK: "group", Surface.DISCORD: "role"}


def group_id(surface: Surface, team: str, group: str) -> str:
    """Return how a platform's group stands in the registry."""
    return f"{surface}:{team}:{GROUP_KINDS[surface]}:{group}"


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody on a surface."""

    surface: Surface
    #: see `ACTOR_ID`
    id: str
    #: groups or roles that the platform itself says they are in, see `GROUP_ID`
    groups: frozenset[str] = frozenset()
    #: why the platform did not say more of them when it was asked, one sentence; empty: it did, or was not asked
    silence: str = ""
    is_bot: bool = False
    #: where it was asked for, on surfaces that have channels
    channel: str = ""
    #: the platform's id of the message, click or request, for the journal
    source: str = ""

    @property
    def is_signed_in(self) -> bool:
        """Tell whether the operator's own means vouch for the person."""
        return self.surface in SIGNED_IN
