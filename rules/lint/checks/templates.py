"""Proves what vLLM itself prints: each release of a signal has a message that gives a sample's line.

Not what stands round a message: a signal of scope `any` may look for frames, settings or other programs' words.
"""

import re
from collections.abc import Iterator
from functools import cache

import re2

from rules.engine.rule.model import Origin, Rule, Scope, Signal
from rules.lint.interface import Context, Finding

#: shortest fixed part of a template that says anything
_SHORTEST = 8
#: what ends a fixed part: a value, or the end of a line
_VARIABLE = re.compile(r"\{[^{}]*\}|\n")


def check(rule: Rule, context: Context) -> Iterator[Finding]:
    """Yield releases that do not print what a signal of theirs looks for."""
    if rule.origin is not Origin.VLLM:
        return
    for index, signal in enumerate(rule.signals):
        lines = [] if signal.scope is Scope.ANY else _lines(rule, signal, context)
        if not lines:
            continue
        giving = {
            template for template in context.all_templates if any(_gives(template, line) for line in lines)
        }
        versions = context.releases_of(rule, signal)
        missing = [version for version in versions if giving.isdisjoint(context.templates(version))]
        if missing:
            named = context.named(missing)
            yield Finding(f"No message of {named} gives what signal `{signal.name}` looks for.",
                          "Narrow its `releases`, or correct the pattern.", ("signals", index))  # fmt: skip


def _lines(rule: Rule, signal: Signal, context: Context) -> list[str]:
    """Return what a signal found in the samples, each to the end of its line."""
    try:
        pattern = re2.compile(signal.regex)
    except re2.error:
        return []  # told by the check of the patterns
    texts = [sample.text for sample in context.samples(rule) if sample.kind == "fires"]
    lines = [line for text in texts for line in text.splitlines()]
    return [line[match.start() :] for line in lines if (match := pattern.search(line))]


@cache
def _fixed_parts(template: str) -> tuple[tuple[str, ...], str]:
    """Return the fixed parts of a template, and the longest of them."""
    parts = tuple(part.strip() for part in _VARIABLE.split(template) if part.strip())
    return parts, max(parts, key=len, default="")


def _gives(template: str, line: str) -> bool:
    """Tell whether a template prints the line: its fixed parts stand in it, in their order."""
    parts, longest = _fixed_parts(template)
    if len(longest) < _SHORTEST or longest not in line:
        return False
    position = 0
    for part in parts:
        found = line.find(part, position)
        if found >= 0:
            position = found + len(part)
    return True
