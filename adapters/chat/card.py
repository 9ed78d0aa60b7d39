"""The abstract card: what a reply shows, in parts that every platform can draw. Not for deciding what to say.

All text is plain. The one mark it may hold is a pair of single backticks round code inside a sentence;
whatever else looks like markup is to be shown as it stands, so adapters escape it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Tone(StrEnum):
    """The mood of a card, for a colour or a symbol beside its words (never instead of them)."""

    GOOD = "good"
    NEUTRAL = "neutral"
    WARNING = "warning"
    BAD = "bad"


class ButtonStyle(StrEnum):
    """How loud a button is."""

    QUIET = "quiet"
    PRIMARY = "primary"
    DANGER = "danger"


class CodeKind(StrEnum):
    """What a block of code is for."""

    #: meant to be copied into a shell, byte by byte
    COMMAND = "command"
    #: something quoted, only to be read
    QUOTE = "quote"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One or more sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Subheading:
    """A few words over the parts that follow in the same section."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """A block in a fixed-width font that keeps its line breaks."""

    text: str
    kind: CodeKind
    #: a short name that tells screen readers and copy buttons what this is
    label: str
    #: one sentence that belongs right under the block; empty: none
    note: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """A name with its value."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Fields:
    """Short facts side by side."""

    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A reference to a page; only `http` and `https` addresses, or a path on the platform's own site."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Links:
    """References one below the other."""

    links: tuple[Link, ...]


Part = Paragraph | Subheading | Code | Fields | Bullets | Links


@dataclass(frozen=True, slots=True)
class Section:
    """A headed group of parts."""

    heading: str
    parts: tuple[Part, ...]
    #: a few words in small type beside the heading
    aside: str = ""
    #: detail that a platform may fold away or leave to the attached file
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press. What it carries is an opaque id, never the thing itself."""

    #: what kind of press it is; the receiver tells buttons apart by it
    action: str
    #: opaque, at most 100 characters
    value: str
    label: str
    style: ButtonStyle = ButtonStyle.QUIET
    #: a question to confirm first; empty: none
    confirm: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """One of those that can be chosen."""

    #: opaque, at most 100 characters, another one for each
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of many to choose, where buttons would be too many. What is chosen comes in as a press of the action."""

    action: str
    #: a few words that say what is chosen, shown until it is
    label: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Attachment:
    """A text file that goes with the card and holds what would make it too long."""

    name: str
    text: str
    media_type: str = "text/markdown"


@dataclass(frozen=True, slots=True)
class Card:
    """Everything one reply shows."""

    title: str
    #: the whole answer in one sentence, for notifications and for clients that draw no cards
    summary: str
    tone: Tone = Tone.NEUTRAL
    #: short words beside the title (`certain`, `vLLM 0.11.2`)
    badges: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    buttons: tuple[Button, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    #: language of the text (`en`, `zh`), so that screen readers pronounce it
    language: str = "en"
    choices: tuple[Choice, ...] = ()
