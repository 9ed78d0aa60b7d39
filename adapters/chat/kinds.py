"""How a message reached us, who sees a reply, which sign stands beside a message. Not the messages."""

from __future__ import annotations

from enum import StrEnum


class Trigger(StrEnum):
    """How a message reached us; everything but `SAID`, `EDITED` and `WATCHED` is somebody asking."""

    #: said in a place that we listen to, not to us
    SAID = "said"
    #: an earlier message with another text
    EDITED = "edited"
    #: we are named in it, or it is a direct message to us
    MENTION = "mention"
    #: a slash command with text
    COMMAND = "command"
    #: a form that was filled in
    FORM = "form"
    #: somebody pointed at a message (a shortcut or a context menu)
    SHORTCUT = "shortcut"
    #: nobody said it: a log that is followed shows it
    WATCHED = "watched"

    @property
    def is_asking(self) -> bool:
        """Tell whether whoever did this waits for an answer."""
        return self not in {Trigger.SAID, Trigger.EDITED, Trigger.WATCHED}


class Visibility(StrEnum):
    """Who sees a reply."""

    PUBLIC = "public"
    #: only the recipient, where the platform can
    PRIVATE = "private"


class Mark(StrEnum):
    """A small sign beside a message that is no reply; platforms without one ignore it."""

    #: read, being looked at
    WORKING = "working"
    #: read, and there is nothing to say
    QUIET = "quiet"
    #: answered
    ANSWERED = "answered"
    #: looking at it failed
    FAILED = "failed"
