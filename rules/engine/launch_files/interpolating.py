"""Variables in the texts of compose (`${X:-y}`, `$$`), systemd (`$X`) and Kubernetes (`$(X)`). Not a shell's."""

from collections.abc import Mapping
from dataclasses import dataclass

from rules.engine.launch_files.shell.words import Literal, Part, Variable, dollar


@dataclass(frozen=True, slots=True)
class Interpolated:
    """A text with its variables replaced, and those that are not known as they are written."""

    text: str
    unresolved: tuple[str, ...] = ()


def interpolate(text: str, known: Mapping[str, str]) -> Interpolated:
    """Replace `$X`, `${X}` and `${X:-y}` as compose does; `$$` is a dollar sign."""
    found: list[str] = []
    unresolved: list[str] = []
    at = 0
    while at < len(text):
        end = text.find("$", at)
        if end < 0:
            break
        found.append(text[at:end])
        if text.startswith("$$", end):
            found.append("$")
            at = end + 2
            continue
        part, at = dollar(text, end, quoted=True)
        _replace(part, known, found, unresolved)
    found.append(text[at:])
    return Interpolated("".join(found), tuple(unresolved))


def _replace(part: Part, known: Mapping[str, str], found: list[str], unresolved: list[str]) -> None:
    if isinstance(part, Literal):
        found.append(part.text)
        return
    value = known.get(part.name) if isinstance(part, Variable) else None
    if not isinstance(part, Variable):
        found.append(part.raw)
        return
    is_set = bool(value) if part.operator.startswith(":") else value is not None
    if part.operator in {":+", "+"} or (part.operator in {":-", "-"} and not is_set):
        for other in part.other if part.operator.endswith("-") or is_set else ():
            _replace(other, known, found, unresolved)
    elif value is not None:
        found.append(value)
    else:
        found.append(part.raw)
        unresolved.append(part.raw)


def replace_brackets(text: str, known: Mapping[str, str]) -> Interpolated:
    """Replace `$(X)` as Kubernetes does in commands and values; `$$(X)` and an unknown `$(X)` stay as text."""
    found: list[str] = []
    unresolved: list[str] = []
    at, last = 0, text.rfind(")")
    while at < len(text):
        end = text.find("$", at)
        if end < 0:
            break
        found.append(text[at:end])
        close = text.find(")", end) if end < last else -1
        name = text[end + 2 : close] if text.startswith("$(", end) and close > 0 else None
        if text.startswith("$$", end):
            found.append("$")
            at = end + 2
        elif name is None:
            found.append("$")
            at = end + 1
        elif name in known:
            found.append(known[name])
            at = close + 1
        else:
            found.append(text[end : close + 1])
            unresolved.append(found[-1])
            at = close + 1
    found.append(text[at:])
    return Interpolated("".join(found), tuple(unresolved))
