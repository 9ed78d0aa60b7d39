"""Opens the database, brings it up to date, closes it. Not for what is kept in it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from errno import ENOSPC
from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncTransaction, create_async_engine

from bot.store.interface import StoreError
from bot.store.whole import WholeConnection, whole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sqlalchemy.engine import Connection
    from sqlalchemy.engine.interfaces import DBAPIConnection

#: how long a writer waits for another one
_BUSY_TIMEOUT_MS = 10_000
_WRITES = "writes"
#: what was committed is on the disk even when the machine loses its power; costs a wait for the disk
_LASTS = "lasts"
_NO_SPACE = "Free space on that disk, or name another folder."
_NO_DISK = "Check the space on that disk and its health, or name another folder."
_NO_RIGHT = "Check who may write there."
_FOREIGN = "Check that it is a store of this program, and of no newer release."
_MIGRATION_LOCK = "SELECT pg_advisory_xact_lock(7085041990142562)"


class Database:
    """One database. `reading` and `writing` give connections in a transaction of their own."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._writer = engine.execution_options(**{_WRITES: True})
        self._lasting_writer = engine.execution_options(**{_WRITES: True, _LASTS: True})

    @property
    def dialect(self) -> str:
        """Return `sqlite` or `postgresql`."""
        return self._engine.dialect.name

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Give a connection for queries that change nothing."""
        connection = await _opened(self._engine)
        try:
            yield connection
        finally:
            await whole(connection.close())

    @asynccontextmanager
    async def writing(self, *, lasting: bool = False) -> AsyncIterator[AsyncConnection]:
        """Give a connection whose changes are committed at the end, or undone if something is raised.

        `lasting` is for what must be remembered before something is done elsewhere.
        """
        connection = await _opened(self._lasting_writer if lasting else self._writer)
        try:
            transaction = connection.begin()
            await whole(_start(transaction))
            yield connection
            await whole(transaction.commit())
        finally:
            # What is not committed is undone by this.
            await whole(connection.close())

    async def is_reachable(self) -> bool:
        """Tell whether the database answers."""
        try:
            async with self.reading() as connection:
                await connection.exec_driver_sql("SELECT 1")
        except (DatabaseError, OSError):
            return False
        return True

    async def close(self) -> None:
        """Close all connections."""
        await self._engine.dispose()


async def _opened(engine: AsyncEngine) -> WholeConnection:
    connection = WholeConnection(engine)
    try:
        await whole(_start(connection))
    except BaseException:
        if connection.sync_connection is not None:
            await whole(connection.close())
        raise
    return connection


async def _start(what: AsyncConnection | AsyncTransaction) -> None:
    await what.start()


async def open_database(url: str) -> Database:
    """Open the database at an SQLAlchemy address and run the missing migrations.

    A file of SQLite is made with its folder, readable by its owner alone. Raises `StoreError`.
    """
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() == "sqlite":
            _prepare_file(parsed.database)
        engine = create_async_engine(url, pool_pre_ping=parsed.get_backend_name() != "sqlite")
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise StoreError(_shown(url), str(error), "Check the setting store.url.") from error
    except OSError as error:
        what = error.strerror or str(error)
        raise StoreError(_shown(url), what, _NO_SPACE if error.errno == ENOSPC else _NO_RIGHT) from error
    if engine.dialect.name == "sqlite":
        _tune_sqlite(engine)
    database = Database(engine)
    try:
        async with database.writing() as connection:
            if database.dialect == "postgresql":
                # Two processes that start together must not both make the tables.
                await connection.exec_driver_sql(_MIGRATION_LOCK)
            await connection.run_sync(upgrade)
    except (DatabaseError, CommandError, OSError) as error:
        await database.close()
        what = str(getattr(error, "orig", None) or error)
        raise StoreError(_shown(url), what, _next_step(what)) from error
    return database


def _next_step(what: str) -> str:
    if "disk is full" in what or "No space left" in what:
        return _NO_SPACE
    return _NO_DISK if "disk I/O error" in what else _FOREIGN


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the tables to a revision."""
    command.upgrade(_config(connection), revision)


def downgrade(connection: Connection, revision: str) -> None:
    """Take the tables back to an earlier revision (`base`: none of them)."""
    command.downgrade(_config(connection), revision)


def newest_revision() -> str | None:
    """Return the revision that the code expects."""
    return ScriptDirectory.from_config(_config(None)).get_current_head()


def _config(connection: Connection | None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _prepare_file(name: str | None) -> None:
    if not name or name == ":memory:":
        return
    path = Path(name)
    if not path.parent.is_dir():
        path.parent.mkdir(parents=True, mode=0o700)
    path.touch(mode=0o600)


def _shown(url: str) -> str:
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return "(unreadable address)"


def _tune_sqlite(engine: AsyncEngine) -> None:
    @event.listens_for(engine.sync_engine, "connect")
    def on_connect(connection: DBAPIConnection, _record: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.execute("PRAGMA synchronous=NORMAL")
        cursor.execute(f"PRAGMA busy_timeout={_BUSY_TIMEOUT_MS}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def on_begin(connection: Connection) -> None:
        # A transaction that reads first and writes later fails at once when another one wrote in between.
        options = connection.get_execution_options()
        writes = options.get(_WRITES)
        if writes:
            connection.exec_driver_sql(f"PRAGMA synchronous={'FULL' if options.get(_LASTS) else 'NORMAL'}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
