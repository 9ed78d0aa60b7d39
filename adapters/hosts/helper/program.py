"""How this very program is started again: from its archive, or from its folder. Not for what it does then."""

from __future__ import annotations

import sys
from pathlib import Path

#: what the package is called in the archive, and when it is started from its folder
TOP_NAME = "helper"


def archive() -> Path:
    """Return what to put on the module path so that `helper` can be imported: the archive, or the folder above."""
    package = Path(__file__).absolute().parent
    return package.parent


def command() -> list[str]:
    """Return the argv that starts this program: alone, without the environment's or the user's own modules."""
    package = Path(__file__).absolute().parent
    target = package.parent if package.parent.is_file() else package / "__main__.py"
    return [sys.executable, "-I", "-S", "-B", str(target)]
