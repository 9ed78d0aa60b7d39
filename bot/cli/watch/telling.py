"""Where `watch` tells of a failure: on the terminal, or in a channel of the bot. Not for what it tells."""

from __future__ import annotations

import socket
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bot.cli.answer.answering import show
from bot.cli.answer.inputs import shown
from bot.cli.answer.request import STDIN
from bot.cli.exits import CommandError, ExitCode
from bot.cli.terminal import complain
from bot.cli.watch.opening import spoken

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.cli.answer.request import Request
    from bot.watching.judging import Finding
    from bot.watching.remembered import Remembered
    from bot.wiring.raising import StoreRaiser
    from rules.engine.paste.facts import Given


class Teller(Protocol):
    """Whoever hears of failures."""

    async def tell(self, log: str, identity: tuple[int, int], finding: Finding) -> None:
        """Tell of a failure in the log of this name. Raises `CommandError`, `StoreError`."""

    async def recall(self, log: str) -> Remembered | None:
        """Return what an earlier life knew of a log."""

    async def remember(self, log: str, remembered: Remembered) -> None:
        """Keep what the next life needs to know."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """Prints what `diagnose` prints; meets `Teller`."""

    request: Request

    async def tell(self, log: str, identity: tuple[int, int], finding: Finding) -> None:
        """Print the answer. Raises `ReaderGoneError` when nobody reads it."""
        del identity
        show(finding.numbered, shown(log), self.request)

    async def recall(self, log: str) -> Remembered | None:
        """Return nothing: a terminal has no memory."""
        del log
        return None

    async def remember(self, log: str, remembered: Remembered) -> None:
        """Forget it."""


@dataclass(frozen=True, slots=True)
class Channel:
    """Raises incidents for the bot to answer; meets `Teller`."""

    request: Request
    name: str
    raiser: StoreRaiser

    async def tell(self, log: str, identity: tuple[int, int], finding: Finding) -> None:
        """Keep the incident where the bot finds it, and say so."""
        from bot.wiring.raising import Incident  # noqa: PLC0415 (the store is slow to import)

        incident = Incident(
            finding.event_id(identity),
            f"{socket.gethostname()}: {_whole(log)}",
            finding.text.decode("utf-8", "replace"),
            None if self.request.language == "auto" else self.request.language,
        )
        is_new = await self.raiser.raise_incident(incident)
        complain(f"{spoken(log)}: {'raised' if is_new else 'raised before'} in {self.name}: {finding.title}")
        if self.request.as_json:
            show(finding.numbered, shown(log), self.request)

    async def recall(self, log: str) -> Remembered | None:
        """Return what an earlier life knew of a log."""
        return await self.raiser.recall(_whole(log))

    async def remember(self, log: str, remembered: Remembered) -> None:
        """Keep what the next life needs to know."""
        await self.raiser.remember(_whole(log), remembered)


def _whole(log: str) -> str:
    """Return a log's name as it is known from everywhere on this machine."""
    return "standard input" if log == STDIN else shown(str(Path(log).absolute()))


@asynccontextmanager
async def teller_of(channel: str | None, request: Request, given: Given) -> AsyncIterator[Teller]:
    """Give whoever hears of failures. Raises `CommandError`, `StoreError`."""
    if channel is None:
        yield Terminal(request)
        return
    # store and settings are slow to import, and a terminal needs neither
    from bot.cli.running.starting import settings_with  # noqa: PLC0415
    from bot.listening import NotServingError, read_address  # noqa: PLC0415
    from bot.watching.channel import BadChannelError, Unfit  # noqa: PLC0415
    from bot.wiring.raising import raising_in  # noqa: PLC0415

    codes = {
        Unfit.MISNAMED: ExitCode.WRONG_USAGE,
        Unfit.NOT_SET_UP: ExitCode.UNREACHABLE,
        Unfit.NOT_LISTED: ExitCode.NOT_ALLOWED,
    }
    settings = settings_with()
    try:
        async with raising_in(channel, settings, given) as raiser:
            try:
                read_address(settings.state_dir)
            except NotServingError:
                complain("no bot runs here now: what is raised waits in the store until one does")
            yield Channel(request, channel, raiser)
    except BadChannelError as error:
        raise CommandError(f"--channel: {error.what}", error.next_step, codes[error.unfit]) from error
