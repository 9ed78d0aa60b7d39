"""What can go wrong between us and a chat platform. Not for faults of what is said there."""

from __future__ import annotations


class ChatError(Exception):
    """A chat platform did not do what was asked; says which one, what, and what to do next."""

    def __init__(self, platform: str, what: str, next_step: str) -> None:
        super().__init__(f"{platform}: {what}. {next_step}")
        self.platform = platform
        self.what = what
        self.next_step = next_step


class RateLimitedError(ChatError):
    """The platform wants to be left alone for a while."""

    def __init__(self, platform: str, retry_after_s: float) -> None:
        super().__init__(platform, "too many requests", f"Try again in {retry_after_s:g} seconds.")
        self.retry_after_s = retry_after_s


class NotAllowedError(ChatError):
    """The platform refuses for good until somebody changes a permission."""

    def __init__(self, platform: str, what: str, permission: str) -> None:
        super().__init__(platform, what, f"Grant {permission}.")
        self.permission = permission


class TooLongError(ChatError):
    """A part of a reply exceeds what the platform takes."""

    def __init__(self, platform: str, part: str, length: int, limit: int) -> None:
        what = f"{part} has {length} characters of {limit}"
        super().__init__(platform, what, "Shorten it or attach it as a file.")
        self.part = part
        self.length = length
        self.limit = limit


class UnreachableError(ChatError):
    """The platform did not answer; what was asked may or may not have happened."""

    def __init__(self, platform: str, what: str) -> None:
        super().__init__(platform, f"no answer to {what}", "Look for the own reply before trying again.")
        #: False: it broke before anything could be seen
        self.may_be_out = True


class CannotTellError(ChatError):
    """Whether a reply is out cannot be told: nothing may be read where it would stand."""

    def __init__(self, platform: str, permission: str) -> None:
        super().__init__(platform, "what stands there may not be read", f"Grant {permission}.")


class FileGoneError(ChatError):
    """A file can no longer be read."""

    def __init__(self, platform: str, name: str) -> None:
        super().__init__(platform, f"the file {name} is gone", "Ask for it to be sent again.")
        self.name = name


class FileTooLargeError(ChatError):
    """A file exceeds what is read."""

    def __init__(self, platform: str, name: str, limit_bytes: int) -> None:
        what = f"the file {name} has more than {limit_bytes} bytes"
        super().__init__(platform, what, "Send the last part of it.")
        self.name = name
        self.limit_bytes = limit_bytes
