"""What the stages of both fakes have in common: the bot on them, and waiting for what it says.

Not for a platform: each stage says how its bot is reached, what it shows, and when it has heard everything.
"""

from abc import ABC, abstractmethod

from tests.fakes.stage import RunningBot, Seen, StartBot
from tests.fakes.watch import Watch


class FakeStage(ABC):
    """The common half of `tests.fakes.stage.Stage`. `open` starts the first bot; end with `close`."""

    def __init__(self, watch: Watch, start_bot: StartBot) -> None:
        self.watch = watch
        self.bot: RunningBot | None = None
        self._start_bot = start_bot

    @abstractmethod
    async def open(self) -> None:
        """Start the bot and wait until the platform reaches it."""

    @abstractmethod
    def answers(self, channel: str = "general") -> list[Seen]:
        """Everything the bot shows in the channel, oldest first."""

    @abstractmethod
    def _current(self, seen: Seen) -> Seen:
        """The same message as it is now."""

    @abstractmethod
    def _heard(self) -> int:
        """A number that grows with everything that is told to the bot."""

    @abstractmethod
    async def _all_heard(self, within_s: float) -> None:
        """Wait until the bot took in all it was told."""

    async def close(self) -> None:
        """Stop the bot; the servers are closed by whoever opened them."""
        if self.bot:
            await self.bot.stop()

    async def next_answer(self, after: int = 0, *, channel: str = "general", within_s: float = 5.0) -> Seen:
        return await self.watch.until(
            lambda: answers[after] if len(answers := self.answers(channel)) > after else None,
            f"answer {after + 1} in #{channel}",
            within_s,
        )

    async def changed(self, answer: Seen, *, within_s: float = 5.0) -> Seen:
        await self.watch.until(
            lambda: self._current(answer).edits > answer.edits, "the answer to be edited", within_s
        )
        return self._current(answer)

    async def settled(self, within_s: float = 5.0) -> None:
        told = -1
        while told != (told := self._heard()):
            await self._all_heard(within_s)
            if self.bot:
                await self.bot.idle()

    async def restart(self, *, kill: bool = False) -> None:
        assert self.bot, "the stage was never opened"
        await (self.bot.kill() if kill else self.bot.stop())
        await self.open()
