"""Starts the stand-in as a module, or as a file where no package is at hand."""

import sys
from importlib import import_module
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).absolute().parent.parent))

raise SystemExit(import_module((__package__ or "standin") + ".program").main(sys.argv[1:]))
