"""Reads files that hold launches of vLLM: scripts, compose files, units, manifests. Runs and fetches nothing."""

from rules.engine.launch_files.found import FileReading, FoundLaunch, Remark, RemarkKind
from rules.engine.launch_files.reading import read_launches

__all__ = ["FileReading", "FoundLaunch", "Remark", "RemarkKind", "read_launches"]
