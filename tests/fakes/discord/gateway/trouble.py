"""What a gateway does to its clients on bad days; every act hits all connections at once."""

from dataclasses import dataclass

from tests.fakes.discord.gateway.server import Gateway

_RECONNECT, _INVALID = 7, 9


@dataclass
class Trouble:
    """Acts against the clients of a gateway."""

    gateway: Gateway

    def drop(self) -> None:
        """Cut every connection without a word; sessions can be resumed."""
        for connection in list(self.gateway.connections):
            if connection.request.transport:
                connection.request.transport.abort()

    def refuse(self) -> None:
        """Cut everybody off and take nobody back until `accept`."""
        self.gateway.open = False
        self.drop()

    def accept(self) -> None:
        """Take connections again."""
        self.gateway.open = True

    def ask_to_reconnect(self) -> None:
        """Opcode 7: the client closes and resumes."""
        for connection in list(self.gateway.connections):
            connection.send({"op": _RECONNECT, "d": None})

    def invalidate(self, *, resumable: bool = False) -> None:
        """Opcode 9: unless resumable, the session and what it missed are gone."""
        for session in self.gateway.sessions:
            session.alive = session.alive and resumable
        for connection in list(self.gateway.connections):
            connection.send({"op": _INVALID, "d": resumable})

    def close_with(self, code: int) -> None:
        """Close every connection with a close code of Discord's."""
        for connection in list(self.gateway.connections):
            connection.close(code)
