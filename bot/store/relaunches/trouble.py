"""Whether an error of the store may pass by itself. Not for handling it."""

from __future__ import annotations

from sqlalchemy.exc import DatabaseError, IntegrityError, InterfaceError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from bot.store.interface import StoreError


def may_pass(error: Exception) -> bool:
    """Tell whether the same work may succeed later: the database was away, busy or full."""
    if isinstance(error, IntegrityError):
        return False
    return isinstance(error, (DatabaseError, InterfaceError, PoolTimeoutError, StoreError, OSError))
