"""Checks a launch that somebody wrote in chat. Not for how a launch is judged, nor for the command line."""

from __future__ import annotations

import shlex
from functools import cache
from typing import TYPE_CHECKING

from bot.asking.cards.findings import findings_card
from bot.asking.cards.help import need_card
from bot.checking.checked import Asked as Beside
from bot.checking.checked import CheckedFile, check_file, check_words
from bot.locale import say
from rules.engine.launch_files.kinds import FileKind, file_kind
from rules.engine.preflight import NoLaunchError
from rules.engine.preflight.start import start_preflight

if TYPE_CHECKING:
    from adapters.chat.interface import Card
    from bot.asking.asked import Asked
    from bot.asking.requests import CheckRequest
    from rules.engine.preflight.answering import Answers

#: what a text is read as that is no file of another kind
_SCRIPT = "launch.sh"


def check_card(request: CheckRequest, asked: Asked) -> Card:
    """Return what a launch would do, as a card."""
    language = request.language or asked.language
    gpu = request.gpu or asked.known.gpu
    beside = Beside(request.version or asked.known.version, gpu, language=language)
    found = _checked(request.launch, beside)
    if not found.launches:
        return need_card("check", say("asking.need.launch", language), language)
    worst = next((one for one in found.launches if not one.ok), found.launches[0])
    notes = [remark.text for remark in found.remarks]
    if len(found.launches) > 1 and worst.where is not None:
        notes.append(say("asking.check.several", language, count=len(found.launches), where=worst.where))
    return findings_card(worst.findings, gpu, notes)


def _checked(text: str, beside: Beside) -> CheckedFile:
    """Return what was found; one command by its words, so that a container's fix stays a container's."""
    joined = text.replace("\\\n", " ").strip()
    if "\n" not in joined:
        try:
            return CheckedFile((check_words(shlex.split(joined), {}, beside, _answers()),))
        except (NoLaunchError, ValueError):
            pass
    name = _SCRIPT if file_kind("", text) in {FileKind.SHELL, FileKind.UNKNOWN} else ""
    return check_file(name, text, beside, _answers())


@cache
def _answers() -> Answers:
    """Return the rules that know the fixes, once per worker."""
    return start_preflight()
