"""Rebuilds the shipped release facts: `python -m rules.releases.extractor TREES`. Not for one release."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from rules.releases.extractor.record import EmptyTreeError, check_has_facts, extract
from rules.releases.extractor.tree import NotATreeError, Tree
from rules.releases.folder import write
from rules.releases.release import UnknownReleaseError
from rules.releases.shipped import DATA, load_releases
from rules.releases.store import encode

if TYPE_CHECKING:
    from rules.releases.model import Record

__all__ = ["main", "write"]


def main() -> int:
    """Extract every tree of the folder and write the data."""
    parser = argparse.ArgumentParser(prog="python -m rules.releases.extractor", description=__doc__)
    parser.add_argument(
        "trees", type=Path, help="a folder with one unpacked tree per release, named by the release"
    )
    parser.add_argument("--out", type=Path, default=DATA, help="where to write (default: the shipped data)")
    parser.add_argument("--jobs", type=_jobs, default=1, help="how many trees to read at once")
    parser.add_argument(
        "--keep-messages",
        action="store_true",
        help="take the texts, which are slow to read, from the shipped data",
    )
    options = parser.parse_args()
    try:
        folders = _folders(options.trees, options.keep_messages)
        with ProcessPoolExecutor(options.jobs) as pool:
            records = list(pool.map(_read, folders, [options.keep_messages] * len(folders)))
        for record, folder in zip(records, folders, strict=True):
            check_has_facts(record, folder)
        write(encode(records), options.out)
    except (EmptyTreeError, NotATreeError, UnknownReleaseError) as error:
        return _refuse(str(error))
    except OSError as error:
        return _refuse(f"{error.filename}: {(error.strerror or str(error)).lower()}")
    return 0


def _folders(trees: Path, keep_messages: bool) -> list[Path]:  # noqa: FBT001 - an option
    """Return the trees, oldest release first. Raises what a process of the pool could not hand on."""
    found = sorted((path for path in trees.iterdir() if _is_release(path.name)), key=_release)
    if not found:
        raise EmptyTreeError(f"{trees} holds no folder that is named by a release, such as 0.11.2")
    for folder in found:
        Tree(folder)
        if keep_messages:
            load_releases().get(folder.name)
    return found


def _refuse(sentence: str) -> int:
    sys.stderr.write(f"extractor: {sentence}\n")
    return 65


def _jobs(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _read(folder: Path, keep_messages: bool) -> Record:  # noqa: FBT001 - called by position from the pool
    messages = None
    if keep_messages:
        messages = tuple(load_releases().get(folder.name).messages())
    record = extract(Tree(folder), folder.name, messages=messages)
    sys.stderr.write(f"{record.version}: {len(record.flags)} flags, {len(record.messages)} texts\n")
    return record


def _release(path: Path) -> Version:
    return Version(path.name)


def _is_release(name: str) -> bool:
    try:
        Version(name)
    except InvalidVersion:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
