"""The Web API's methods, each with the scopes it needs; importing this package fills `METHODS`."""

from tests.fakes.slack.methods import chat, conversations, files, others
from tests.fakes.slack.methods.registry import METHODS, Call

__all__ = ["METHODS", "Call", "chat", "conversations", "files", "others"]
