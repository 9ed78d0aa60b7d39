"""The shell commands of a change: complete, POSIX, plain ASCII, safe to copy. Not for running them."""

import re
import shlex
from collections.abc import Mapping

from rules.engine.paste.facts import Facts
from rules.engine.remedy.building import VARIABLE
from rules.engine.remedy.proving import LOG
from rules.engine.remedy.requests import is_masked
from rules.engine.report import Change

_SAFE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_NO_MODEL = '"${MODEL:?set MODEL to the model that you serve}"'


def commands(change: Change, facts: Facts) -> tuple[str, ...]:
    """Return the commands that make a change and start the server again."""
    steps = [f"unset {name}" for name in change.env_unset if _SAFE_NAME.match(name)]
    steps += [f"export {name}={shlex.quote(value)}" for name, value in change.env_set.items()]
    if change.flags_set or change.flags_unset or can_repeat(facts):
        steps.append(_launch(change, facts))
    return tuple(steps)


def can_repeat(facts: Facts) -> bool:
    """Tell whether the launch is known so well that it can be run again."""
    return bool(facts.argv) and not any(is_masked(one) or not one.isascii() for one in facts.argv)


def _launch(change: Change, facts: Facts) -> str:
    words: list[str] = []
    if change.env_unset:
        words += ["env", *(part for name in change.env_unset for part in ("-u", name))]
    kept = facts.env.get(VARIABLE)
    if kept and VARIABLE not in change.env_unset and VARIABLE not in change.env_set:
        words += ([] if words else ["env"]) + [f"{VARIABLE}={kept}"]
    launch = " ".join(shlex.quote(word) for word in words)
    if can_repeat(facts):
        launch += " " + " ".join(shlex.quote(word) for word in changed_argv(facts.argv, change))
    else:
        launch += f" vllm serve {_model(facts)}{_flags(change.flags_set)}"
    return f"{launch.strip()} 2>&1 | tee {LOG}"


def _model(facts: Facts) -> str:
    model = facts.model
    if model and model.isascii() and not is_masked(model):
        return shlex.quote(model)
    return _NO_MODEL


def _flags(flags: Mapping[str, str]) -> str:
    return "".join(f" {name} {shlex.quote(value)}" if value else f" {name}" for name, value in flags.items())


def changed_argv(argv: tuple[str, ...], change: Change) -> tuple[str, ...]:
    """Return a launch with flags set and dropped, the others in their place."""
    touched = {*change.flags_set, *change.flags_unset}
    kept: list[str] = []
    index = 0
    while index < len(argv):
        name, equals, _value = argv[index].partition("=")
        if _canonical(name) not in touched:
            kept.append(argv[index])
        elif not equals and index + 1 < len(argv) and not argv[index + 1].startswith("-"):
            index += 1
        index += 1
    for name, value in change.flags_set.items():
        kept += [name, value] if value else [name]
    return tuple(kept)


def _canonical(name: str) -> str:
    """Return a flag in the spelling of the facts: vLLM's parser takes underscores for hyphens."""
    return name.replace("_", "-") if name.startswith("--") else name
