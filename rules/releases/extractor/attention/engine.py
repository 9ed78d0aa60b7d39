"""Which engine a release starts by default, where it has two (V0 and V1). Not for what the engines do."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rules.releases.extractor.attention.question import NOWHERE, Asker, Machine
from rules.releases.extractor.evaluation.expressions import Frame
from rules.releases.extractor.evaluation.values import Unknown, Value

if TYPE_CHECKING:
    from rules.releases.extractor.evaluation.interpreter import Interpreter

#: method of the engine's arguments that tells whether V1 can serve them
ORACLE = "_is_v1_supported_oracle"
#: words in a condition of the oracle that concern the GPU or the backend, and nothing else of the launch
_DECIDING = ("get_device_capability", "V1_BACKENDS")


def default_engine_is_v1(asker: Asker, machine: Machine) -> bool:
    """Tell whether an ordinary launch on this machine starts V1.

    Releases without the variable `VLLM_USE_V1` have one engine: V0 before it came, V1 after it went.
    """
    envs = asker.names.module("vllm.envs")
    run_default = None if envs is None else asker.evaluator.one(
        asker.world(machine), lambda run: run.attribute(envs, "VLLM_USE_V1", NOWHERE)
    )  # fmt: skip
    if not isinstance(run_default, bool):
        return asker.names.module("vllm.worker.worker") is None
    return run_default and not _falls_back(asker, machine)


def _falls_back(asker: Asker, machine: Machine) -> bool:
    oracle = _oracle(asker)
    if oracle is None:
        return False
    frame, node = oracle

    def question(run: Interpreter) -> Value:
        for statement in node.body:
            if isinstance(statement, ast.Assign) and "V1_BACKENDS" in ast.unparse(statement.targets[0]):
                run.step(statement, frame)
            if isinstance(statement, ast.If) and any(
                word in ast.unparse(statement.test) for word in _DECIDING
            ):
                value = run.evaluate(statement.test, frame)
                if not isinstance(value, Unknown) and run.truth(value, statement):
                    return True
        return False

    return asker.evaluator.one(asker.world(machine), question) is True


def _oracle(asker: Asker) -> tuple[Frame, ast.FunctionDef] | None:
    cls = asker.names.class_named("vllm.engine.arg_utils", "EngineArgs")
    found = None if cls is None else asker.names.attribute(cls, ORACLE)
    if found is None or not isinstance(found[1], ast.FunctionDef):
        return None
    return Frame(found[0].module, found[0]), found[1]
