"""Evidence: the cleaned, numbered lines of a paste. Not for reading facts or causes out of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

_NO_VALUES: Mapping[str, str] = MappingProxyType({})


class NoteKind(StrEnum):
    """Why a remark stands beside the answer."""

    #: two statements that cannot both be true, such as two releases or two GPUs
    CONTRADICTION = "contradiction"
    #: something given could not be read and was not used
    DROPPED_INPUT = "dropped-input"
    #: a limit was reached, so a part was not looked at
    CAP_REACHED = "cap-reached"
    #: the release lies outside the shipped facts
    OUTSIDE_FACTS = "outside-facts"


@dataclass(frozen=True, slots=True)
class Note:
    """One remark for the reader of the answer."""

    kind: NoteKind
    #: one sentence in the language of the answer
    text: str


@dataclass(frozen=True, slots=True)
class NoteDraft:
    """A remark before it has words: the texts of each language turn it into a `Note`."""

    kind: NoteKind
    #: id of the shared phrase, such as `two-releases`
    phrase: str
    #: values for the phrase's placeholders, already masked
    values: Mapping[str, str] = field(default_factory=lambda: _NO_VALUES)


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """One logical line: what the program printed, without what loggers, containers and chat put round it."""

    #: number of the line in the original paste, from 1; of a joined line the first one
    number: int
    #: the text without prefixes
    text: str
    #: name of the innermost process tag, such as `Worker_TP0` or `EngineCore_DP0`; None without one
    process: str | None = None
    #: `ERROR`, `WARNING`, `INFO` ... as the logger printed it; None outside log records
    level: str | None = None
    #: `core.py:842` as the logger printed it
    origin: str | None = None
    #: True when the line carries a log prefix that only vLLM's own logger writes
    vllm_record: bool = False
    #: process id of the innermost tag; tells two processes of one name apart
    pid: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A paste, cleaned."""

    lines: tuple[EvidenceLine, ...]
    #: how many secrets were masked in the lines
    redacted: int = 0
    #: True when only windows round hits were read, because the input was larger than what is cleaned whole
    partial: bool = False
    #: True when lines in the middle were left out, because one line held too many
    dropped: bool = False
    notes: tuple[Note, ...] = ()

    def text(self) -> str:
        """Return the cleaned lines joined with newlines."""
        return "\n".join(line.text for line in self.lines)
