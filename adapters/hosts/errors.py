"""What can go wrong between us and a host. Not for faults of a server on it."""

from __future__ import annotations

from enum import StrEnum


class RefusalCode(StrEnum):
    """Why a host did not do what it was asked, in the words of the wire."""

    #: the request is not one the helper knows, or a value is out of bounds
    BAD_REQUEST = "bad-request"
    #: the host's own allow-list does not hold the server, variable, flag or value
    NOT_ALLOWED = "not-allowed"
    #: a newer run was seen: this one is over
    FENCED = "fenced"
    #: another run holds the server
    BUSY = "busy"
    #: what was to be changed is no longer what it was
    CHANGED = "changed"
    #: the host cannot do it (no such unit, no engine, no rights)
    UNABLE = "unable"


class HostError(Exception):
    """A host could not be used; says which, what failed and what to do."""

    def __init__(self, host: str, what: str, next_step: str = "") -> None:
        super().__init__(f"host {host}: {what}" + (f"; {next_step}" if next_step else ""))
        self.host = host
        self.what = what
        self.next_step = next_step


class HostUnreachableError(HostError):
    """No connection was made: nothing was asked of the host, so nothing happened there."""


class OutcomeUnknownError(HostError):
    """The request may have reached the host, and no answer came: ask again with the same key."""


class DefiniteError(HostError):
    """Asking again gives the same answer until somebody changes something."""


class BrokenHostError(DefiniteError):
    """The host, the way to it or its helper is not in order, and a person has to mend it.

    Most such faults keep everything from being done; a helper that breaks down may have acted before.
    """


class RefusedError(DefiniteError):
    """The host answered that it will not, and did nothing."""

    def __init__(self, host: str, code: RefusalCode, what: str, next_step: str = "") -> None:
        super().__init__(host, what, next_step)
        self.code = code


class JudgeError(Exception):
    """No answer came from another Python's vLLM; says what failed and what to do."""
