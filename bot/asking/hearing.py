"""Which messages may hold a question in words, and what it is asked with. Pure; not for reading the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.chat.interface import Trigger
from bot.asking.asked import Known, Worded
from bot.asking.requests import may_ask
from bot.locale import supported

if TYPE_CHECKING:
    from adapters.chat.interface import Capabilities, IncomingMessage
    from bot.store.interface import Incident

#: how somebody speaks to us in words; a form or a menu is always about a paste
_SPOKEN = frozenset({Trigger.MENTION, Trigger.COMMAND})
#: characters of Chinese that make the words Chinese
_ENOUGH = 2


def may_be_question(message: IncomingMessage) -> bool:
    """Tell whether a message may ask something in words; all others are to be diagnosed."""
    return message.trigger in _SPOKEN and not message.files and may_ask(message.text)


def worded(message: IncomingMessage, limits: Capabilities, incident: Incident | None) -> Worded:
    """Return the words with their language and with what the thread knows."""
    known = Known() if incident is None else Known(incident.vllm_version, incident.gpu, incident.model)
    return Worded(message.text, limits, _language(message), known)


def _language(message: IncomingMessage) -> str:
    if message.language:
        return supported(message.language)
    chinese = sum("\u4e00" <= character <= "\u9fff" for character in message.text)
    return "zh" if chinese >= _ENOUGH else "en"
