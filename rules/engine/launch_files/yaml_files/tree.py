"""A YAML document as a tree of texts with their lines, within bounds of depth and size. Makes no objects."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import yaml

from rules.engine.launch_files.found import RemarkKind, UnreadableError

_DEEPEST: Final = 50
_MOST_MERGED: Final = 30_000
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(slots=True, eq=False)
class Scalar:
    """A text as it is written; YAML's numbers and booleans stay texts."""

    text: str
    line: int
    is_plain: bool = True
    #: a block scalar's text begins on the line below
    is_block: bool = False

    @property
    def text_line(self) -> int:
        """The line on which the text begins."""
        return self.line + self.is_block

    @property
    def is_null(self) -> bool:
        """Tell whether it says that there is no value."""
        return self.is_plain and self.text in _NULLS


@dataclass(slots=True, eq=False)
class Sequence:
    """A list."""

    line: int
    items: list["Node"] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Mapping:
    """Keys and values; where a key stands twice the last counts."""

    line: int
    entries: dict[str, "Node"] = field(default_factory=dict)
    #: the line of each key
    lines: dict[str, int] = field(default_factory=dict)
    #: keys whose value ends the merging
    merged: list["Node"] = field(default_factory=list)

    def mapping(self, key: str) -> "Mapping":
        """Return the mapping under a key, an empty one where none is."""
        found = self.entries.get(key)
        return found if isinstance(found, Mapping) else Mapping(self.line)

    def items(self, key: str) -> list["Node"]:
        """Return the list under a key, an empty one where none is."""
        found = self.entries.get(key)
        return found.items if isinstance(found, Sequence) else []

    def text(self, key: str) -> str | None:
        """Return the text under a key, None where none is."""
        found = self.entries.get(key)
        return found.text if isinstance(found, Scalar) and not found.is_null else None


Node = Scalar | Sequence | Mapping


def texts(node: Node | None) -> Iterator[tuple[str, int]]:
    """Yield the texts of a list with their lines."""
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, Scalar):
            yield item.text, item.text_line


class _Builder:
    """Puts the events of a parser together."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._anchors: dict[str, Node] = {}
        self._open: list[tuple[Sequence | Mapping, Scalar | Node | None]] = []
        self._mappings: list[Mapping] = []
        self.count = 0
        self.root: Node | None = None

    def take(self, event: yaml.Event) -> None:
        """Take one event."""
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent):
            found = self._anchors.get(event.anchor or "")
            if found is None:
                raise UnreadableError(RemarkKind.NOT_YAML, line, f"*{event.anchor} is not defined")
            self._add(found)
        elif isinstance(event, yaml.ScalarEvent):
            block = event.style in {"|", ">"}
            node = Scalar(event.value, line, event.style is None, block)
            self._anchor(event.anchor, node)
            self._add(node)
        elif isinstance(event, yaml.SequenceStartEvent):
            self._begin(event.anchor, Sequence(line))
        elif isinstance(event, yaml.MappingStartEvent):
            mapping = Mapping(line)
            self._mappings.append(mapping)
            self._begin(event.anchor, mapping)
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            self._open.pop()

    def merge(self) -> None:
        """Give each mapping what its `<<` names; a mapping's own keys win."""
        budget = _MOST_MERGED
        for mapping in self._mappings:
            for source in mapping.merged:
                sources = source.items if isinstance(source, Sequence) else [source]
                for one in sources:
                    entries = one.entries if isinstance(one, Mapping) else {}
                    budget -= len(entries) + 1
                    if budget < 0:
                        raise UnreadableError(
                            RemarkKind.TOO_DEEP, mapping.line, "aliases that multiply each other"
                        )
                    for key, value in list(entries.items()):
                        mapping.entries.setdefault(key, value)
                        mapping.lines.setdefault(key, mapping.line)

    def _anchor(self, name: str | None, node: Node) -> None:
        if name:
            self._anchors[name] = node

    def _begin(self, anchor: str | None, node: Sequence | Mapping) -> None:
        if len(self._open) >= _DEEPEST:
            raise UnreadableError(
                RemarkKind.TOO_DEEP, node.line, f"more than {_DEEPEST} levels in each other"
            )
        self._anchor(anchor, node)
        self._add(node)
        self._open.append((node, None))

    def _add(self, node: Node) -> None:
        self.count += 1
        if self.count > self._most:
            raise UnreadableError(RemarkKind.TOO_LARGE, node.line, "it holds too many values")
        if not self._open:
            self.root = node
            return
        parent, key = self._open[-1]
        if isinstance(parent, Sequence):
            parent.items.append(node)
        elif key is None:
            self._open[-1] = parent, node
        else:
            if isinstance(key, Scalar):
                if key.text == "<<" and key.is_plain:
                    parent.merged.append(node)
                else:
                    parent.entries[key.text] = node
                    parent.lines[key.text] = key.line
            self._open[-1] = parent, None


def read_document(text: str, most: int) -> tuple[Node | None, int]:
    """Return the tree of a text that holds one document, and how many values it has.

    Raises `UnreadableError` when it is no YAML, is nested too deep, or has more than `most` values.
    """
    builder = _Builder(most)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        kind = RemarkKind.TEMPLATE if "{{" in text else RemarkKind.NOT_YAML
        raise UnreadableError(kind, line, str(error.problem or error.context)) from error
    except (yaml.YAMLError, ValueError) as error:
        raise UnreadableError(RemarkKind.NOT_YAML, None, "it holds signs that YAML does not allow") from error
    builder.merge()
    return builder.root, builder.count
