"""Tells what kind of file holds a launch, by its name and by what stands in it. Not for reading it."""

from enum import StrEnum
from typing import Final

_YAML_ENDS: Final = (".yaml", ".yml", ".json")
_SHELL_ENDS: Final = (".sh", ".bash", ".zsh", ".ksh", ".env.sh", ".command")
_UNIT_ENDS: Final = (".service", ".conf")
_DOCKERFILES: Final = ("dockerfile", "containerfile")


class FileKind(StrEnum):
    """The kinds that are read."""

    SHELL = "shell"
    YAML = "yaml"
    UNIT = "unit"
    DOCKERFILE = "dockerfile"
    UNKNOWN = "unknown"


def file_kind(name: str, text: str) -> FileKind:
    """Return the kind of a file; its name decides where it can."""
    base = name.replace("\\", "/").rpartition("/")[2].lower()
    if base.startswith(_DOCKERFILES) or base.endswith(_DOCKERFILES):
        return FileKind.DOCKERFILE
    if base.endswith(_YAML_ENDS):
        return FileKind.YAML
    if base.endswith(_SHELL_ENDS):
        return FileKind.SHELL
    if base.endswith(_UNIT_ENDS):
        return FileKind.UNIT
    return _by_content(text)


def _by_content(text: str) -> FileKind:
    """Return the kind that the lines speak for."""
    lines = [line.rstrip() for line in text[:200_000].split("\n")]
    if lines[0].startswith("#!"):
        return FileKind.SHELL if "sh" in lines[0] else FileKind.UNKNOWN
    if "[Service]" in lines:
        return FileKind.UNIT
    if any(line.startswith(("apiVersion:", "services:", "kind:")) for line in lines):
        return FileKind.YAML
    said = [line for line in lines if line and not line.lstrip().startswith("#")]
    if said and said[0].upper().startswith(("FROM ", "ARG ")):
        return FileKind.DOCKERFILE
    if said and said[0].startswith("{") and '"apiVersion"' in text:
        return FileKind.YAML
    has_launch = any("vllm" in line for line in said)
    return FileKind.SHELL if has_launch else FileKind.UNKNOWN
