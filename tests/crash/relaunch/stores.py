"""Where the bots of the matrix keep their runs, and how that place goes away for a while. Not tests."""

import asyncio
import sqlite3
import tempfile
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Protocol

from bot.store.database import Database
from tests.postgres.cluster import Cluster, a_running_cluster


class Store(Protocol):
    """One store of some bots."""

    name: str
    url: str
    #: of the journal in it
    journal_key: Path

    def gone(self):
        """Make it unusable for as long as the context lasts."""

    async def break_lead(self, database: Database) -> None:
        """Take the lead from a bot that does not notice."""


class SqliteStore:
    """A file, with the engine's beside it. Who leads is told by a lock on a third one."""

    name = "sqlite"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"sqlite+aiosqlite:///{folder}/store.db"
        self.journal_key = folder / "journal.key"

    @asynccontextmanager
    async def gone(self):
        """Somebody else writes and does not come to an end."""
        with ExitStack() as stack:
            for name in ("store.db", "store-engine.db"):
                stack.enter_context(await asyncio.to_thread(self._taken, name))
            yield

    def _taken(self, name: str):
        connection = sqlite3.connect(
            self.folder / name, timeout=60, isolation_level=None, check_same_thread=False
        )
        connection.execute("BEGIN IMMEDIATE")
        return closing(connection)

    async def break_lead(self, database: Database) -> None:
        """As a person does who takes a bot that hangs for dead."""
        del database
        (self.folder / "leader.lock").unlink()


class PostgresStore:
    """A schema of a PostgreSQL; its advisory lock tells who leads."""

    name = "postgres"

    def __init__(self, cluster: Cluster, journal_key: Path) -> None:
        self.cluster = cluster
        self.url = cluster.url
        self.journal_key = journal_key

    @asynccontextmanager
    async def gone(self):
        await asyncio.to_thread(self.cluster.stop)
        try:
            yield
        finally:
            await asyncio.to_thread(self.cluster.start)

    async def break_lead(self, database: Database) -> None:
        """As a network does that loses the leader's connection."""
        async with database.writing() as connection:
            await connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
            )


@contextmanager
def a_postgres_store():
    """Run a server of its own."""
    # a socket's path must be short
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        Path(folder).chmod(0o755)
        with a_running_cluster(Path(folder) / "c") as cluster:
            yield PostgresStore(cluster, Path(folder) / "journal.key")
