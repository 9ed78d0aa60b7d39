"""Checks a launch that somebody wrote in chat. Not for how a launch is judged, nor for the command line."""

from __future__ import annotations

import shlex
from functools import cache
from typing import TYPE_CHECKING

from bot.asking.cards.findings import findings_card
from bot.asking.cards.help import need_card
from bot.locale import say
from rules.engine.launch_files import FoundLaunch, read_launches
from rules.engine.preflight import Known, Launch, Machine, NoLaunchError, examine, read_launch
from rules.engine.preflight.answering import Answers
from rules.engine.start import compiled_of

if TYPE_CHECKING:
    from adapters.chat.interface import Card
    from bot.asking.asked import Asked
    from bot.asking.requests import CheckRequest

#: what the text is read as, where it is more than one command
_AS_SCRIPT, _AS_FILE = "launch.sh", ""


def check_card(request: CheckRequest, asked: Asked) -> Card:
    """Return what a launch would do, as a card."""
    language = request.language or asked.language
    launch = launch_of(request.launch)
    if launch is None:
        return need_card("check", say("asking.need.launch", language), language)
    gpu = request.gpu or asked.known.gpu
    machine = Machine.named(gpu) if gpu else None
    known = Known(request.version or asked.known.version, machine or Machine())
    return findings_card(examine(launch, known, _answers(), language), gpu)


def launch_of(text: str) -> Launch | None:
    """Return the launch that a text holds: a command, a small script, or a file; None without one."""
    try:
        return read_launch(shlex.split(text.replace("\\\n", " "), comments=True))
    except (NoLaunchError, ValueError):
        pass
    for name in (_AS_FILE, _AS_SCRIPT):
        for found in read_launches(name, text).launches:
            return _launch(found)
    return None


def _launch(found: FoundLaunch) -> Launch:
    words = found.arguments
    head = found.argv[: len(found.argv) - len(words)]
    return Launch(
        head=head,
        words=words,
        env=found.env,
        unset=found.unset,
        image=found.image,
        unresolved=found.unresolved,
    )


@cache
def _answers() -> Answers:
    """Return the rules that know the fixes, once per worker."""
    return Answers(*compiled_of())
