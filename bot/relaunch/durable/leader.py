"""Who of several bots carries out runs: the one that holds a lock, and it knows when it has lost it.

Not for what the leader does.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

from sqlalchemy.engine import make_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

#: seconds between two tries for the lock, and between two looks whether it is still held
_BEAT_S: Final = 1.0
#: a look that takes longer counts as lost
_LOOK_S: Final = 10.0
_LOCK: Final = 7085041990142564
#: a leader whose machine died without a word is noticed by these
_KEEPALIVE: Final = {
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "connect_timeout": 10,
}


class Leadership(Protocol):
    """A lock that one process holds at a time."""

    def held(self) -> Any:  # noqa: ANN401 (an asynchronous context manager of `asyncio.Event`)
        """Wait until this process is the leader; gives an event that is set when it no longer is."""


class FileLeadership:
    """A lock on a file, for one machine; its system lets go of it when the process ends, however that comes."""

    def __init__(self, file: Path, beat_s: float = _BEAT_S) -> None:
        self._file = file
        self._beat_s = beat_s

    @asynccontextmanager
    async def held(self) -> AsyncIterator[asyncio.Event]:
        """Wait until this process is the leader; the event is never set: such a lock is not lost."""
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            while not _locked(handle):  # noqa: ASYNC110 (the system tells nobody when a file is free)
                await asyncio.sleep(self._beat_s)
            yield asyncio.Event()
        finally:
            os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class PostgresLeadership:
    """An advisory lock of PostgreSQL, held by a connection of its own."""

    def __init__(self, url: str, beat_s: float = _BEAT_S) -> None:
        self._url = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        self._beat_s = beat_s

    @asynccontextmanager
    async def held(self) -> AsyncIterator[asyncio.Event]:
        """Wait until this process is the leader; the event is set when the connection is lost."""
        lost = asyncio.Event()
        connection = await self._locked()
        watching = asyncio.create_task(self._watch(connection, lost))
        try:
            yield lost
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            await connection.close()

    async def _locked(self) -> Any:  # noqa: ANN401 (a connection of psycopg, which is imported late)
        import psycopg  # noqa: PLC0415 (only bots on PostgreSQL need it)

        while True:
            try:
                told = psycopg.conninfo.make_conninfo(self._url, **_KEEPALIVE)
                connection = await psycopg.AsyncConnection.connect(told, autocommit=True)
            except psycopg.OperationalError:
                # the database may come back
                await asyncio.sleep(self._beat_s)
                continue
            if await self._wins(connection):
                return connection
            await connection.close()

    async def _wins(self, connection: Any) -> bool:  # noqa: ANN401 (as above)
        import psycopg  # noqa: PLC0415 (as above)

        try:
            while True:
                cursor = await connection.execute("SELECT pg_try_advisory_lock(%s)", (_LOCK,))
                row = await cursor.fetchone()
                if row is not None and row[0]:
                    return True
                await asyncio.sleep(self._beat_s)
        except psycopg.OperationalError:
            return False
        except BaseException:
            await connection.close()
            raise

    async def _watch(self, connection: Any, lost: asyncio.Event) -> None:  # noqa: ANN401 (as above)
        import psycopg  # noqa: PLC0415 (as above)

        while not lost.is_set():
            try:
                async with asyncio.timeout(_LOOK_S):
                    await connection.execute("SELECT 1")
            except (psycopg.Error, TimeoutError):
                lost.set()
            await asyncio.sleep(self._beat_s)


def leadership_of(store_url: str, file: Path) -> Leadership:
    """Return the lock that fits a store."""
    return FileLeadership(file) if _is_of_one_machine(store_url) else PostgresLeadership(store_url)


def has_leader(store_url: str, file: Path) -> bool | None:
    """Tell whether a bot carries out runs now; None where another machine's may, or the lock may not be looked at."""
    if not _is_of_one_machine(store_url):
        return None
    try:
        handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return None
    try:
        # held together with others who look; a bot that tries in this moment tries again a second later
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return None
    finally:
        os.close(handle)
    return False


def _is_of_one_machine(store_url: str) -> bool:
    return make_url(store_url).get_backend_name() == "sqlite"
