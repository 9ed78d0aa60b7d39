"""The team of the demonstration: its rooms, what was said there, the incident to try. Not a real team."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adapters.chat.interface import Person

if TYPE_CHECKING:
    from datetime import datetime

#: who sits before the page of the demonstration
YOU = Person("os:demo", "You")
CHANNELS = ("inference-help", "vision-serving", "lunch")

_MIRA = {"id": "demo:mira", "name": "Mira Holm", "is_bot": False}
_TOMAS = {"id": "demo:tomas", "name": "Tomás Ibarra", "is_bot": False}
_YUE = {"id": "demo:yue", "name": "Yue Lin", "is_bot": False}

#: room, author, minutes ago, words
_SAID = (
    ("vision-serving", _MIRA, 47, "Qwen3-VL goes to the two H100 boxes today, image v0.11.2."),
    ("vision-serving", _YUE, 45, "Keep FlashInfer on if you can, it helped a lot on the text models."),
    ("vision-serving", _TOMAS, 12, "The server does not come up. I will paste the log in #inference-help."),
    ("lunch", _YUE, 90, "Soup or rice?"),
    ("lunch", _MIRA, 88, "Rice. vLLM can wait for an hour."),
)


def sample_incident() -> str:
    """Return the log that the page offers to paste."""
    path = Path(__file__).parent / "web" / "samples" / "qwen3-vl-flashinfer.log"
    return path.read_text(encoding="utf-8")


def said_before(now: datetime) -> list[tuple[str, str, dict[str, Any]]]:
    """Return what was said before the page was opened: room, id, and what the page draws."""
    return [
        (channel, f"sample-{number}", _drawn(f"sample-{number}", author, now - timedelta(minutes=ago), text))
        for number, (channel, author, ago, text) in enumerate(_SAID)
    ]


def _drawn(message_id: str, author: dict[str, Any], at: datetime, text: str) -> dict[str, Any]:
    return {
        "id": message_id,
        "thread": None,
        "author": author,
        "text": text,
        "files": [],
        "fields": {},
        "trigger": "said",
        "at": at.isoformat(),
    }
