"""What is shown of servers that were only asked: what was fetched, who would fail too. Pure. Not for posting it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from adapters.chat.interface import (
    Bullets,
    Card,
    Code,
    CodeKind,
    Field,
    Fields,
    Paragraph,
    Section,
    Tone,
)
from bot.locale import say
from bot.relaunch.sweeping import Fate
from bot.triage.showing.defang import defang

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.hosts.errors import HostError
    from bot.relaunch.fetching import Fetched
    from bot.relaunch.sweeping import Swept

#: lines and characters of a log that a card shows; all that was fetched is read
_SHOWN_LINES: Final = 15
_SHOWN_CHARACTERS: Final = 1_500
_MASKED: Final = "<masked>"
_HITS: Final = (Fate.WOULD_FAIL, Fate.LIKELY, Fate.POSSIBLE)
_SIGNS: Final = {Fate.WOULD_FAIL: "✗", Fate.LIKELY: "✗", Fate.POSSIBLE: "?"}


def fetched_sections(fetched: Fetched, language: str) -> tuple[Section, ...]:
    """Return what was fetched of a server, for the card that says what it comes to."""
    heading = say("servers.fetched", language, server=fetched.server, host=fetched.host)
    read = Paragraph(say("servers.fetched.read", language, count=len(fetched.lines)))
    sections = [Section(heading, (_facts(fetched, language), read))]
    if fetched.lines:
        label = say("servers.fetched.lines", language)
        sections.append(Section(label, (_quoted(_last(fetched.lines), label),), detail=True))
    label = say("servers.fetched.launch", language)
    launch = "\n".join((*fetched.variables, " ".join(fetched.argv)))
    sections.append(Section(label, (_quoted(launch, label),), detail=True))
    return tuple(sections)


def launch_line(fetched: Fetched) -> str:
    """Return a launch as one line of shell, without what the host masked."""
    known = [one for one in fetched.variables if _MASKED not in one]
    return shlex.join((*known, *(word for word in fetched.argv if _MASKED not in word)))


def sweep_card(rule: str, swept: Sequence[Swept], language: str) -> Card:
    """Return which servers would fail the same way, the worst first."""
    hits = [one for fate in _HITS for one in swept if one.fate is fate]
    key = "servers.swept.some" if hits else "servers.swept.none"
    title = say(key, language, count=len(hits), total=len(swept))
    silent = [one for one in swept if one.fate is Fate.UNKNOWN]
    clear = [f"{one.server}: {_reason(one, language)}" for one in swept if one.fate is Fate.CLEAR]
    opening = Section("", (Paragraph(say("servers.swept.rule", language, rule=f"`{rule}`")),))
    listed = (
        ("servers.swept.hits", [_line(one, language) for one in hits], False),
        ("servers.swept.unknown", [_line(one, language) for one in silent], False),
        ("servers.swept.clear", clear, True),
    )
    sections = tuple(
        Section(say(heading, language), (Bullets(tuple(lines)),), detail=is_detail)
        for heading, lines, is_detail in listed
        if lines
    )
    tone = Tone.BAD if hits else Tone.WARNING if silent else Tone.GOOD
    return Card(title=title, summary=title, tone=tone, sections=(opening, *sections), language=language)


def no_answer_card(server: str, error: HostError | LookupError, language: str) -> Card:
    """Return that a host could not be asked, and what to do."""
    what = str(error) if isinstance(error, LookupError) else error.what
    title = say("servers.no-answer", language, server=server, what=defang(what))
    step = "" if isinstance(error, LookupError) else error.next_step
    following = Paragraph(say("servers.no-answer.next", language, what=defang(step)))
    sections = (Section("", (following,)),) if step else ()
    return Card(title=title, summary=title, tone=Tone.WARNING, sections=sections, language=language)


def _facts(fetched: Fetched, language: str) -> Fields:
    unknown = say("servers.fetched.unknown", language)
    state = say(f"servers.fetched.state.{fetched.state}", language)
    if fetched.exit_code is not None:
        state = say("servers.fetched.exit", language, state=state, code=fetched.exit_code)
    gpus = ", ".join(dict.fromkeys(fetched.gpus or ()))
    if fetched.gpus is None:
        gpus = unknown
    facts = (
        ("state", state),
        ("release", fetched.vllm_version or unknown),
        ("gpus", gpus or say("servers.fetched.gpus.none", language)),
        ("restarts", str(fetched.restarts)),
    )
    return Fields(
        tuple(Field(say(f"servers.fetched.{name}", language), defang(value)) for name, value in facts)
    )


def _last(lines: Sequence[str]) -> str:
    """Return the last lines that a card has room for; the newest one at least, cut."""
    shown: list[str] = []
    room = _SHOWN_CHARACTERS
    for line in reversed(lines[-_SHOWN_LINES:]):
        room -= len(line) + 1
        if room < 0:
            break
        shown.append(line)
    return "\n".join(reversed(shown)) or lines[-1][:_SHOWN_CHARACTERS]


def _quoted(text: str, label: str) -> Code:
    return Code(defang(text), CodeKind.QUOTE, label)


def _line(swept: Swept, language: str) -> str:
    told = say(
        "servers.swept.line",
        language,
        server=swept.server,
        host=swept.host,
        release=swept.vllm_version or "?",
        fate=say(f"servers.fate.{swept.fate}", language),
        reason=_reason(swept, language),
    )
    sign = _SIGNS.get(swept.fate)
    return f"{sign} {told}" if sign else told


def _reason(swept: Swept, language: str) -> str:
    return defang(swept.told.in_language(language) if swept.told is not None else swept.reason)
