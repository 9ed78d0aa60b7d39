"""Cards for when a paste could not be looked at. Pure. Not for what a diagnosis says."""

from __future__ import annotations

from adapters.chat.interface import (
    Card,
    ChatError,
    FileGoneError,
    FileTooLargeError,
    Paragraph,
    Section,
    Tone,
)
from bot.locale import say
from bot.triage.looking.pool import LookingTooLongError
from bot.triage.showing.defang import defang

_MIB = 1 << 20


def empty_card(language: str) -> Card:
    """Return the card for somebody who asked and sent nothing."""
    return _card(say("card.trouble.empty", language), language)


def trouble_card(error: Exception, entry_id: str, language: str) -> Card:
    """Return the card that says what went wrong and what to do; of unknown errors it says where to look."""
    return _card(_sentence(error, entry_id, language), language)


def _sentence(error: Exception, entry_id: str, language: str) -> str:
    match error:
        case LookingTooLongError():
            return say("card.trouble.too-long", language, seconds=f"{error.seconds:g}")
        case FileGoneError():
            return say("card.trouble.file-gone", language, name=defang(error.name))
        case FileTooLargeError():
            limit = f"{error.limit_bytes // _MIB} MiB"
            name = defang(error.name)
            return say(
                "card.trouble.file-too-large", language, name=name, limit=limit, bytes=error.limit_bytes
            )
        case ChatError():
            return str(error)
    return say("card.trouble.broken", language, id=entry_id)


def _card(sentence: str, language: str) -> Card:
    title = say("card.trouble.title", language)
    return Card(
        title=title,
        summary=f"{title}. {sentence}",
        tone=Tone.WARNING,
        sections=(Section("", (Paragraph(sentence),)),),
        language=language,
    )
