"""Tells a log from what only holds one, or is none, by its first bytes. Not for reading the log."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.engine.matching.scan.blocks import Source

#: bytes that are looked at
_HEAD = 1 << 16
#: what a compressed file begins with → its kind, and the program that prints what is in it
_PACKED = {
    b"\x1f\x8b": ("gzip", "zcat"),
    b"\x28\xb5\x2f\xfd": ("zstd", "zstdcat"),
    b"PK\x03\x04": ("zip", "unzip -p"),
    b"BZh": ("bzip2", "bzcat"),
    b"\xfd7zXZ\x00": ("xz", "xzcat"),
}
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
#: control characters that no log holds, some terminals' own aside; NUL is left out, for files cut while they
#: are written begin with many, and UTF-16 is full of it
_CONTROLS = bytes(code for code in (*range(0x01, 0x20), 0x7F) if code not in b"\t\n\r\b\f\x1b\x07")
_REPLACED = "\N{REPLACEMENT CHARACTER}"
#: fewer bytes than this are left to the reading
_FEWEST = 64
#: more of them than this, and more that is no UTF-8, is no text: noise has 10 % and 40 %
_SHARE = 0.05


@dataclass
class Input:
    """An opened log whose first bytes were looked at; meets `Source`."""

    _source: Source
    _head: bytes = field(init=False)
    _is_at_end: bool = field(init=False)

    def __post_init__(self) -> None:
        """Read the first bytes."""
        self._head = self._source.read(_HEAD)
        # asking a terminal once more would make its person end the input twice
        self._is_at_end = len(self._head) < _HEAD
        self.is_empty = self._is_at_end and not self._head.strip()
        self.fault = _packed(self._head) or _binary(self._head)

    def read(self, size: int, /) -> bytes:
        """Return at most that many bytes, none at the end."""
        if self._head:
            piece, self._head = self._head[:size], self._head[size:]
            return piece
        return b"" if self._is_at_end else self._source.read(size)


def _packed(head: bytes) -> tuple[str, str] | None:
    """Return what the file is instead of a log, and what to do; None when it is not compressed."""
    for magic, (kind, program) in _PACKED.items():
        if head.startswith(magic):
            return (
                f"this is a compressed file ({kind})",
                f"unpack it: {program} FILE | vllm-diagnose diagnose -",
            )
    return None


def _binary(head: bytes) -> tuple[str, str] | None:
    data = head.replace(b"\0", b"")
    if head.startswith(_UTF16_MARKS) or (len(data) < _FEWEST and len(head) < _HEAD):
        return None
    controls = len(data) - len(data.translate(None, _CONTROLS))
    broken = data.decode("utf-8", "replace").count(_REPLACED)
    if data and min(controls, broken) <= _SHARE * len(data):
        return None
    return "this is not text", "give the log as plain text"
