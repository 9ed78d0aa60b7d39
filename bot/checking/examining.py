"""What stops the start of launches on hosts, by the shipped rules. Not for launches that somebody typed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rules.engine.preflight import Known, NoLaunchError, Severity, examine, read_launch
from rules.engine.preflight.start import start_preflight

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.relaunch.sweeping import Examined
    from rules.engine.preflight.answering import Answers


class ShippedExaminer:
    """Rules and release facts, made when they are first needed; meets `bot.relaunch.sweeping.Examiner`."""

    def __init__(self) -> None:
        self._answers: Answers | None = None
        self._turn = asyncio.Lock()

    async def faults(self, launch: Examined) -> Mapping[str, str]:
        """Return rule → sentence for all that stops the start. Raises `CatalogueError`."""
        async with self._turn:
            return await asyncio.to_thread(self._faults, launch)

    def _faults(self, launch: Examined) -> Mapping[str, str]:
        if self._answers is None:
            self._answers = start_preflight()
        try:
            read = read_launch(launch.argv, launch.env)
        except NoLaunchError:
            # a script of the owner's starts it: what that runs is not told by its name
            return {}
        known = Known(vllm_version=launch.vllm_version, gpu=launch.gpu)
        found = examine(read, known, self._answers).findings
        return {one.rule: one.text for one in found if one.severity is Severity.BLOCKS_START}
