"""A YAML file with the line of each value, so that a fault can name its place. Not for what values mean."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from rules.engine.rule.faults import Fault

#: keys and indexes that lead to a value
Place = tuple[str | int, ...]
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass
class YamlFile:
    """The values of a file and where they stand."""

    path: Path
    data: Any = None
    #: line from 1 by place
    lines: dict[Place, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def line(self, place: Sequence[str | int]) -> int:
        """Return the line of a value, or of the nearest value round it."""
        wanted = tuple(place)
        while wanted and wanted not in self.lines:
            wanted = wanted[:-1]
        return self.lines.get(wanted, 1)

    def fault(self, place: Sequence[str | int], message: str) -> None:
        """Note a fault at a value."""
        self.faults.append(Fault(self.path, self.line(place), message))


def read_yaml(path: Path) -> YamlFile:
    """Read a file; what cannot be read is a fault in the result, never an exception."""
    read = YamlFile(path)
    try:
        loader = _Loader(path.read_text(encoding="utf-8"))
        node = loader.get_single_node()
        _note_lines(node, (), read, set())
        if node is not None:
            read.data = loader.construct_document(node)
    except OSError as error:
        read.faults.append(Fault(path, 1, f"cannot be read: {error.strerror}"))
    except UnicodeDecodeError:
        read.faults.append(Fault(path, 1, "is not UTF-8: save it as UTF-8"))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        read.faults.append(Fault(path, line, f"is not YAML: {error.problem or error.context}"))
    except yaml.YAMLError as error:
        read.faults.append(Fault(path, 1, f"is not YAML: {error}"))
    return read


def _note_lines(node: yaml.Node | None, place: Place, read: YamlFile, walked: set[int]) -> None:
    """Note where values stand; what several places share by an alias, or holds itself, is walked once."""
    if node is None:
        return
    read.lines.setdefault(place, node.start_mark.line + 1)
    if id(node) in walked:
        return
    walked.add(id(node))
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            inner = (*place, name)
            read.lines[inner] = key.start_mark.line + 1
            if name in seen:
                read.fault(inner, f"`{name}` stands twice: keep one")
            seen.add(name)
            _note_lines(value, inner, read, walked)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _note_lines(value, (*place, index), read, walked)
