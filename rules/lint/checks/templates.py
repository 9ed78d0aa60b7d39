"""Proves what vLLM itself prints.

In each release of a signal some message of that release gives a sample's line.
"""

import re
from collections.abc import Iterator

import re2

from rules.engine.rule.model import Origin, Rule, Signal
from rules.engine.versions import specifier
from rules.lint.interface import Context, Finding
from rules.releases.release import Release

#: shortest fixed part of a template that says anything
_SHORTEST = 8


def check(rule: Rule, context: Context) -> Iterator[Finding]:
    """Yield releases that do not print what a signal of theirs looks for."""
    if rule.origin is not Origin.VLLM:
        return
    for index, signal in enumerate(rule.signals):
        lines = _lines(rule, signal, context)
        if not lines:
            continue
        missing = [
            version
            for version in context.releases_of(rule, signal)
            if not _printed(lines, context.releases.get(version))
        ]
        if missing:
            named = specifier(missing, context.shipped)
            yield Finding(f"No message of {named} gives what signal `{signal.name}` looks for.",
                          "Narrow its `releases`, or correct the pattern.", ("signals", index))  # fmt: skip


def _lines(rule: Rule, signal: Signal, context: Context) -> list[str]:
    try:
        pattern = re2.compile(signal.regex)
    except re2.error:
        return []  # told by the check of the patterns
    texts = [sample.text for sample in context.samples(rule) if sample.kind == "fires"]
    return [match[0] for text in texts for line in text.splitlines() if (match := pattern.search(line))]


def _printed(lines: list[str], release: Release) -> bool:
    return any(_gives(message.template, line) for message in release.messages() for line in lines)


def _gives(template: str, line: str) -> bool:
    """Tell whether a template can print a text that holds the line, or a text that the line holds."""
    fixed = [part for part in re.split(r"\{[^{}]*\}", template) if part]
    longest = max(fixed, key=len, default="").strip()
    if len(longest) < _SHORTEST:
        return False
    if longest not in line and line not in template:
        return False
    return line in template or _overlaps(fixed, line)


def _overlaps(fixed: list[str], line: str) -> bool:
    """Tell whether fixed parts of the template follow each other in the line."""
    position = 0
    for part in (text.strip() for text in fixed):
        found = line.find(part, position)
        if found >= 0:
            position = found + len(part)
    return position > 0
