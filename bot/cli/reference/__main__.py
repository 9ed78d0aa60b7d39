"""`python -m bot.cli.reference FOLDER`: writes the generated pages. Not for what they say."""

from __future__ import annotations

import sys
from pathlib import Path

from bot.cli.reference.pages import write_pages


def main(arguments: list[str]) -> int:
    """Write all pages below the folder and return an exit code."""
    if len(arguments) != 1:
        print("usage: python -m bot.cli.reference FOLDER", file=sys.stderr)  # noqa: T201
        return 64
    for path in write_pages(Path(arguments[0])):
        print(path)  # noqa: T201 (the list of what was written is the output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
