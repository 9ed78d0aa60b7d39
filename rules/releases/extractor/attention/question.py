"""Questions to a release's platform code: the worlds they are asked in, and how to call its methods."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rules.releases.extractor.evaluation.interpreter import Evaluator, Interpreter
from rules.releases.extractor.evaluation.names import Names
from rules.releases.extractor.evaluation.values import (
    Bag,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Unknown,
    Value,
)
from rules.releases.extractor.evaluation.world import Path, World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rules.releases.extractor.tree import Tree

#: platform classes by the name used in facts: module and class
PLATFORMS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "cuda": ("vllm.platforms.cuda", ("CudaPlatformBase", "CudaPlatform")),
    "rocm": ("vllm.platforms.rocm", ("RocmPlatform",)),
    "xpu": ("vllm.platforms.xpu", ("XPUPlatform",)),
    "cpu": ("vllm.platforms.cpu", ("CpuPlatform",)),
}
#: top-level modules of optional packages, by their name on the package index
PACKAGES: Mapping[str, str] = {
    "flashinfer": "flashinfer-python",
    "xformers": "xformers",
    "flash_attn": "flash-attn",
    "aiter": "aiter",
}
#: the variable that names a backend, in releases that read it
BACKEND_VARIABLE = "VLLM_ATTENTION_BACKEND"
FLOAT16 = External("torch.float16")
#: stands for the place of a question in messages
NOWHERE = ast.parse("question").body[0]
#: releases before the platform classes decided asked these functions of `vllm.utils`
_OLD_CHECKS = {
    "is_cpu": "cpu",
    "is_hip": "rocm",
    "is_xpu": "xpu",
    "is_openvino": "openvino",
    "is_neuron": "neuron",
}


@dataclass(frozen=True, slots=True)
class Machine:
    """What a question assumes of the host."""

    platform: str = "cuda"
    capability: str | None = None
    missing: frozenset[str] = frozenset()
    env: Mapping[str, str] = field(default_factory=dict)


class Asker:
    """Asks the code of one release."""

    def __init__(self, tree: Tree) -> None:
        self.names = Names(tree)
        self.evaluator = Evaluator(self.names)

    def world(self, machine: Machine, results: Mapping[str, Value] | None = None) -> World:
        """Return the world of a question. The configuration that the code can look at says nothing.

        `results` are what functions return beside those that are always known.
        """
        capability = self.capability(machine.capability)
        configuration = Bag("vllm_config", {"model_config": None})
        known: dict[str, Value] = {
            "get_device_capability": capability,
            "get_current_vllm_config": configuration,
            "get_current_vllm_config_or_none": None,
            "is_set": lambda name: name in machine.env,
            "is_fa_version_supported": _bundled_flash_attn(machine),
            # half precision, which is what vLLM loads models in
            "get_default_dtype": FLOAT16,
        }
        known |= {name: machine.platform == wanted for name, wanted in _OLD_CHECKS.items()}
        known |= results or {}
        module, _ = PLATFORMS[machine.platform]
        cls = self.platform_class(machine.platform)
        name = "CudaPlatform" if cls is None else cls.name
        return World((module, name), machine.env, machine.missing, known)

    def interpreter(self, machine: Machine) -> Interpreter:
        """Return an interpreter for what has only one answer on a machine."""
        return Interpreter(self.names, self.world(machine), Path())

    def platform_class(self, platform: str) -> ClassValue | None:
        """Return the class that speaks for a platform."""
        module, names = PLATFORMS[platform]
        found = (self.names.class_named(module, name) for name in names)
        return next((cls for cls in found if cls is not None), None)

    def capability(self, capability: str | None) -> Value:
        """Return a compute capability as the release's own tuple; unknown for None."""
        cls = self.names.class_named("vllm.platforms.interface", "DeviceCapability")
        if capability is None or cls is None:
            return (
                Unknown("get_device_capability()")
                if capability is None
                else tuple(map(int, capability.split(".")))
            )
        major, _, minor = capability.partition(".")
        return Instance(cls, {"major": int(major), "minor": int(minor)})

    def method(self, platform: str, name: str) -> FunctionValue | None:
        """Return a method of a platform class, its base included; None when the release has none."""
        cls = self.platform_class(platform)
        found = None if cls is None else self.names.attribute(cls, name)
        if found is None or not isinstance(found[1], ast.FunctionDef):
            return None
        return FunctionValue(found[0].module, found[1], found[0])


def call_by_name(run: Interpreter, function: Value, values: Mapping[str, Value]) -> Value:
    """Call a function with the values that its parameters ask for by name."""
    if not isinstance(function, FunctionValue):
        return Unknown("not a function")
    spec = function.node.args
    wanted = [one.arg for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
    return run.call(function, [], {name: values[name] for name in wanted if name in values}, NOWHERE)


def _bundled_flash_attn(machine: Machine) -> Value:
    """Return which versions of the bundled flash-attn run: 2 from 8.0 on, 3 on 9.0; 4 is not known.

    Source: `fa_version_unsupported_reason` of vllm/vllm_flash_attn/flash_attn_interface.py, which asks a
    compiled library.
    """
    if machine.capability is None or machine.platform != "cuda":
        return Unknown("is_fa_version_supported()")
    major = int(machine.capability.partition(".")[0])
    known = {2: major >= 8, 3: major == 9}
    return lambda version, *_, **__: known.get(version, Unknown(f"is_fa_version_supported({version})"))
