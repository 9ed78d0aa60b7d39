"""The platforms that the bot is on, each running by itself. Not for what is said there."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from adapters.chat.interface import NotAllowedError
from bot.intake.threshold import Threshold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.chat.interface import ChatPlatform, Click, Inbox, IncomingMessage
    from bot.intake.threshold import Admission
    from bot.telemetry.figures import Figures

#: seconds before a platform that broke is started again; doubles up to the second
_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 60.0


@dataclass(frozen=True, slots=True)
class Connection:
    """One platform and what is looked at there."""

    platform: ChatPlatform
    admission: Admission
    is_connected: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class _Counted:
    """An inbox that counts what goes in; meets `Inbox`."""

    inside: Inbox
    platform: str
    admission: Admission
    figures: Figures

    async def accept(self, event: IncomingMessage | Click) -> bool:
        began = time.monotonic()
        result = "failed"
        try:
            is_new = await Threshold(self.inside, self.admission).accept(event)
            result = "kept" if is_new else "known" if self.admission.admits(event) else "not-ours"
        finally:
            self.figures.heard(self.platform, result, time.monotonic() - began)
        return is_new


class Connections:
    """Runs every platform until cancelled; one that fails does not stop the others."""

    def __init__(self, connections: Sequence[Connection], inbox: Inbox, figures: Figures) -> None:
        self._connections = {one.platform.name: one for one in connections}
        self._inbox = inbox
        self._figures = figures
        self._refused: dict[str, str] = {}
        self._log = structlog.get_logger(__name__)

    async def run(self) -> None:
        """Run them; a platform that refuses the bot for good is left alone."""
        await asyncio.gather(*(self._keep(one) for one in self._connections.values()))

    def connected(self) -> dict[str, bool]:
        """Return for each platform whether events can arrive."""
        return {name: one.is_connected() for name, one in self._connections.items()}

    def faults(self) -> list[str]:
        """Return a sentence for each platform from which nothing arrives."""
        return [
            f"{name} refused the bot: {self._refused[name]}"
            if name in self._refused
            else f"{name} is not connected"
            for name, is_connected in self.connected().items()
            if not is_connected
        ]

    async def _keep(self, connection: Connection) -> None:
        name = connection.platform.name
        inbox = _Counted(self._inbox, name, connection.admission, self._figures)
        pause = _PAUSE_S
        while True:
            try:
                await connection.platform.run(inbox)
            except NotAllowedError as error:
                self._refused[name] = str(error)
                self._log.error("platform-refused", platform=name, error=str(error))
                return
            except Exception as error:  # noqa: BLE001 (outermost loop: one platform must not stop the others)
                self._log.warning("platform-broke", platform=name, error=repr(error))
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_S)
