"""An SSH server over a real socket with one forced command, for tests. Not a test."""

import asyncio
import contextlib
import sys
from pathlib import Path

import asyncssh

HELPER = Path(__file__).with_name("stand_in_helper.py")


class SshServer:
    """Listens on loopback; what it runs for whoever is let in is set by the test."""

    def __init__(self, folder):
        self.folder = folder
        self.host_key = asyncssh.generate_private_key("ssh-ed25519")
        self.user_key = asyncssh.generate_private_key("ssh-ed25519")
        self.key_file = folder / "id"
        self.key_file.write_bytes(self.user_key.export_private_key())
        self.key_file.chmod(0o600)
        self.how = "echo"
        self.logins = 0
        self.commands = []
        self.started = asyncio.Event()
        self._connections = []

    @property
    def pinned(self):
        return self.host_key.export_public_key().decode().strip()

    @contextlib.asynccontextmanager
    async def listening(self, *, forwards=False, server_host_keys=None):
        (self.folder / "authorized").write_bytes(self.user_key.export_public_key())
        server = self

        class Session(asyncssh.SSHServer):
            def connection_made(self, conn):
                server._connections.append(conn)

            def auth_completed(self):
                server.logins += 1

            def connection_requested(self, *_):
                return forwards

        acceptor = await asyncssh.create_server(
            Session,
            "127.0.0.1",
            0,
            server_host_keys=server_host_keys or [self.host_key],
            authorized_client_keys=str(self.folder / "authorized"),
            process_factory=self._run,
            encoding=None,
        )
        self.port = acceptor.get_port()
        try:
            yield self
        finally:
            acceptor.close()
            await acceptor.wait_closed()
            self.cut()

    def cut(self):
        """End all connections at once, as a host does that loses its power."""
        for one in self._connections:
            one.abort()
        self._connections.clear()

    async def _run(self, process):
        self.commands.append(process.command)
        self.started.set()
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            str(HELPER),
            self.how,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            out, err = await child.communicate(await process.stdin.read())
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
        process.stdout.write(out)
        process.stderr.write(err)
        process.exit(child.returncode)
