"""The log lines that name the chosen backend.

Recorded while the release's own selector is followed. Not for other logs.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rules.releases.extractor.attention.backend_classes import backend_enum
from rules.releases.extractor.attention.question import FLOAT16, PLATFORMS, Asker, Machine, call_by_name
from rules.releases.extractor.attention.selection import Case, Selector
from rules.releases.extractor.evaluation.values import External, Logged, Member, Value, fill, show
from rules.releases.model import ChosenBy, Part, SelectionLine, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rules.releases.extractor.evaluation.interpreter import Interpreter
    from rules.releases.extractor.evaluation.world import Outcome
    from rules.releases.extractor.tree import Tree

#: files that hold the class of all encoder layers, newest place first
_ENCODER_LAYERS = (
    "vllm/model_executor/layers/attention/mm_encoder_attention.py",
    "vllm/attention/layers/mm_encoder_attention.py",
)
_ENCODER_LAYER = "MMEncoderAttention"
#: cases that between them reach every line of a selector: old, usual, Blackwell GPUs; usual, odd, latent
#: head sizes
_CASES = tuple(
    Case(capability, size, mla)
    for capability in ("7.5", "8.0", "9.0", "10.0")
    for size, mla in ((128, False), (80, False), (576, True))
)
#: backends that a call must have been seen with before it is taken to name any
_SEVERAL = 3
#: a text of a log call that names a choice
_NAMES_CHOICE = re.compile(r"^Using .*\bbackend\b|^Using .* for vit attention", re.IGNORECASE)


def read_selection_lines(asker: Asker, selector: Selector) -> tuple[SelectionLine, ...]:
    """Return the lines as printed, with `{backend}` where the member's name stands."""
    enum = backend_enum(asker)
    layers = () if enum is None else _encoder_layer_lines(asker.names.tree, enum.name)
    found = dict.fromkeys(
        [*layers, *_merged([*_text_lines(asker, selector), *_tower_lines(asker)], asker.names.tree)]
    )
    order = ("any", *PLATFORMS)

    def rank(one: SelectionLine) -> tuple[str, str, int, int, str, str]:
        platform = order.index(one.platform)
        return one.part, one.chosen_by, platform, one.source.line, one.backend or "", one.template

    return tuple(sorted(found, key=rank))


def _text_lines(asker: Asker, selector: Selector) -> Iterator[SelectionLine]:
    for platform in PLATFORMS:
        method = asker.method(platform, "get_attn_backend_cls")
        file = selector.source.file if method is None else method.module.path
        for case in _text_cases(selector, platform):
            by = ChosenBy.AUTO if case.selected is None else ChosenBy.USER
            # what the configuration step sets by itself is logged as if a user had chosen it, for that
            # backend alone
            forced = selector.forced(case) if by is ChosenBy.AUTO else None
            for outcome in selector.outcomes(case):
                name = selector.member_of(outcome)
                if name is None or (
                    case.selected and case.selected.removesuffix("_VLLM_V1") != name.removesuffix("_VLLM_V1")
                ):
                    continue
                for line in _lines(outcome, name, Part.TEXT, by, platform, file):
                    yield (
                        line
                        if forced is None
                        else replace(line, template=line.template.replace("{backend}", name))
                    )


def _text_cases(selector: Selector, platform: str) -> Iterator[Case]:
    usual = _CASES if platform == "cuda" else (Case(None, 128), Case(None, 576, mla=True))
    engines: tuple[dict[str, Value], ...] = (
        ({"use_v1": True}, {"use_v1": False}) if selector.has_engines else ({},)
    )
    for case in usual:
        for engine in engines:
            auto = replace(case, platform=platform, values=engine)
            yield auto
            for name in selector.choosable(auto):
                yield replace(auto, selected=name)


def _tower_lines(asker: Asker) -> Iterator[SelectionLine]:
    for platform in PLATFORMS:
        method = asker.method(platform, "get_vit_attn_backend")
        if method is None or "backend" not in {one.arg for one in method.node.args.args}:
            continue
        for capability in ("7.5", "9.0") if platform == "cuda" else (None,):
            machine = Machine(platform, capability)
            for wanted, by in _wanted(asker):

                def question(run: Interpreter, wanted: Value = wanted, node: ast.AST = method.node) -> Value:
                    values = {"head_size": 64, "dtype": FLOAT16, "backend": wanted}
                    return call_by_name(
                        run, run.attribute(run.platform(), "get_vit_attn_backend", node), values
                    )

                for outcome in asker.evaluator.outcomes(asker.world(machine), question):
                    if isinstance(outcome.value, Member):
                        yield from _lines(
                            outcome, outcome.value.name, Part.TOWER, by, platform, method.module.path
                        )


def _wanted(asker: Asker) -> Iterator[tuple[Value, ChosenBy]]:
    yield None, ChosenBy.AUTO
    enum = backend_enum(asker)
    if enum is not None:
        run = asker.interpreter(Machine())
        for member in run.enum_members(enum):
            yield member, ChosenBy.USER


def _lines(
    outcome: Outcome, name: str, part: Part, by: ChosenBy, platform: str, file: str
) -> Iterator[SelectionLine]:
    for logged in outcome.log:
        template = _template(logged, name)
        if logged.level == "info" and _NAMES_CHOICE.search(template):
            yield SelectionLine(part, by, platform, name, template, Source(file, logged.line))


def _merged(lines: Iterable[SelectionLine], tree: Tree) -> Iterator[SelectionLine]:
    """Yield one line for all backends where a call logs whichever was chosen; else one for each backend."""
    by_call: dict[SelectionLine, list[str]] = {}
    for line in lines:
        by_call.setdefault(replace(line, backend=None), []).append(line.backend or "")
    for line, names in by_call.items():
        if "{backend}" in line.template and (len(set(names)) >= _SEVERAL or _names_any(line, tree)):
            yield line
            continue
        for name in dict.fromkeys(names):
            yield replace(line, backend=name, template=line.template.replace("{backend}", name))


def _names_any(line: SelectionLine, tree: Tree) -> bool:
    """Tell whether the call behind a line logs the name of whatever was chosen, not of one member."""
    module = tree.module(line.source.file)
    calls = (
        node
        for node in (ast.walk(module.node) if module is not None else ())
        if isinstance(node, ast.Call) and node.lineno == line.source.line and len(node.args) > 1
    )
    names = {ast.unparse(call.args[1]) for call in calls}
    return line.part is Part.TEXT and "selected_backend.name" in names


def _template(logged: Logged, name: str) -> str:
    """Return a record's text: the member's name as `{backend}`, other values that vary as `{}`."""
    kept = tuple(
        value if isinstance(value, Member) or show(value) == name else External("{}")
        for value in logged.values
    )
    text = fill(logged.template, kept) if logged.values else logged.template
    return re.sub(rf"(?<![\w'\"]){re.escape(name)}(?![\w'\"])", "{backend}", text)


def _encoder_layer_lines(tree: Tree, enum_name: str) -> Iterator[SelectionLine]:
    """Yield the line that every encoder layer logs, whatever its platform."""
    for path in _ENCODER_LAYERS:
        module = tree.module(path)
        cls = None if module is None else module.classes.get(_ENCODER_LAYER)
        for node in ast.walk(cls) if cls is not None else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("logger.info") and node.args:
                text = _joined(node.args[0], f"{enum_name}.{{backend}}")
                if f"for {_ENCODER_LAYER}" in text:
                    for by in ChosenBy:
                        yield SelectionLine(Part.TOWER, by, "any", None, text, Source(path, node.lineno))


def _joined(node: ast.expr, value: str) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else value for part in node.values)
    return (
        node.value.replace("%s", value, 1)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        else ""
    )
