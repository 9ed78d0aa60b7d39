"""A slow matcher that means what rules mean: `re.ASCII`, every signal on every line. For tests only."""

import re
from collections.abc import Iterable

from rules.engine.matching.hits import Hits
from rules.engine.matching.verifying import in_scope
from rules.engine.paste.evidence import Evidence
from rules.engine.rule.model import Rule

#: rule, signal, line, captures
Finding = tuple[str, str, int, tuple[tuple[str, str], ...]]


def reference_findings(rules: Iterable[Rule], evidence: Evidence, code: frozenset[int]) -> set[Finding]:
    """Return what fires, line by line."""
    found: set[Finding] = set()
    for rule in rules:
        for signal in rule.signals:
            pattern = re.compile(signal.regex, re.ASCII)
            for place, line in enumerate(evidence.lines):
                match = pattern.search(line.text)
                if match and in_scope(signal.scope, line, code=place in code):
                    captures = {name: text for name, text in match.groupdict().items() if text is not None}
                    found.add((rule.id, signal.name, place, tuple(sorted(captures.items()))))
    return found


def engine_findings(hits: Hits) -> set[Finding]:
    """Return the engine's hits in the same form."""
    return {
        (rule, name, hit.line, tuple(sorted(hit.captures.items())))
        for rule, rule_hits in hits.rules.items()
        for name, found in rule_hits.signals.items()
        for hit in found
    }
