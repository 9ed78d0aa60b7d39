"""Flags as programs and YAML list them: `non-default args`, `Namespace(…)`, `args:`. Not command lines."""

from typing import Final

import re2

from rules.engine.paste.fact_reading.page import Page
from rules.engine.paste.fact_reading.shell import read_flags

#: short names of `vllm serve` (vLLM 0.6.3 to 0.33.0, `vllm/engine/arg_utils.py`)
ALIASES: Final = {
    "-tp": "--tensor-parallel-size",
    "-pp": "--pipeline-parallel-size",
    "-dp": "--data-parallel-size",
    "-q": "--quantization",
    "-sc": "--speculative-config",
    "-cc": "--compilation-config",
    "-ac": "--attention-config",
    "-ep": "--enable-expert-parallel",
}
#: arguments of `Namespace(…)` and `non-default args` that are no flags
_NO_FLAGS: Final = frozenset({"model_tag", "model", "subparser", "dispatch_function", "config", "headless"})
_DEFAULTS: Final = frozenset({"None", "False", "[]", "{}", "''", "auto", "'auto'", ""})
LISTED_LITERALS: Final = ("- --", '- "--', "- '--", '"--', "'--")
#: `- --flag=value`, `- "--flag"` and the value on the next line
_ITEM: Final = re2.compile(r"^\s*-\s+[\"']?(--?[A-Za-z][A-Za-z0-9_.-]*)(?:[= ]([^\"'\n]*))?[\"']?\s*$")
_VALUE_ITEM: Final = re2.compile(r"^\s*-\s+[\"']?([^-\"'\s][^\"'\n]*?)[\"']?\s*$")
_QUOTED: Final = re2.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'")


def read_arguments(text: str, *, named: bool) -> tuple[str | None, dict[str, str]]:
    """Return model and flags of `'model': 'x', 'port': 80}`, or with `named` of `model='x', port=80)`.

    A Namespace holds every argument, so of it only what is no default counts.
    """
    model: str | None = None
    flags: dict[str, str] = {}
    for entry in _entries(text):
        name, mark, raw = entry.partition("=" if named else ":")
        key, value = name.strip().strip("'\""), raw.strip()
        if not mark or not key.replace("_", "").isalnum():
            continue
        if key in {"model", "model_tag"} and value not in _DEFAULTS:
            model = _unquoted(value)
        if key in _NO_FLAGS or (value in _DEFAULTS and (named or value != "False")):
            continue
        flag = "--" + key.replace("_", "-")
        if value == "False":
            flags["--no-" + flag[2:]] = ""
        else:
            flags[flag] = "" if value == "True" else _unquoted(value)
    return model, flags


def read_listed_flags(page: Page) -> dict[str, str]:
    """Return the flags that a compose file, a manifest or a JSON list gives to the server."""
    flags: dict[str, str] = {}
    for literal in LISTED_LITERALS:
        for index, text in page.with_literal(literal):
            line = page.lines[index]
            if line.level is not None or line.process is not None:
                continue
            item = _ITEM.match(text)
            if item is not None:
                flags.setdefault(item.group(1), item.group(2) or _next_value(page, index))
            elif "[" in text:
                quoted = [
                    first or second for first, second in (found.groups() for found in _QUOTED.finditer(text))
                ]
                listed, _, _ = read_flags([word for word in quoted if word not in {"vllm", "serve"}])
                for name, value in listed.items():
                    flags.setdefault(name, value)
    return flags


def _next_value(page: Page, index: int) -> str:
    """Return the value that the next item of a list gives, empty without one."""
    following = page.lines[index + 1].text if index + 1 < len(page.lines) else ""
    value = _VALUE_ITEM.match(following)
    return "" if value is None else value.group(1).strip()


def _entries(text: str) -> list[str]:
    """Split at the commas of the outermost level, up to the bracket that closes it."""
    entries: list[str] = []
    depth = start = 0
    quote = ""
    for position, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            if not depth:
                return [*entries, text[start:position]]
            depth -= 1
        elif character == "," and not depth:
            entries.append(text[start:position])
            start = position + 1
    return [*entries, text[start:]]


def _unquoted(value: str) -> str:
    if value[:1] == "<" and ":" in value:
        # `<AttentionBackendEnum.FLASHINFER: '…'>`
        return value[1:].partition(":")[0]
    return value.strip("'\"")
