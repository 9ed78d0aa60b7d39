"""Says what a paste is: whose output, whether something failed, whether the deciding part is there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import re2

from rules.engine.paste.evidence import EvidenceLine
from rules.engine.paste.rootcause import CauseReading, Kind
from rules.engine.paste.whose.marks import VLLM_MARKS
from rules.engine.paste.whose.others import has_own_mark, other_program

_FATAL: Final = (
    *(
        "Segmentation fault",
        "core dumped",
        "Fatal Python error",
        "terminate called after",
        "Bus error",
        "Illegal instruction",
    ),
    *(
        "Killed",
        "OOMKilled",
        "CUDA error",
        "HIP error",
        "NCCL WARN",
        "NCCL error",
        "uncorrectable ECC",
        "Xid ",
        "EngineCore failed to start",
    ),
    *(
        "failed to start",
        "out of memory",
        "Failed core proc",
        "No available memory",
        "exit code 137",
        "died unexpectedly",
    ),
)
_ANY_VLLM: Final = re2.compile("|".join(map(re2.escape, VLLM_MARKS)))
_ANY_FATAL: Final = re2.compile("|".join(map(re2.escape, _FATAL)))
#: words after which a sentence goes on
_NEVER_LAST: Final = frozenset(
    [
        *("the", "a", "an", "of", "to", "for", "with", "and", "or", "but", "does", "do", "did", "is", "are"),
        *("was", "were", "be", "been", "by", "from", "than", "because", "that", "which", "as", "at", "its"),
        *("their", "this", "these", "your", "cannot", "could", "should", "must", "may", "into", "not"),
    ]
)
#: what is left of `… does not support AttentionBackendEnum.X backend now.` (vLLM 0.6.3 to 0.12.0)
_CUT_REFUSAL: Final = re2.compile(
    r"(?:^|[ (])RuntimeError: (?:\S*VL? does not(?: support)?"
    r"|\S+ does not support (?:Att[A-Za-z]*\.?|_Ba[a-z]*\.?))$"
)
_STARTED: Final = ("Application startup complete", "Uvicorn running on")
_SERVED: Final = ('" 200 OK', "Avg generation throughput", "Avg prompt throughput", 'HTTP/1.1" 200')


@dataclass(frozen=True, slots=True)
class Nature:
    """What a paste is."""

    #: plainly vLLM's: its paths, its log records, its process names or its banner
    vllm: bool
    #: name of the program it plainly comes from instead, None when it is vLLM's or cannot be told
    other_program: str | None
    #: True when only a text that vLLM's own libraries print too speaks for that program
    other_by_shared_text: bool
    #: True when no line looks like program output
    prose: bool
    #: True when something failed: an exception, a crash, a record of level ERROR
    failed: bool
    #: True when the server started
    started: bool
    #: True when it answered requests
    served: bool
    #: True when all that failed are wrappers, whose cause is not in the paste
    wrapper_only: bool
    #: True when a traceback ends without its exception line and nothing else names the cause
    cut: bool
    #: True when the root cause's message stops where no sentence can end
    message_cut: bool = False

    @property
    def healthy(self) -> bool:
        """Tell whether the paste shows a server that works."""
        return (self.started or self.served) and not self.failed


def read_nature(lines: Sequence[EvidenceLine], causes: CauseReading) -> Nature:
    """Return what the paste is, from its lines and the exceptions found in them."""
    text = "\n".join(line.text for line in lines)
    said = (
        "\n".join(line.text for index, line in enumerate(lines) if index not in causes.source)
        if causes.source
        else text
    )
    records = any(line.vllm_record for line in lines)
    marked = records or _ANY_VLLM.search(text) is not None or _is_cut_in_enum(causes) or _frames_name(lines)
    other = other_program(text, lines, causes, records=records)
    kinds = {entry.kind for entry in causes.judged}
    errors = causes.first_error is not None and Kind.REQUEST not in kinds
    failed = (
        bool(kinds & {Kind.CAUSE, Kind.WRAPPER, Kind.RECORD})
        or errors
        or _ANY_FATAL.search(said) is not None
        or causes.cut
    )
    has_cause = bool(kinds & {Kind.CAUSE, Kind.REQUEST, Kind.RECORD})
    started = any(mark in text for mark in _STARTED)
    return Nature(
        vllm=marked and other is None,
        other_program=other,
        other_by_shared_text=other is not None and not has_own_mark(other, text),
        prose=not records and not causes.judged and not causes.cut and not _looks_printed(lines),
        failed=failed,
        started=started,
        served=any(mark in text for mark in _SERVED),
        wrapper_only=Kind.WRAPPER in kinds and not has_cause,
        cut=causes.cut and not has_cause,
        message_cut=_stops_early(causes),
    )


def _stops_early(causes: CauseReading) -> bool:
    """Tell whether the message of the root cause ends with a word that more must follow."""
    if causes.root is None:
        return False
    if _is_cut_in_enum(causes):
        return True
    return causes.root.text.rstrip().rsplit(" ", 1)[-1].lower() in _NEVER_LAST


def _is_cut_in_enum(causes: CauseReading) -> bool:
    """Tell whether the cause is an encoder's refusal that was cut before it names the refused backend."""
    return causes.root is not None and _CUT_REFUSAL.search(causes.root.text.rstrip()) is not None


def _frames_name(lines: Sequence[EvidenceLine]) -> bool:
    """Tell whether the path of a frame names vLLM, be it an environment called after it."""
    paths = (line.text.lstrip() for line in lines)
    return any("vllm" in path[:200].partition('",')[0] for path in paths if path.startswith('File "'))


def _looks_printed(lines: Sequence[EvidenceLine]) -> bool:
    """Tell whether a line looks like a program's output rather than a sentence."""
    return any(
        line.level is not None
        or line.process is not None
        or line.text.lstrip().startswith(('File "', "Traceback (", "[", "{"))
        or ".py" in line.text[:80]
        or "error:" in line.text[:80].lower()
        for line in lines
    )
