"""Finds the rule whose message holds a name that was pasted alone. Not for texts that are more than a name."""

from collections.abc import Callable
from typing import Final

import re2

from rules.engine.matching.conditions import Situation
from rules.engine.matching.hits import RuleHits
from rules.engine.matching.matches import Match, Place, Setting
from rules.engine.matching.scan.index import SignalIndex
from rules.engine.paste.evidence import Evidence
from rules.engine.rule.model import Rule

#: a name of code, long and odd enough to stand in few messages
_NAME: Final = re2.compile(r"^[`'\"(]*([A-Za-z_][\w.:]*(?:_|::|[a-z][A-Z])[\w.:]*)[`'\")]*$")
_SHORTEST: Final = 8


def match_fragment(
    evidence: Evidence, index: SignalIndex, rule_of: Callable[[str], Rule], setting: Setting
) -> Match | None:
    """Return the match, never a sure one, of a rule whose message names what is all that was pasted.

    None where rules of several classes name it.
    """
    told = [(place, line.text.strip()) for place, line in enumerate(evidence.lines) if line.text.strip()]
    if len(told) != 1 or (found := _NAME.search(told[0][1])) is None or len(found.group(1)) < _SHORTEST:
        return None
    name = found.group(1)
    naming = {signal.rule for signal in index.signals if name in signal.regex.replace("\\", "")}
    rules = [rule for rule in map(rule_of, sorted(naming)) if not rule.asks_only]
    if len({rule.failure_class for rule in rules}) != 1:
        return None
    releases = setting.shipped if setting.known is None else setting.known
    situation = Situation(RuleHits({}), setting.facts, {}, releases)
    return Match(rules[0], told[0][0], Place.ALONE, {}, situation, sure=False)
