"""A folder of the user's own for files that can be made again: private, checked. Not for what is in them."""

import contextlib
import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

_NAME = "vllm-diagnose"
_MAGIC = b"vllm-diagnose cache 1\n"
_DIGEST = hashlib.sha256().digest_size
#: files of one kind that are kept: other releases of the program and other catalogues have theirs
_KEPT = 4


def default_cache_folder(environment: Mapping[str, str]) -> Path | None:
    """Return the program's folder under `XDG_CACHE_HOME` or `~/.cache`; None where there is no home."""
    chosen = environment.get("XDG_CACHE_HOME", "")
    if Path(chosen).is_absolute():
        return Path(chosen) / _NAME
    home = environment.get("HOME", "")
    return Path(home) / ".cache" / _NAME if Path(home).is_absolute() else None


class CacheFolder:
    """Files that only this user may have written; whatever is foreign or damaged counts as absent."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, kind: str, key: str) -> bytes | None:
        """Return what was written under kind and key, None when there is nothing that can be trusted."""
        if not self._is_private():
            return None
        try:
            descriptor = os.open(self._file(kind, key), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        except OSError:
            return None
        with open(descriptor, "rb") as file:  # noqa: PTH123  # the descriptor was opened without following links
            if not _is_ours(os.fstat(descriptor)):
                return None
            content = file.read()
        body = content[len(_MAGIC) + _DIGEST :]
        head = _MAGIC + hashlib.sha256(body).digest()
        return body if content.startswith(head) else None

    def write(self, kind: str, key: str, body: bytes) -> bool:
        """Replace the file of kind and key as a whole; False when the folder cannot be written or trusted."""
        try:
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_private():
                return False
            import tempfile  # noqa: PLC0415  # slow to import, and only needed where nothing is kept yet

            descriptor, temporary = tempfile.mkstemp(dir=self._path, prefix=f".{kind}-")
            try:
                with open(descriptor, "wb") as file:  # noqa: PTH123  # mkstemp gives a descriptor
                    file.write(_MAGIC + hashlib.sha256(body).digest() + body)
                os.replace(temporary, self._file(kind, key))  # noqa: PTH105
            except OSError:
                Path(temporary).unlink(missing_ok=True)
                raise
            self._forget_old(kind)
        except OSError:
            return False
        return True

    def _file(self, kind: str, key: str) -> Path:
        return self._path / f"{kind}-{key[:32]}.bin"

    def _is_private(self) -> bool:
        """Tell whether the folder is a real one, the user's own, and open to nobody else."""
        try:
            found = self._path.lstat()
        except OSError:
            return False
        return stat.S_ISDIR(found.st_mode) and _is_ours(found) and not found.st_mode & 0o077

    def _forget_old(self, kind: str) -> None:
        files = sorted(self._path.glob(f"{kind}-*.bin"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in files[_KEPT:]:
            with contextlib.suppress(FileNotFoundError):
                path.unlink()


def _is_ours(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and not found.st_mode & 0o022
