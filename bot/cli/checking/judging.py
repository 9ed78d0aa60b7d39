"""Has the installed vLLM judge the launches that `check` looks at, where that was asked for. Not for showing it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from adapters.hosts.errors import JudgeError
from bot.cli.exits import CommandError, ExitCode

if TYPE_CHECKING:
    from bot.checking.checked import Asked, Checked
    from bot.checking.judged import Judgement
    from rules.engine.preflight import Launch

#: importing vLLM takes half a minute on a busy machine
_TIMEOUT_S: Final = 300.0


class Judges:
    """Asks once for each launch, and keeps what was said; without a Python it asks nobody."""

    def __init__(self, python: str | None) -> None:
        self._python = python
        self._said: dict[int, Judgement] = {}

    def told(self, launch: Launch, asked: Asked) -> Asked:
        """Have a launch judged, and return what is asked with the release and GPU that the judge found.

        A launch in a container is not for this machine's vLLM; one with open values cannot be judged.
        """
        if self._python is None or launch.image is not None or launch.unresolved:
            return asked
        from bot.bootstrap.judging import ask_judge  # noqa: PLC0415 (only where a judge is asked)

        try:
            judged = ask_judge(self._python, launch.words, launch.env, _TIMEOUT_S)
        except JudgeError as error:
            raise CommandError(f"--judge: {error}", "", ExitCode.UNREACHABLE) from error
        self._said[id(launch)] = judged
        return replace(asked, vllm_version=asked.vllm_version or judged.release, gpu=asked.gpu or judged.gpu)

    def joined(self, checked: Checked) -> Checked:
        """Return a checked launch with what the judge said of it."""
        return replace(checked, judged=self._said.get(id(checked.launch)))
