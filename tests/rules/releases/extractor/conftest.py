"""Small vLLM trees for tests: files in the shape of real ones, written into a folder of the test."""

from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from rules.releases.extractor.tree import Tree


@pytest.fixture
def tree_of(tmp_path: Path) -> Callable[[Mapping[str, str]], Tree]:
    """Return a function that writes files by path and gives the tree."""

    def write(files: Mapping[str, str]) -> Tree:
        for path, text in {"vllm/__init__.py": "", **files}.items():
            target = tmp_path / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(dedent(text), encoding="utf-8")
        return Tree(tmp_path)

    return write
