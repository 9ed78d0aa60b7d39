"""Follows logs until told to stop, and has each failure told once. Not for reading a log, nor for its diagnosis."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bot.cli.answer.answering import given_of, language_of, ready_engine
from bot.cli.exits import ExitCode, verdict_code
from bot.cli.terminal import complain
from bot.cli.watch.followed import Followed
from bot.cli.watch.opening import open_source, spoken
from bot.cli.watch.telling import teller_of
from bot.clock import system_clock
from bot.ending import told_to_end
from bot.watching.judging import judge
from bot.watching.known import is_worth_saying
from bot.watching.watchman import Watchman

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.cli.answer.request import Request
    from bot.cli.watch.telling import Teller
    from bot.watching.judging import Engine
    from bot.watching.watchman import Case
    from rules.engine.paste.facts import Given
    from rules.engine.report import Status

#: seconds between two looks at the logs
_LOOK_S: Final = 0.2
#: seconds between two times that it is kept how far a log was read
_KEEP_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to be followed, and how."""

    request: Request
    quiet_s: float
    #: None: the terminal
    channel: str | None
    from_start: bool
    once: bool


@dataclass(slots=True)
class _Watch:
    wish: Wish
    engine: Engine
    given: Given
    language: str
    teller: Teller
    logs: Sequence[Followed]
    raised: list[Status] = field(default_factory=list)
    _kept_at: float = 0.0

    @property
    def is_done(self) -> bool:
        """Tell whether nothing more is to be looked at."""
        return (self.wish.once and bool(self.raised)) or all(log.source.is_ended for log in self.logs)

    async def run(self, told: asyncio.Event) -> None:
        """Look at the logs in turn until told to stop, or until there is nothing more to look at."""
        while not told.is_set() and not self.is_done:
            for log in self.logs:
                for case in log.cases(_now()):
                    await self._judge(log, case)
            if _now() - self._kept_at >= _KEEP_S:
                await self.keep()
            if any(log.source.is_full for log in self.logs):
                await asyncio.sleep(0)
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_S):
                    await told.wait()

    async def keep(self) -> None:
        """Keep for the next life how far each log was read and what was told."""
        self._kept_at = _now()
        for log in self.logs:
            remembered = log.to_remember()
            if remembered is not None:
                await self.teller.remember(log.name, remembered)

    async def _judge(self, log: Followed, case: Case) -> None:
        if self.wish.once and self.raised:
            return
        finding = await asyncio.to_thread(judge, self.engine, case, self.given, self.language)
        if not finding.is_worth_raising:
            if case.is_final:
                log.watchman.was_nothing(case, _now())
            return
        status, started_at = finding.report.status, log.watchman.started_at
        count = log.known.count(finding.fingerprint, status, finding.log.identity, _now(), started_at)
        log.watchman.was_failure()
        if count == 1:
            await self.teller.tell(log.name, log.source.identity, finding)
            self.raised.append(status)
            await self.keep()
        elif is_worth_saying(count):
            complain(f"{spoken(log.name)}: {count} starts ended with this failure by now: {finding.title}")


def watch_until_told(wish: Wish) -> int:
    """Follow the logs until told to end; returns the exit code. Raises `CommandError`."""
    if wish.channel is None:
        return asyncio.run(_watch(wish))
    from bot.cli.running.starting import run  # noqa: PLC0415 (the store is slow to import)

    return run(_watch(wish))


async def _watch(wish: Wish) -> int:
    told = told_to_end()
    given, language = given_of(wish.request), language_of(wish.request)
    async with AsyncExitStack() as stack:
        teller = await stack.enter_async_context(teller_of(wish.channel, wish.request, given))
        logs = []
        for name in wish.request.files:
            known = await teller.recall(name)
            source = open_source(name, from_start=wish.from_start, mark=known.mark if known else None)
            stack.callback(source.close)
            log = Followed(name, source, Watchman(wish.quiet_s))
            log.known.raised = known.raised if known else {}
            log.begin()
            logs.append(log)
        engine = await asyncio.to_thread(ready_engine)
        watch = _Watch(wish, engine, given, language, teller, logs)
        # from here on nothing is lost, whatever ends this process
        await watch.keep()
        complain(f"following {', '.join(spoken(log.name) for log in logs)}; Ctrl-C ends it")
        await watch.run(told)
        await watch.keep()
    return verdict_code(watch.raised) if wish.once else ExitCode.SOUND


def _now() -> float:
    return system_clock().timestamp()
