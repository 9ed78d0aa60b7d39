"""From hits to matches: which rules hold, where, with which captures and releases. Not for ranking."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from packaging.version import Version

from rules.engine.matching.conditions import Situation
from rules.engine.matching.hits import Hit, Hits, RuleHits
from rules.engine.paste.facts import Facts
from rules.engine.rule.model import After, AllOf, AnyOf, Condition, Fired, Last, Rule
from rules.engine.seams import Failure, Printing, Stump
from rules.engine.versions import parse_version, select, stand_ins

#: characters of a capture; what is longer is nobody's name, value or list
_LONGEST_CAPTURE = 2000


class Place(IntEnum):
    """How near the deciding line of a match is to the root cause."""

    #: on a line that tells the root cause
    ROOT = 0
    #: on another exception of the root's chain
    CHAIN = 1
    #: anywhere, in a paste without a root cause
    ALONE = 2
    #: away from the root cause
    ELSEWHERE = 3


@dataclass(frozen=True, slots=True)
class Match:
    """One rule that fired."""

    rule: Rule
    #: index of the deciding line
    line: int
    place: Place
    captures: Mapping[str, str]
    situation: Situation
    #: False: facts are missing that the condition needs
    sure: bool
    #: False: the release that was printed or given does not print this text
    in_era: bool = True
    #: shipped releases that do print it, where that release does not; empty where it does
    printing: tuple[Version, ...] = ()


@dataclass(frozen=True, slots=True)
class Setting:
    """What a match is judged against."""

    failure: Failure
    facts: Facts
    shipped: tuple[Version, ...]
    #: shipped releases that speak for the known release or series; None: neither is known
    known: tuple[Version, ...] | None = None
    #: which of some releases print what a rule captured; None: release facts are not asked
    printing: Printing | None = None
    #: which captures at the edge of a line name nothing, so that they are cut; None: release facts are not asked
    stump: Stump | None = None
    #: shipped releases that raise the root cause's message; empty: that was not asked, or none does
    raising: tuple[Version, ...] = ()

    def place(self, line: int) -> Place:
        """Return how near a line is to the root cause."""
        if self.failure.root is None:
            return Place.ALONE
        if line in self.failure.told or line == self.failure.root:
            return Place.ROOT
        return Place.CHAIN if line in self.failure.chain else Place.ELSEWHERE


def known_releases(facts: Facts, shipped: tuple[Version, ...]) -> tuple[Version, ...] | None:
    """Return the shipped releases that speak for the known release or series; None without one."""
    version = parse_version(facts.vllm_version) if facts.vllm_version else None
    if version is not None:
        return stand_ins(version, shipped)
    return select(facts.vllm_series, shipped) if facts.vllm_series else None


def find_matches(hits: Hits, rule_of: Callable[[str], Rule], setting: Setting) -> list[Match]:
    """Return the rules whose condition holds or may hold, in no order."""
    found = []
    for rule_id, rule_hits in hits.rules.items():
        match = _match(rule_of(rule_id), rule_hits, setting)
        if match is not None:
            found.append(match)
    return found


def _match(rule: Rule, hits: RuleHits, setting: Setting) -> Match | None:
    if setting.known is None:
        return _judged(rule, hits, setting)
    match = _judged(rule, hits.only(_of_era(rule, setting)), setting)
    if match is not None and not _printed_elsewhere(match, setting):
        return match
    match = _judged(rule, hits, setting)
    return None if match is None else replace(match, in_era=False, printing=_printing(match, setting))


def _printing(match: Match, setting: Setting) -> tuple[Version, ...]:
    """Return the shipped releases that print what fired."""
    fired = sorted(match.situation.hits.signals)
    return _narrowed(setting.shipped, match.rule, fired, match.captures, setting)


def _printed_elsewhere(match: Match, setting: Setting) -> bool:
    """Tell whether release facts rule the known release out: its encoder of that label takes that backend."""
    if not match.rule.tower or not setting.known:
        return False
    return frozenset(_printing(match, setting)).isdisjoint(setting.known)


def _of_era(rule: Rule, setting: Setting) -> frozenset[str]:
    """Return the signals that the known release prints, or may print where facts do not reach it."""
    version = parse_version(setting.facts.vllm_version) if setting.facts.vllm_version else None
    candidates = (*(setting.known or ()), *([version] if version else []))
    signals = (one for one in rule.signals if select(one.releases or rule.releases, candidates))
    return frozenset(signal.name for signal in signals)


def _judged(rule: Rule, hits: RuleHits, setting: Setting) -> Match | None:
    speaking = [(name, hit) for name in set(_positive(rule.condition)) for hit in hits.of(name)]
    placed = ((setting.place(hit.line), hit.line, name, hit) for name, hit in speaking)
    deciding = sorted(placed, key=lambda entry: entry[:3])
    if not deciding:
        return None
    place, line, name, first = deciding[0]
    captures = _captures(rule, [first, *(entry[3] for entry in deciding[1:])], setting)
    releases = setting.shipped if setting.known is None else setting.known
    if setting.facts.vllm_version is None:
        releases = _narrowed(releases, rule, [name, *hits.signals], captures, setting)
    situation = Situation(hits, setting.facts, captures, releases)
    holds = situation.holds(rule.condition)
    return None if holds is False else Match(rule, line, place, captures, situation, sure=holds is True)


def _captures(rule: Rule, hits: Iterable[Hit], setting: Setting) -> Mapping[str, str]:
    """Return what was captured, the first hit first, without names that the end of a line cut."""
    captures: dict[str, str] = {}
    for hit in hits:
        for name, value in hit.captures.items():
            if name not in captures and _is_name(rule, hit, name, setting):
                captures[name] = value
    return captures


def _is_name(rule: Rule, hit: Hit, name: str, setting: Setting) -> bool:
    """Tell whether a capture can be shown and put into commands: not endless, and no stump."""
    value = hit.captures[name]
    if len(value) > _LONGEST_CAPTURE:
        return False
    return name not in hit.edges or setting.stump is None or not setting.stump(rule, name, value)


def _positive(condition: Condition) -> Iterator[str]:
    """Yield the signals whose firing speaks for the condition."""
    match condition:
        case Fired(signal) | Last(signal):
            yield signal
        case After(first, then):
            yield from (then, first)
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from _positive(part)
        case _:
            return


def _narrowed(
    releases: tuple[Version, ...],
    rule: Rule,
    fired: Sequence[str],
    captures: Mapping[str, str],
    setting: Setting,
) -> tuple[Version, ...]:
    """Return the releases in which the rule can happen and that print what fired."""
    ranges = {signal.name: signal.releases for signal in rule.signals}
    allowed = select(rule.releases, releases) or releases
    for name in fired:
        allowed = select(ranges.get(name), allowed) or allowed
    return setting.printing(rule, captures, allowed) if setting.printing else allowed
