"""The shape of the code: sizes, names, docstrings, and which part may import which."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("rules", "adapters", "bot")
#: names that say nothing about what a module is for
EMPTY_NAMES = {"utils", "helpers", "common", "core", "misc", "manager"}
MODULES = sorted(path for part in PARTS for path in (ROOT / part).rglob("*.py"))


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _imports(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
    return found


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_a_module_is_short_documented_and_named_for_what_it_does(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)

    assert path.stem not in EMPTY_NAMES
    assert len(text.splitlines()) <= 300
    if text.strip():
        assert ast.get_docstring(tree)


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_functions_and_classes_stay_small(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    too_long = [
        f"{node.name} has {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.end_lineno - node.lineno + 1 > 50
    ]

    assert not too_long


@pytest.mark.parametrize("folder", sorted({path.parent for path in MODULES}), ids=_name)
def test_a_folder_holds_at_most_twelve_modules(folder):
    modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]

    assert len(modules) <= 12


def test_only_the_composition_root_imports_concrete_adapters():
    allowed = {
        "adapters.chat.interface",
        "adapters.hosts.interface",
        "adapters.hosts.records",
        "adapters.hosts.errors",
    }
    offenders = [
        f"{_name(path)} imports {name}"
        for path in MODULES
        if path.parts[len(ROOT.parts)] == "bot" and not _name(path).startswith("bot/bootstrap/")
        for name in _imports(ast.parse(path.read_text(encoding="utf-8")))
        if name.startswith("adapters.") and name not in allowed
    ]

    assert not offenders


def test_chat_platforms_never_import_each_other():
    chat = ROOT / "adapters" / "chat"
    platforms = [folder.name for folder in chat.iterdir() if folder.is_dir() and folder.name != "__pycache__"]
    offenders = [
        f"{_name(path)} imports {name}"
        for platform in platforms
        for path in (chat / platform).rglob("*.py")
        for name in _imports(ast.parse(path.read_text(encoding="utf-8")))
        for other in platforms
        if other != platform and name.startswith(f"adapters.chat.{other}")
    ]

    assert not offenders
