"""Checks the patterns.

They compile everywhere, stand on enough literal text, and are silent on a healthy log.
"""

from collections.abc import Iterator

import re2

from rules.engine.matching.conditions import Situation
from rules.engine.matching.hits import Hit, RuleHits
from rules.engine.matching.scan.benign import BENIGN_LOG
from rules.engine.matching.scan.literals import UnprovenLiteralError, prove
from rules.engine.paste.facts import Facts
from rules.engine.rule.model import Rule, Signal
from rules.lint.interface import Context, Finding, Severity

#: below this a literal hits often enough to cost time
_GOOD_LITERAL = 12


def check(rule: Rule, context: Context) -> Iterator[Finding]:
    """Yield patterns that do not compile, weak literals, clashing names, rules that fire on a healthy log."""
    del context
    names: set[str] = set()
    sound = True
    for index, signal in enumerate(rule.signals):
        place = ("signals", index, "regex")
        if signal.name in names:
            yield Finding(
                f"Two signals are called `{signal.name}`.", "Rename one.", ("signals", index, "name")
            )
        names.add(signal.name)
        faults = list(_pattern(signal, place))
        sound = sound and not faults
        yield from faults
    if sound and _fires_on(BENIGN_LOG, rule):
        yield Finding("It fires on a healthy log.", "Make the condition narrower.", ("condition",))


def _pattern(signal: Signal, place: tuple[str | int, ...]) -> Iterator[Finding]:
    try:
        compiled = re2.compile(signal.regex)
    except re2.error as error:
        yield Finding(
            f"Signal `{signal.name}` is no RE2 pattern: {error}.",
            "RE2 has no look-around and no back-references.",
            place,
        )
        return
    if len(compiled.groupindex) != compiled.groups:
        yield Finding(
            f"Signal `{signal.name}` has a group without a name.", "Name it, or write `(?:...)`.", place
        )
    try:
        prove(signal.regex, signal.literal)
    except UnprovenLiteralError as error:
        yield Finding(
            f"Signal `{signal.name}`: {error.reason}.", "Choose a text that every matching line holds.", place
        )
        return
    if len(signal.literal) < _GOOD_LITERAL:
        yield Finding(f"Signal `{signal.name}` stands on {len(signal.literal)} literal characters.",
                      f"{_GOOD_LITERAL} or more cost less time.", place, Severity.ADVICE)  # fmt: skip


def _fires_on(text: str, rule: Rule) -> bool:
    return Situation(hits_in(text, rule), Facts(), {}).holds(rule.condition) is True


def hits_in(text: str, rule: Rule) -> RuleHits:
    """Return where the signals of a rule match in a text, line by line, without cleaning."""
    found: dict[str, tuple[Hit, ...]] = {}
    lines = text.splitlines()
    for signal in rule.signals:
        try:
            pattern = re2.compile(signal.regex)
        except re2.error:
            continue  # told by the check of the patterns
        matches = [(number, pattern.search(line)) for number, line in enumerate(lines)]
        hits = [Hit(number, match.groupdict()) for number, match in matches if match]
        if hits:
            found[signal.name] = tuple(hits)
    return RuleHits(found)
