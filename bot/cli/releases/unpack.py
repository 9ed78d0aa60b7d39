"""Unpacking what a release's facts are read from: Python files and requirements. Nothing of it is run."""

from __future__ import annotations

import gzip
import lzma
import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from bot.cli.exits import CommandError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator

#: more than any release holds; an archive that claims more is not one
LARGEST_FILE_BYTES = 16 * 1024 * 1024
MOST_FILES = 50_000

#: what damaged archives raise while they are read
_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, EOFError)

_METADATA = {"METADATA", "PKG-INFO", "pyproject.toml", "setup.py"}


def tree_at(path: Path, folder: Path) -> Path:
    """Return the folder that holds `vllm/`: the path itself, or `folder` with an archive unpacked.

    Raises `CommandError` when there is no such path or it holds no vLLM.
    """
    if not path.exists():
        raise _unusable(path)
    try:
        root = _root(path, folder)
    except _DAMAGED as error:
        raise _unusable(path) from error
    if not (root / "vllm" / "__init__.py").is_file():
        raise _unusable(path)
    return root


def _root(path: Path, folder: Path) -> Path:
    if path.is_dir():
        return path.parent if path.name == "vllm" and (path / "__init__.py").is_file() else path
    if zipfile.is_zipfile(path):
        return _unpack(_zip_members(path), folder)
    return _unpack(_tar_members(path), folder)


def _unusable(path: Path) -> CommandError:
    problem = f"{path} holds no vLLM" if path.exists() else f"there is no {path}"
    advice = "give a wheel, an sdist, or a folder with `vllm/__init__.py` in it"
    return CommandError(problem, advice, ExitCode.UNUSABLE_INPUT)


def _unpack(members: Iterator[tuple[PurePosixPath, bytes]], folder: Path) -> Path:
    for number, (name, content) in enumerate(members):
        if number >= MOST_FILES:
            break
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return folder


def _zip_members(path: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            name = _wanted(PurePosixPath(entry.filename))
            if name is not None and not entry.is_dir() and entry.file_size <= LARGEST_FILE_BYTES:
                yield name, archive.read(entry)


def _tar_members(path: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    with tarfile.open(path) as archive:
        for entry in archive:
            # the first folder of an sdist is its own name
            inside = PurePosixPath(*PurePosixPath(entry.name).parts[1:])
            name = _wanted(inside)
            stream = archive.extractfile(entry) if entry.isfile() else None
            if name is not None and stream is not None and entry.size <= LARGEST_FILE_BYTES:
                yield name, stream.read()


def _wanted(name: PurePosixPath) -> PurePosixPath | None:
    """Return where a member goes below the tree; None for what is not needed, or would land outside."""
    if not name.parts or name.is_absolute() or ".." in name.parts:
        return None
    if name.parts[0] == "vllm":
        return name if name.suffix == ".py" else None
    if name.name in _METADATA and len(name.parts) <= 2:
        return name
    return name if name.parts[0] == "requirements" and name.suffix == ".txt" else None
