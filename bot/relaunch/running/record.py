"""Where one run stands: moves it, notes what it does in the journal, and tells its witness. Not for acting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bot.audit.entry import Entry, Stage
from bot.relaunch.interface import News
from bot.relaunch.states import TERMINAL, State
from bot.store.relaunches.interface import Moment, Move, MoveRefusedError
from rules.engine.paste.masking.masker import mask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.relaunch.interface import Tools
    from bot.relaunch.planning.plan import Plan
    from bot.store.relaunches.interface import Relaunch


#: the longest sentence on where a run stands
_LONGEST: Final = 1_000


def plain(detail: str) -> str:
    """Return a sentence as one masked line of printable characters: it may quote a log, a model or a host."""
    line = "".join(character if character.isprintable() else " " for character in detail[: 2 * _LONGEST])
    masked = mask(" ".join(line.split()))[0]
    return masked if len(masked) <= _LONGEST else f"{masked[: _LONGEST - 1]}…"


class RunOverError(Exception):
    """Somebody else ended the run."""

    def __init__(self, state: State) -> None:
        super().__init__(f"the run is {state}")
        self.state = state


class Record:
    """The record of one run."""

    def __init__(self, plan: Plan, tools: Tools) -> None:
        self.plan = plan
        self._plan_hash = plan.hash
        self._tools = tools

    async def row(self) -> Relaunch:
        """Return the run as it is kept. Raises `RunOverError` when it has ended."""
        row = await self._tools.runs.get(self.plan.id)
        if row.state in TERMINAL:
            raise RunOverError(row.state)
        return row

    async def enter(self, to: State, detail: str = "", *entries: Entry, **facts: Any) -> None:  # noqa: ANN401 (JSON)
        """Move to a state unless the run is there already. Raises `RunOverError`."""
        await self._move(Move(self.plan.id, to, self._tools.clock(), plain(detail), facts, entries))

    async def lose_host(self, detail: str) -> None:
        """Say that the host does not answer, and again once it is for another reason."""
        await self._move(Move(self.plan.id, State.HOST_UNKNOWN, self._tools.clock(), plain(detail)))
        if (await self.row()).detail != plain(detail):
            await self.note(f"unknown:{detail}"[:120], detail)

    async def find_host(self) -> None:
        """Say that the host answers again, if it did not."""
        row = await self.row()
        if row.state is State.HOST_UNKNOWN and row.held is not None:
            detail = "The host answers again."
            now = self._tools.clock()
            await self._move(Move(self.plan.id, row.held, now, detail, host_answers=True))

    async def note(
        self, key: str, detail: str, *entries: Entry, facts: Mapping[str, Any] | None = None
    ) -> None:
        """Note something once, however often this is called with the same key."""
        row, detail = await self.row(), plain(detail)
        now = self._tools.clock()
        is_new = await self._tools.runs.note(
            Moment(row.id, key, row.state, now, detail, facts or {}), entries
        )
        if is_new and detail:
            await self._tools.witness.hear(News(row.id, row.state, now, detail))

    def intent(self, act: str, detail: str = "") -> Entry:
        """Return the entry that stands in the journal before an act."""
        return self._entry(Stage.INTENT, act, "", detail)

    def result(self, act: str, outcome: str, detail: str = "") -> Entry:
        """Return the entry that stands in the journal after an act."""
        return self._entry(Stage.RESULT, act, outcome, detail)

    async def tell(self, news: News) -> None:
        """Tell the witness what is not kept."""
        await self._tools.witness.hear(news)

    def _entry(self, stage: Stage, act: str, outcome: str, detail: str) -> Entry:
        return Entry(
            at=self._tools.clock(),
            stage=stage,
            act=act,
            actor="bot",
            outcome=outcome,
            host=self.plan.host,
            server=self.plan.server,
            relaunch=self.plan.id,
            plan_hash=self._plan_hash,
            detail=plain(detail),
        )

    async def _move(self, move: Move) -> None:
        try:
            has_moved = await self._tools.runs.move(move)
        except MoveRefusedError as error:
            if error.state in TERMINAL:
                raise RunOverError(error.state) from error
            raise
        if has_moved:
            await self._tools.witness.hear(News(move.relaunch_id, move.to, move.at, move.detail))
