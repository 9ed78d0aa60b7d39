"""What taking off prefixes gives, as a record. Not for reading them."""

from typing import Final, NamedTuple

LEVELS: Final = frozenset({"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"})
#: no prefix is longer
LONGEST_HEAD: Final = 160


class Prefixed(NamedTuple):
    """A line without its prefixes, and what they said."""

    text: str
    process: str | None = None
    level: str | None = None
    origin: str | None = None
    vllm_record: bool = False
    pid: str | None = None
