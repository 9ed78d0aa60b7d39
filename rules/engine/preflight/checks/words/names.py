"""Names that a release registers: parsers, quantization methods, load formats. Not for closed lists."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from rules.engine.preflight.checks.words.values import CLASS, listed, use, without
from rules.engine.preflight.faults import Fault
from rules.engine.preflight.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.engine.preflight.case import Case
    from rules.engine.preflight.reading.options import Option

#: flag -> the flag that loads a plugin, which may bring more names
_PLUGINS = {
    "--tool-call-parser": "--tool-parser-plugin",
    "--reasoning-parser": "--reasoning-parser-plugin",
}
_PRINTED = {
    "--tool-call-parser": "KeyError: 'invalid tool call parser: {} (chose from {{ … }})'",
    "--reasoning-parser": "KeyError: 'invalid reasoning parser: {} (chose from {{ … }})'",
}


def check(case: Case) -> Iterator[Fault]:
    """Yield a fault for each name that neither the release nor a plugin brings."""
    for option in case.parsed.options:
        known = option.flag.known
        if known is None or option.flag.choices or len(option.values) != 1:
            continue
        for value in case.read(option):
            if value and value != "None" and _folded(option, value) not in known and _counts(case, option):
                yield _fault(case, option, value, known)


def _folded(option: Option, value: str) -> str:
    return value.lower() if option.flag.any_case else value


def _counts(case: Case, option: Option) -> bool:
    """Tell whether the name is looked up: no plugin, and for tool parsers only where tools are on."""
    plugin = _PLUGINS.get(option.flag.name)
    if plugin is not None and case.parsed.option(plugin) is not None:
        return False
    if case.env("VLLM_PLUGINS"):
        return False
    return option.flag.name != "--tool-call-parser" or bool(case.parsed.is_on("--enable-auto-tool-choice"))


def _fault(case: Case, option: Option, value: str, known: tuple[str, ...]) -> Fault:
    name, given = option.flag.name, case.shown(option, value)
    near = next(iter(get_close_matches(value.lower(), known, n=1, cutoff=0.6)), None)
    edits = ([use(option, near)] if near else []) + [without(option)]
    is_parser = name in _PRINTED
    return Fault(
        "parser-name-unknown" if is_parser else "preflight-name-unknown",
        "tool-or-reasoning-parser-invalid" if is_parser else CLASS,
        Severity.BLOCKS_START,
        "name-unknown.near" if near else "name-unknown",
        name,
        {"flag": option.spelled, "given": given, "near": near or "", "choices": listed(known)},
        tuple(edits) if near or not is_parser else (without(option),),
        printed=_PRINTED[name].format(given) if is_parser else None,
    )
