"""The prefilter: where in a block of bytes which key stands. Not for deciding whether a signal really fires.

Two engines give the same answer: Hyperscan, and RE2's set where Hyperscan has no wheel. A scanner belongs to
one thread.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, Self

from rules.engine.matching.scan.index import Key

if TYPE_CHECKING:
    import hyperscan

#: memory RE2 may take for a set of keys, in bytes
_SET_MEMORY = 1 << 28


class Scanner(Protocol):
    """Finds keys in bytes."""

    def scan(self, block: bytes) -> list[tuple[int, int]]:
        """Return (end of the key's occurrence, number of the key), overlapping ones too, ascending."""


class HyperscanScanner:
    """Keys as one pure-literal Hyperscan database, with a scratch of its own."""

    def __init__(self, database: "hyperscan.Database") -> None:
        import hyperscan  # noqa: PLC0415  # optional: chosen by `available`

        self._database = database
        database.scratch = hyperscan.Scratch(database)

    @classmethod
    def compile(cls, keys: Sequence[Key]) -> Self:
        """Return a scanner for the keys."""
        import hyperscan  # noqa: PLC0415

        database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        flags = [hyperscan.HS_FLAG_CASELESS if key.caseless else 0 for key in keys]
        expressions = [key.data for key in keys]
        ids = list(range(len(keys)))
        database.compile(expressions=expressions, ids=ids, elements=len(keys), literal=True, flags=flags)
        return cls(database)

    @classmethod
    def load(cls, stored: bytes) -> Self:
        """Return a scanner from what `dump` gave; raises `hyperscan.error` for another build or processor."""
        import hyperscan  # noqa: PLC0415

        return cls(hyperscan.loadb(stored, hyperscan.HS_MODE_BLOCK))

    def dump(self) -> bytes:
        """Return the compiled database."""
        import hyperscan  # noqa: PLC0415

        return bytes(hyperscan.dumpb(self._database))

    def scan(self, block: bytes) -> list[tuple[int, int]]:
        """Return (end, key) of every occurrence, ascending."""
        found: list[tuple[int, int]] = []

        def seen(key: int, _start: int, end: int, _flags: int, _context: object) -> None:
            found.append((end, key))

        self._database.scan(block, match_event_handler=seen)
        found.sort()
        return found


class SetScanner:
    """Keys as an RE2 set, which names the keys of a block; where they stand is looked up by plain search."""

    def __init__(self, keys: Sequence[Key]) -> None:
        import re2  # noqa: PLC0415  # keeps the two engines alike: each brings its own library

        self._keys = tuple(keys)
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.max_mem = _SET_MEMORY
        options.log_errors = False
        self._set = re2.Set.SearchSet(options)
        for key in self._keys:
            self._set.Add(b"(?i)" + _escaped(key.data) if key.caseless else _escaped(key.data))
        self._set.Compile()

    def scan(self, block: bytes) -> list[tuple[int, int]]:
        """Return (end, key) of every occurrence, ascending."""
        named = self._set.Match(block)
        if named is None:  # nothing was decided, as for no bytes at all: look for each key
            named = range(len(self._keys))
        lower = block.lower() if any(self._keys[number].caseless for number in named) else b""
        found: list[tuple[int, int]] = []
        for number in named:
            key = self._keys[number]
            text = lower if key.caseless else block
            at = text.find(key.data)
            while at >= 0:
                found.append((at + len(key.data), number))
                at = text.find(key.data, at + 1)
        found.sort()
        return found


class NoScanner:
    """A catalogue without signals: nothing is ever found."""

    def scan(self, block: bytes) -> list[tuple[int, int]]:  # noqa: ARG002
        """Return nothing."""
        return []


def _escaped(data: bytes) -> bytes:
    return b"".join(b"\\x%02x" % byte for byte in data)


def hyperscan_available() -> bool:
    """Tell whether Hyperscan can be imported on this machine."""
    try:
        import hyperscan  # noqa: F401, PLC0415
    except ImportError:
        return False
    return True


def make_scanner(keys: Sequence[Key]) -> Scanner:
    """Return the fastest scanner this machine has for the keys."""
    if not keys:
        return NoScanner()
    return HyperscanScanner.compile(keys) if hyperscan_available() else SetScanner(keys)


def load_hyperscan(stored: bytes) -> Scanner | None:
    """Return a scanner from a stored database, None when this machine cannot use it."""
    if not hyperscan_available():
        return None
    import hyperscan  # noqa: PLC0415

    try:
        scanner = HyperscanScanner.load(stored)
        scanner.scan(b"")
    except hyperscan.error:
        return None
    return scanner
