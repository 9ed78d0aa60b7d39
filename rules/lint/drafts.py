"""Checks that nothing of a rule is still a draft: every place that says TODO is filled in. Not what it says."""

import re
from collections.abc import Iterator
from pathlib import Path

from rules.engine.rule.model import Rule
from rules.lint.interface import Context, Finding

_OPEN = re.compile(r"\bTODO\b")
#: how the lines of a sample's header begin; below it stands a paste, which may say anything
_HEADER = "#!"


def check(rule: Rule, context: Context) -> Iterator[Finding]:
    """Yield the places of the rule's files that are not filled in yet."""
    del context
    if rule.folder is None:
        return
    for path in sorted(rule.folder.rglob("*")):
        if path.suffix in {".yaml", ".md", ".log"}:
            yield from _places(path, str(path.relative_to(rule.folder)))


def _places(path: Path, name: str) -> Iterator[Finding]:
    heading = ""
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        heading = line.lstrip("# ") if line.startswith("#") else heading
        if path.suffix == ".log" and not line.startswith(_HEADER):
            return
        if _OPEN.search(line):
            what = line.lstrip("#! ").partition(":")[0] if ":" in line else heading
            yield Finding(f"{what or name} says TODO.", "Fill it in.", file=name, at=number)
