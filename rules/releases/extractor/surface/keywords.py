"""What a parser is told about one flag, by a configuration class or a call. Not for finding the calls."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rules.releases.extractor.surface.annotations import is_field, last_name, read_hint
from rules.releases.extractor.surface.converting import (
    also_accepted,
    ignores_case,
    named_converters,
    validators,
)
from rules.releases.extractor.surface.stated.limits import bounds_of
from rules.releases.extractor.surface.values import default_text, names_in, text_of
from rules.releases.extractor.tree import dotted_name

if TYPE_CHECKING:
    from rules.releases.extractor.surface.annotations import Hint
    from rules.releases.extractor.tree import Module, Tree

BOOLEAN_ACTIONS = frozenset({"store_true", "store_false", "StoreBoolean"})
#: `--x` and `--no-x`
PAIRED_ACTION = "BooleanOptionalAction"


@dataclass(frozen=True, slots=True)
class Keywords:
    """What the parser knows of one flag."""

    line: int
    type: str = "str"
    choices: tuple[str, ...] | None = None
    default: str | None = None
    help: str = ""
    paired: bool = False
    deprecated: bool = False
    any_case: bool = False
    nargs: str = ""
    bounds: tuple[str, ...] = ()
    #: configuration class behind a JSON flag
    dataclass: tuple[Module, ast.ClassDef] | None = None


def class_line(tree: Tree, module: Module, node: ast.ClassDef) -> list[tuple[Module, ast.ClassDef]]:
    """Return a class and its bases inside vLLM, bases first."""
    found: list[tuple[Module, ast.ClassDef]] = []
    for base in node.bases:
        name = dotted_name(base)
        origin = tree.resolve(module, name) if name else None
        if origin and isinstance(origin[1], ast.ClassDef):
            found.extend(item for item in class_line(tree, origin[0], origin[1]) if item not in found)
    return [*found, (module, node)]


def config_keywords(tree: Tree, module: Module, node: ast.ClassDef) -> dict[str, tuple[str, Keywords]]:
    """Return by field the file and what vLLM's `get_kwargs` makes of it, for a configuration class."""
    found: dict[str, tuple[str, Keywords]] = {}
    for origin, base in class_line(tree, module, node):
        for statement, following in zip(base.body, [*base.body[1:], None], strict=True):
            if isinstance(statement, ast.AnnAssign) and is_field(statement) and not _never_given(statement):
                doc = following.value if isinstance(following, ast.Expr) else None
                words = _field_keywords(tree, origin, statement, doc, base)
                found[last_name(statement.target)] = (origin.path, words)
    return found


def _never_given(statement: ast.AnnAssign) -> bool:
    """Tell whether a field is made by the class itself (`field(init=False)`)."""
    call = statement.value
    if not isinstance(call, ast.Call):
        return False
    return any(
        word.arg == "init" and isinstance(word.value, ast.Constant) and word.value.value is False
        for word in call.keywords
    )


def _field_keywords(
    tree: Tree, module: Module, statement: ast.AnnAssign, doc: ast.expr | None, owner: ast.ClassDef
) -> Keywords:
    hint = read_hint(tree, module, statement.annotation)
    name = last_name(statement.target)
    checks = validators(owner, name)
    stated = None if hint.open or "str" in hint.kinds else hint.choices
    if stated is not None:
        stated = (*stated, *(text for check in checks for text in also_accepted(check)))
    return Keywords(
        line=statement.lineno,
        type=named_converters(tree).get(name) or hint_type(hint),
        choices=stated,
        default=default_text(tree, module, statement.value),
        help=(text_of(tree, module, doc) or "") if doc is not None else "",
        paired="bool" in hint.kinds and "str" not in hint.kinds and not hint.dataclasses,
        dataclass=hint.dataclasses[0] if hint.dataclasses else None,
        any_case=any(ignores_case(check) for check in checks),
        nargs=hint_nargs(hint),
        bounds=bounds_of(statement),
    )


def hint_type(hint: Hint) -> str:
    """Return the type of a flag's value, in the order in which vLLM's `get_kwargs` decides."""
    if hint.dataclasses:
        return "json"
    if "bool" in hint.kinds and "str" not in hint.kinds:
        return "bool"
    if "Literal" in hint.kinds:
        return "str"
    if hint.kinds & {"list", "tuple", "set"}:
        return "list"
    return next(
        (kind for kind in ("int", "float") if kind in hint.kinds), "json" if "dict" in hint.kinds else "str"
    )


def hint_nargs(hint: Hint) -> str:
    """Return how many words a flag takes, as vLLM's `get_kwargs` decides; empty for the usual number."""
    if hint.dataclasses or "Literal" in hint.kinds:
        return ""
    if hint.kinds == {"bool", "str", "None"}:
        return "?"
    if "bool" in hint.kinds:
        return ""
    return "+" if hint.kinds & {"list", "tuple", "set"} else ""


def call_keywords(tree: Tree, module: Module, words: list[ast.keyword], base: Keywords) -> Keywords:
    """Return `base` changed by the keywords of an `add_argument` call."""
    for word in words:
        if word.arg is not None:
            base = change(tree, module, base, word.arg, word.value)
    return base


def change(tree: Tree, module: Module, base: Keywords, name: str, value: ast.expr) -> Keywords:
    """Return `base` after `kwargs["field"]["name"] = value`, or with that keyword in a call."""
    if name == "choices":
        # a list that is empty in the source is filled when the program runs
        return replace(base, choices=names_in(tree, module, value) or None)
    if name == "default":
        return replace(base, default=default_text(tree, module, value))
    if name == "help":
        return replace(base, help=text_of(tree, module, value) or base.help)
    if name == "nargs":
        return replace(base, nargs=str(value.value) if isinstance(value, ast.Constant) else base.nargs)
    if name == "deprecated":
        return replace(base, deprecated=isinstance(value, ast.Constant) and bool(value.value))
    return _with_action(base, value) if name == "action" else _with_type(base, name, value)


def _with_action(base: Keywords, value: ast.expr) -> Keywords:
    action = value.value if isinstance(value, ast.Constant) else last_name(value)
    if action == PAIRED_ACTION:
        return replace(base, type="bool", paired=True)
    if action in BOOLEAN_ACTIONS:
        takes_word = action == "StoreBoolean"
        return replace(base, type="bool", paired=False, nargs="?" if takes_word else "")
    return replace(base, type="list" if action == "append" else base.type, paired=False)


def _with_type(base: Keywords, name: str, value: ast.expr) -> Keywords:
    if name != "type":
        return base
    if isinstance(value, ast.Lambda):
        # `lambda s: s.lower().replace("-", "_")` only changes the spelling
        return replace(base, any_case=base.any_case or ignores_case(value))
    return replace(base, type=_type_text(value))


def _type_text(value: ast.expr) -> str:
    """Return `str`, `int`, `float`, `json`, or the name of the converter."""
    if (
        isinstance(value, ast.Call)
        and last_name(value.func) in {"optional_type", "parse_type"}
        and value.args
    ):
        return _type_text(value.args[0])
    name = dotted_name(value) or "str"
    if name in {"nullable_str", "optional_str"}:
        return "str"
    if name in {"json.loads", "loads"} or name.endswith((".from_json", ".from_cli")):
        return "json"
    return name
