"""Asks the chat platforms who is in the groups that a decision hangs on. Not for what membership allows.

It fails closed: a platform that does not answer in time puts nobody into any group, and the actor says so.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import structlog

from adapters.chat.interface import ChatError
from bot.access.actor import GROUP_ID, GROUP_KINDS, group_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.chat.interface import ChatPlatform
    from bot.access.actor import Actor, Surface

#: seconds that a platform may take to tell
_PATIENCE_S: Final = 5.0
#: seconds that one that did not is not asked again for a press, which may hang on many servers
_SILENCE_S: Final = 5.0
#: seconds that what it told holds for a press; right before an act nothing old counts
MEMORY_S: Final = 60.0


def groups_at(surface: Surface, ids: frozenset[str]) -> frozenset[str]:
    """Return a platform's own ids of the groups among ids of the registry."""
    begin, kind = f"{surface}:", GROUP_KINDS[surface]
    found = (one.split(":") for one in ids if one.startswith(begin) and GROUP_ID.fullmatch(one))
    return frozenset(words[3] for words in found if words[2] == kind)


@dataclass(frozen=True, slots=True)
class PresentGroups:
    """The groups of people as the platforms know them now."""

    #: filled by whoever runs the platforms; at a terminal there are none
    platforms: dict[str, ChatPlatform] = field(default_factory=dict)
    patience_s: float = _PATIENCE_S
    #: platform → until when it is left alone (by the loop's clock), and why it was silent
    _silent: dict[Surface, tuple[float, str]] = field(default_factory=dict)

    def ask_at(self, platforms: Mapping[str, ChatPlatform]) -> None:
        """Ask these platforms from now on."""
        self.platforms.update(platforms)

    async def completed(self, actor: Actor, among: frozenset[str], age_s: float) -> Actor:
        """Return an actor with those of these groups that they are in, or with why that is not known."""
        kind = GROUP_KINDS.get(actor.surface)
        team, _, person = actor.id.removeprefix(f"{actor.surface}:").partition(":")
        prefix = group_id(actor.surface, team, "") if kind else ""
        names = frozenset(one.removeprefix(prefix) for one in among if kind and one.startswith(prefix))
        if not names:
            return actor
        platform = self.platforms.get(actor.surface.value)
        if platform is None:
            return replace(actor, silence=f"{actor.surface} is not set up in this bot.")
        now = asyncio.get_running_loop().time()
        until, known = self._silent.get(actor.surface, (now, ""))
        if age_s > 0 and now < until:
            return replace(actor, silence=known)
        try:
            async with asyncio.timeout(self.patience_s):
                found = await platform.groups_of(team, person, names, age_s)
        except TimeoutError:
            silence = f"{actor.surface}: no answer within {self.patience_s:g} s."
        except ChatError as error:
            silence = str(error)
        else:
            told = frozenset(group_id(actor.surface, team, name) for name in found & names)
            return replace(actor, groups=actor.groups | told)
        structlog.get_logger(__name__).warning("groups-not-told", actor=actor.id, error=silence)
        self._silent[actor.surface] = (asyncio.get_running_loop().time() + _SILENCE_S, silence)
        return replace(actor, silence=silence)
