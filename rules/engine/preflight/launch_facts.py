"""A launch as the facts that remedies are made from, with what is secret masked. Not for judging it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.engine.paste.facts import Facts
from rules.engine.preflight.checks.environment.backend_variable import VARIABLE
from rules.engine.preflight.shown import masked_env, masked_value, masked_words
from rules.engine.versions import specifier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packaging.version import Version

    from rules.engine.preflight.case import Case

#: variables that say something of the server to whoever reads the facts
_KEPT = ("VLLM_", "CUDA_VISIBLE_DEVICES")


def facts_of(case: Case, versions: Sequence[Version], stray: Sequence[str] = ()) -> Facts:
    """Return the facts of a case; `stray` are words that belong to a broken value."""
    launch, machine = case.launch, case.known.machine
    one = str(versions[0]) if len(versions) == 1 else None
    words = _ordered(case, [word for word in launch.words if word not in stray])
    model = case.parsed.model
    env = {name: value for name, value in launch.env.items() if name.startswith(_KEPT)}
    flags = {option.flag.name: " ".join(option.values) for option in case.parsed.options}
    asked = flags.get("--attention-backend") or env.get(VARIABLE)
    return Facts(
        vllm_version=one,
        vllm_series=None if one else specifier(versions, case.releases.versions()),
        gpu=machine.gpu,
        compute_capability=machine.compute_capability,
        platform=machine.platform,
        architecture=machine.architecture,
        model=masked_value("--model", model) if model else None,
        env=masked_env(env),
        argv=masked_words((*(("vllm", "serve") if launch.container else launch.head), *words)),
        container=masked_words(launch.container),
        flags={name: masked_value(name, value) for name, value in flags.items()},
        backend_requested=asked.upper() if asked else None,
    )


def _ordered(case: Case, words: list[str]) -> list[str]:
    """Return the words with the model first, so that no switch before it can be taken for its flag."""
    model = case.parsed.model
    if not case.launch.is_serve or case.parsed.model_by_flag or model is None or model not in words:
        return words
    place = words.index(model)
    return [model, *words[:place], *words[place + 1 :]]
