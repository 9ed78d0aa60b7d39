"""What the settings of the attention family reach in a release, and what is said about them.

Not for which values they take.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rules.releases.extractor.attention.question import BACKEND_VARIABLE, Asker, Machine
from rules.releases.extractor.attention.towers import tower_backend
from rules.releases.extractor.evaluation.values import ClassValue, FunctionValue, Instance, Value
from rules.releases.model import Part, Reach, Source, Unread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rules.releases.extractor.evaluation.interpreter import Interpreter
    from rules.releases.extractor.tree import Tree

TOWER_FLAG = "--mm-encoder-attn-backend"
#: variables of the family beside the backend's own; each concerns the language model
VARIABLES = (
    "VLLM_DISABLE_FLASHINFER_PREFILL",
    "VLLM_FLASHINFER_DISABLE_Q_QUANTIZATION",
    "VLLM_FLASH_ATTN_MAX_NUM_SPLITS_FOR_CUDA_GRAPH",
    "VLLM_FLASH_ATTN_VERSION",
    "VLLM_USE_CUDNN_PREFILL",
    "VLLM_USE_TRITON_FLASH_ATTN",
    "VLLM_USE_TRTLLM_ATTENTION",
    "VLLM_USE_TRTLLM_RAGGED_DEEPSEEK_PREFILL",
    "VLLM_USE_V1",
    "VLLM_V1_USE_PREFILL_DECODE_ATTENTION",
)
#: flags of the language model by the field of the engine's arguments
FLAGS: Mapping[str, str] = {
    "--attention-backend": "attention_backend",
    "--attention-config": "attention_config",
    "--disable-cascade-attn": "disable_cascade_attn",
}
#: stand for any variable of vLLM, and any flag, that the release does not know
ANY_VARIABLE = "VLLM_*"
ANY_FLAG = "--*"
#: files whose mention of a variable is no use of it: its definition, usage statistics
_NO_USE = ("vllm/envs.py", "vllm/usage/usage_lib.py")
#: modules of the language model's selection; `utils` spells the variable's name out for them
_TEXT_READERS = (
    "vllm/attention/selector.py",
    "vllm/v1/attention/selector.py",
    "vllm/config/attention.py",
)
_SPELT = "STR_BACKEND_ENV_VAR"


def read_reaches(asker: Asker) -> tuple[Reach, ...]:
    """Return the reach of each setting, by name.

    `VLLM_*` and `--*` tell what happens to names that are unknown.
    """
    unknown = _unknown_variable(asker.names.tree)
    found = [
        _backend_variable(asker, unknown),
        *(_variable(asker, name, unknown) for name in VARIABLES),
        *_flags(asker),
        unknown,
        Reach(ANY_FLAG, (), Unread.REJECTED, "unrecognized arguments: {}", None),
    ]
    return tuple(sorted(found, key=lambda reach: reach.setting))


def _unknown_variable(tree: Tree) -> Reach:
    """Return what is said about a variable of vLLM that no code knows.

    A warning in later releases, nothing before.
    """
    for path in ("vllm/envs.py", "vllm/platforms/interface.py"):
        module = tree.module(path)
        for node in ast.walk(module.node) if module is not None else ():
            if (
                isinstance(node, ast.Call)
                and ast.unparse(node.func).startswith("logger.warning")
                and node.args
            ):
                text = node.args[0].value if isinstance(node.args[0], ast.Constant) else ""
                if isinstance(text, str) and "Unknown vLLM environment variable" in text:
                    message = text.replace("%s", "{}")
                    return Reach(ANY_VARIABLE, (), Unread.WARNS, message, Source(path, node.lineno))
    return Reach(ANY_VARIABLE, (), Unread.SILENT, None, None)


def _backend_variable(asker: Asker, unknown: Reach) -> Reach:
    tree = asker.names.tree
    source = _use(tree, _TEXT_READERS, (BACKEND_VARIABLE, _SPELT))
    parts = [Part.TEXT] if source is not None else []
    tower = _tower_reads_variable(asker)
    if tower:
        parts.append(Part.TOWER)
    if not parts:
        return _unread(BACKEND_VARIABLE, asker, unknown)
    return Reach(
        BACKEND_VARIABLE, tuple(parts), Unread.IS_READ, _deprecation(asker, BACKEND_VARIABLE), source
    )


def _tower_reads_variable(asker: Asker) -> bool:
    """Tell whether an encoder follows the variable: ask for two backends and see whether it gets them."""
    wanted = ("TORCH_SDPA", "FLASH_ATTN")
    got = tuple(
        tower_backend(asker, Machine("cuda", "8.0", env={BACKEND_VARIABLE: name}), 64) for name in wanted
    )
    if got == wanted:
        return True
    # the oldest releases keep a yes or no for flash-attn and refuse all but two names
    old = ("XFORMERS", "FLASH_ATTN")
    return old == tuple(
        tower_backend(asker, Machine("cuda", "8.0", env={BACKEND_VARIABLE: name}), 64) for name in old
    )


def _variable(asker: Asker, name: str, unknown: Reach) -> Reach:
    tree = asker.names.tree
    source = _use(tree, tree.paths(), (name,))
    if source is None:
        return _unread(name, asker, unknown)
    return Reach(name, (Part.TEXT,), Unread.IS_READ, _deprecation(asker, name), source)


def _unread(name: str, asker: Asker, unknown: Reach) -> Reach:
    """Return the reach of a variable that no code uses.

    One that is still listed is passed over in silence.
    """
    if f'"{name}"' in (asker.names.tree.text("vllm/envs.py") or ""):
        return Reach(name, (), Unread.SILENT, None, None)
    message = None if unknown.message is None else unknown.message.replace("{}", name, 1)
    return Reach(name, (), unknown.unread, message, unknown.source)


def _use(tree: Tree, paths: tuple[str, ...], names: tuple[str, ...]) -> Source | None:
    """Return the first place that uses a variable: `envs.NAME`, or its name as a string of its own."""
    for path in paths:
        text = None if path in _NO_USE else tree.text(path)
        if text is None or not any(name in text for name in names):
            continue
        module = tree.module(path)
        uses = (
            node.lineno
            for node in (ast.walk(module.node) if module is not None else ())
            if (isinstance(node, ast.Attribute) and node.attr in names)
            or (isinstance(node, ast.Name) and node.id in names)
            or (isinstance(node, ast.Constant) and node.value in names)
        )
        line = min(uses, default=None)
        if line is not None:
            return Source(path, line)
    return None


def _deprecation(asker: Asker, name: str) -> str | None:
    """Return the warning with which the configuration takes a variable over, None when it does not."""
    cls = asker.names.class_named("vllm.config.attention", "AttentionConfig")
    found = None if cls is None else asker.names.attribute(cls, "_set_from_env_if_set")
    field = None if cls is None else _field_of(cls, name)
    if cls is None or field is None or found is None or not isinstance(found[1], ast.FunctionDef):
        return None
    method = FunctionValue(found[0].module, found[1], found[0], Instance(cls))

    def question(run: Interpreter) -> Value:
        return run.call(method, [field, name], {}, method.node)

    machine = Machine("cuda", "8.0", env={name: "FLASH_ATTN"})
    for outcome in asker.evaluator.outcomes(asker.world(machine), question):
        for logged in outcome.log:
            if logged.level == "warning":
                return logged.text
    return None


def _field_of(cls: ClassValue, name: str) -> str | None:
    for node in ast.walk(cls.node):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("_set_from_env_if_set"):
            values = [one.value for one in node.args if isinstance(one, ast.Constant)]
            if len(values) == 2 and values[1] == name:
                return str(values[0])
    return None


def _flags(asker: Asker) -> Iterator[Reach]:
    arguments = asker.names.class_named("vllm.engine.arg_utils", "EngineArgs")
    if arguments is None:
        return
    fields = dict(asker.names.fields(arguments))
    for flag, field in FLAGS.items():
        if field in fields:
            yield Reach(flag, (Part.TEXT,), Unread.IS_READ, None, _field_source(arguments, field))
    if "attention_config" in fields:
        yield from _configuration_flags(asker)
    if "mm_encoder_attn_backend" in fields:
        yield Reach(
            TOWER_FLAG,
            (Part.TOWER,),
            Unread.IS_READ,
            None,
            _field_source(arguments, "mm_encoder_attn_backend"),
        )


def _configuration_flags(asker: Asker) -> Iterator[Reach]:
    cls = asker.names.class_named("vllm.config.attention", "AttentionConfig")
    for field, _ in asker.names.fields(cls) if cls is not None else ():
        if cls is not None and not field.startswith("_"):
            yield Reach(
                f"--attention-config.{field}", (Part.TEXT,), Unread.IS_READ, None, _field_source(cls, field)
            )


def _field_source(cls: ClassValue, field: str) -> Source:
    lines = (
        node.lineno
        for node in cls.node.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == field
    )
    return Source(cls.file, next(lines, cls.node.lineno))
