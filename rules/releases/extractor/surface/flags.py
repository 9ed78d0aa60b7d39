"""Reads the flags of `vllm serve` and the dotted keys of its JSON flags. Not for what acts on them."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from rules.releases.extractor.surface.deprecation import deprecation_of
from rules.releases.extractor.surface.keywords import Keywords, config_keywords
from rules.releases.extractor.surface.registration import Added, added_by
from rules.releases.extractor.surface.stated.registries import known_values
from rules.releases.extractor.tree import members
from rules.releases.model import Flag, Source

if TYPE_CHECKING:
    from rules.releases.extractor.tree import Module, Tree

#: all commands of the oldest releases in one
OLD_SCRIPT = "vllm/scripts.py"
#: modules that register the `serve` command, newest first, with the function that does
REGISTERING = (("vllm/entrypoints/cli/serve.py", "subparser_init"), (OLD_SCRIPT, "main"))
#: in the old single script only this parser is the server's
SERVE_PARSER = "serve_parser"
#: deepest dotted key that is listed (`--compilation-config.pass_config.fuse_norm_quant`)
DEEPEST_KEY = 3
PARSER_FILES = ("vllm/utils.py", "vllm/utils/__init__.py", "vllm/utils/argparse_utils.py")


def read_flags(tree: Tree) -> tuple[Flag, ...]:
    """Return the flags of `vllm serve`, sorted by name; of a flag that is added twice the first counts."""
    found: dict[str, Flag] = {}
    for added in _added(tree):
        flag = _flag(added)
        found.setdefault(flag.name, flag)
    named = {name: replace(flag, known=known_values(tree, name)) for name, flag in found.items()}
    return tuple(named[name] for name in sorted(named))


def read_dotted_flags(tree: Tree) -> tuple[Flag, ...]:
    """Return the keys that JSON flags accept one by one (`--attention-config.backend`), sorted by name.

    Empty in releases whose parser has no dotted keys. A name that ends in `.*` says that any key is accepted.
    """
    if not any("create_nested_dict" in (tree.text(path) or "") for path in PARSER_FILES):
        return ()
    found: dict[str, Flag] = {}
    for added in _added(tree):
        flag = _flag(added)
        if added.keywords.dataclass is not None:
            for key in _keys(tree, flag.name, added.keywords.dataclass, depth=1):
                found.setdefault(key.name, key)
        elif flag.type == "json":
            found.setdefault(f"{flag.name}.*", Flag(f"{flag.name}.*", flag.source, type="json"))
    return tuple(found[name] for name in sorted(found))


def _added(tree: Tree) -> list[Added]:
    for path, name in REGISTERING:
        module = tree.module(path)
        function = _function(module, name) if module else None
        if module is not None and function is not None:
            part = _serve_part(function) if path == OLD_SCRIPT else function
            return added_by(tree, module, part, owner=None)
    return []


def _function(module: Module, name: str) -> ast.FunctionDef | None:
    """Return a function of a module, or the method of that name of any of its classes."""
    methods = [members(node).get(name) for node in module.classes.values()]
    found = [item for item in (module.functions.get(name), *methods) if isinstance(item, ast.FunctionDef)]
    return found[0] if found else None


def _serve_part(function: ast.FunctionDef) -> ast.FunctionDef:
    """Return the function with only those statements that speak of the server's parser."""
    kept = [statement for statement in function.body if _speaks_of(statement, SERVE_PARSER)]
    part = ast.FunctionDef(function.name, function.args, kept, [], None)
    return ast.copy_location(part, function)


def _speaks_of(statement: ast.stmt, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(statement))


def _flag(added: Added) -> Flag:
    """Return the record; the longest option string is the name, the others are aliases."""
    words = added.keywords
    long = [option for option in added.options if option.startswith("--")] or list(added.options)
    name = long[0]
    others = [option for option in added.options if option != name]
    if words.paired:
        others.extend(f"--no-{option.removeprefix('--')}" for option in long)
    return Flag(
        name=name,
        source=Source(added.file, words.line),
        aliases=tuple(others),
        type=words.type,
        choices=words.choices,
        deprecated=deprecation_of(name, words),
        default=words.default,
        any_case=words.any_case,
        nargs=words.nargs,
        bounds=words.bounds,
    )


def _keys(tree: Tree, prefix: str, owner: tuple[Module, ast.ClassDef], depth: int) -> list[Flag]:
    found: list[Flag] = []
    for field, (file, words) in config_keywords(tree, *owner).items():
        name = f"{prefix}.{field}"
        found.append(_key(name, file, words))
        if words.dataclass is not None and depth < DEEPEST_KEY:
            found.extend(_keys(tree, name, words.dataclass, depth + 1))
        elif words.type == "json":
            found.append(Flag(f"{name}.*", Source(file, words.line), type="json"))
    return found


def _key(name: str, file: str, words: Keywords) -> Flag:
    return Flag(
        name=name,
        source=Source(file, words.line),
        type=words.type,
        choices=words.choices,
        deprecated=deprecation_of(name, words),
        default=words.default,
        any_case=words.any_case,
        bounds=words.bounds,
    )
