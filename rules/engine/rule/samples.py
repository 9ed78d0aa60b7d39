"""Reads the samples of a rule: pastes with what must come of them. Not for running them."""

from dataclasses import dataclass, field
from pathlib import Path

from rules.engine.rule.faults import Fault

#: header lines that a sample may begin with (`#! release: 0.11.2`)
HEADERS = (
    "origin",
    "release",
    "gpu",
    "model",
    "env",
    "command",
    "status",
    "captures",
    "fix",
    "not-fix",
    "language",
)
#: in the order of importance; `fires-` must be diagnosed (or ask) with this rule, `silent-` must not fire it
KINDS = ("fires", "silent")


@dataclass(frozen=True, slots=True)
class Sample:
    """One paste beside a rule."""

    path: Path
    #: `fires` or `silent`
    kind: str
    #: the paste, without header lines
    text: str
    headers: dict[str, str] = field(default_factory=dict)

    def pairs(self, name: str) -> dict[str, str]:
        """Return a header of the form `a=b, c=d` as a mapping."""
        parts = [part.strip() for part in self.headers.get(name, "").split(",") if part.strip()]
        return dict(part.partition("=")[::2] for part in parts)

    def words(self, name: str) -> tuple[str, ...]:
        """Return a header that lists names, split at commas."""
        return tuple(part.strip() for part in self.headers.get(name, "").split(",") if part.strip())


def read_samples(folder: Path) -> tuple[list[Sample], list[Fault]]:
    """Return the samples of a rule's folder, sorted by name, and what is wrong with them."""
    samples: list[Sample] = []
    faults: list[Fault] = []
    for path in sorted(folder.glob("samples/*")):
        kind = path.name.partition("-")[0]
        if kind not in KINDS or path.suffix != ".log":
            faults.append(Fault(path, 1, "a sample is called `fires-WHAT.log` or `silent-WHY.log`"))
            continue
        samples.append(_read(path, kind, faults))
    return samples, faults


def _read(path: Path, kind: str, faults: list[Fault]) -> Sample:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    headers: dict[str, str] = {}
    taken = 0
    for number, line in enumerate(lines, start=1):
        if not line.startswith("#!"):
            break
        taken = number
        name, colon, value = line[2:].partition(":")
        name = name.strip()
        if not colon or name not in HEADERS:
            faults.append(Fault(path, number, f"`{name}` is no header; use {', '.join(HEADERS)}"))
        else:
            headers[name] = value.strip()
    if "origin" not in headers:
        faults.append(Fault(path, 1, "needs `#! origin: ...`: where the shape of this paste was seen"))
    text = "".join(lines[taken:])
    if not text.strip():
        faults.append(Fault(path, taken + 1, "holds no paste"))
    return Sample(path, kind, text, headers)
