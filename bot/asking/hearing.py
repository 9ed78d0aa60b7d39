"""Which messages hold a question in words, and what it is asked with. Pure; not for answering."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.chat.interface import Trigger
from bot.asking.asked import Asked, Known
from bot.asking.requests import Request, read_request
from bot.locale import supported

if TYPE_CHECKING:
    from adapters.chat.interface import Capabilities, IncomingMessage
    from bot.store.interface import Incident

#: how somebody speaks to us in words; a form or a menu is always about a paste
_SPOKEN = frozenset({Trigger.MENTION, Trigger.COMMAND})
#: characters of Chinese that make the words Chinese
_ENOUGH = 2


def question_in(message: IncomingMessage) -> Request | None:
    """Return the question that a message asks in words; None for everything that is to be diagnosed."""
    if message.trigger not in _SPOKEN or message.files:
        return None
    return read_request(message.text)


def asked_of(message: IncomingMessage, limits: Capabilities, incident: Incident | None) -> Asked:
    """Return the question with its language and what the thread knows. Raises `ValueError` without one."""
    request = question_in(message)
    if request is None:
        raise ValueError("the message asks nothing in words")
    known = Known() if incident is None else Known(incident.vllm_version, incident.gpu, incident.model)
    return Asked(request, limits, _language(message), known)


def _language(message: IncomingMessage) -> str:
    if message.language:
        return supported(message.language)
    chinese = sum("\u4e00" <= character <= "\u9fff" for character in message.text)
    return "zh" if chinese >= _ENOUGH else "en"
