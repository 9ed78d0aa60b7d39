"""Faults in the files of a catalogue, each with its place, collected. Not for lint findings."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that keeps a file from being read as a rule."""

    file: Path
    #: from 1
    line: int
    #: one sentence: what is wrong and what would be right
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class CatalogueError(Exception):
    """Some rules cannot be read.

    Attributes:
        faults: all of them, in the order of files and lines.

    """

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        listing = "\n".join(str(fault) for fault in faults)
        super().__init__(
            f"{len(faults)} fault(s) in the catalogue; correct the files and load it again:\n{listing}"
        )
