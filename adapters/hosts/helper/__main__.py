"""Starts the helper from its folder, as a module or as a file. Not in the archive, which has a start of its own."""

import sys
from importlib import import_module
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).absolute().parent.parent))

raise SystemExit(import_module((__package__ or "helper") + ".entry").main(sys.argv[1:]))
