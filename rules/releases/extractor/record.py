"""Puts everything that can be read from one tree into one record. Not for keeping records."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from packaging.version import InvalidVersion, Version

from rules.releases.extractor.attention import read_attention
from rules.releases.extractor.surface.flags import read_dotted_flags, read_flags
from rules.releases.extractor.surface.messages import read_messages
from rules.releases.extractor.surface.variables import read_variables
from rules.releases.extractor.tree import literal
from rules.releases.model import Flag, Message, Record, Variable

if TYPE_CHECKING:
    from pathlib import Path

    from rules.releases.extractor.tree import Tree

Fact = TypeVar("Fact", Flag, Variable)

#: files that name the release: what setuptools-scm wrote, then package metadata
VERSION_MODULE = "vllm/_version.py"
METADATA = ("PKG-INFO", "vllm-*.dist-info/METADATA", "vllm_*.dist-info/METADATA")


class UnknownTreeError(Exception):
    """The tree does not say which release it is; name the release."""

    def __init__(self, root: str) -> None:
        super().__init__(f"{root} does not say which vLLM release it is: name the release")
        self.root = root


class EmptyTreeError(Exception):
    """There is nothing to read facts from; give whole trees."""


def check_has_facts(record: Record, root: Path) -> None:
    """Raise `EmptyTreeError` for a record without a flag and a variable: every release has both."""
    if not record.flags and not record.variables:
        raise EmptyTreeError(
            f"{root} holds no flag and no variable of vLLM: give the whole tree of a release"
        )


def extract(tree: Tree, version: str | None = None, *, messages: tuple[Message, ...] | None = None) -> Record:
    """Return all facts of a tree. The same tree always gives the same record.

    `messages`, when given, are taken instead of read again: they are by far the slowest part.

    Raises `UnknownTreeError` when `version` is None and the tree does not name its release.
    """
    found = version or version_of(tree)
    if found is None:
        raise UnknownTreeError(str(tree.root))
    return Record(
        version=str(Version(found)),
        attention=read_attention(tree),
        flags=_by_place(read_flags(tree)),
        dotted_flags=_by_place(read_dotted_flags(tree)),
        variables=_by_place(read_variables(tree)),
        messages=read_messages(tree) if messages is None else messages,
        remarks=tuple(f"{remark.file}:{remark.line}: {remark.text}" for remark in tree.remarks),
    )


def _by_place(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Return the facts in the order of the source, so that neighbouring line numbers differ little."""
    return tuple(sorted(facts, key=lambda fact: (fact.source.file, fact.source.line, fact.name)))


def version_of(tree: Tree) -> str | None:
    """Return the release that a tree says it is, without a local part (`+cpu`); None when it does not say."""
    module = tree.module(VERSION_MODULE)
    stated = module.constants.get("__version__") if module else None
    texts = [str(literal(stated))] if stated is not None else []
    for pattern in METADATA:
        for path in sorted(tree.root.glob(pattern)):
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            texts.extend(line.partition(":")[2].strip() for line in lines if line.startswith("Version:"))
    for text in texts:
        try:
            return Version(text).public
        except InvalidVersion:
            continue
    return None
