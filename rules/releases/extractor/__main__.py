"""Rebuilds the shipped release facts: `python -m rules.releases.extractor TREES`. Not for one release."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from rules.releases.extractor.record import extract
from rules.releases.extractor.tree import Tree
from rules.releases.folder import write
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
    parser.add_argument("--jobs", type=int, default=1, help="how many trees to read at once")
    parser.add_argument(
        "--keep-messages",
        action="store_true",
        help="take the texts, which are slow to read, from the shipped data",
    )
    options = parser.parse_args()
    folders = sorted((path for path in options.trees.iterdir() if _is_release(path.name)), key=_release)
    with ProcessPoolExecutor(options.jobs) as pool:
        records = list(pool.map(_read, folders, [options.keep_messages] * len(folders)))
    write(encode(records), options.out)
    return 0


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
