"""Tells a bare message of vLLM by what its releases raise, where nothing else does. Not for rules."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from packaging.version import Version

from rules.engine.matching.matches import Setting
from rules.engine.matching.ranking import Verdict
from rules.engine.paste.evidence import Evidence
from rules.engine.report import Status
from rules.engine.seams import Failure, Raising, Texts

#: lines of a paste without any exception that are looked up
_MOST_LINES: Final = 40
#: in so few lines a text that stops early is a message that was cut, not the beginning of a sentence
_FEW_LINES: Final = 3
_CALM: Final = frozenset({"INFO", "DEBUG", "WARNING"})


def may_be_recognised(verdict: Verdict, failure: Failure) -> bool:
    """Tell whether looking up what vLLM raises can add to a verdict."""
    return (
        failure.foreign is None
        and not verdict.ranked
        and verdict.status in (Status.UNKNOWN, Status.NOT_AN_INCIDENT)
    )


def recognise(setting: Setting, evidence: Evidence, texts: Texts) -> Setting:
    """Return the setting with what its message says: that it is vLLM's, and which releases raise it."""
    failure = setting.failure
    if failure.root is not None:
        found = texts.find(failure.name, failure.message)
        return setting if found is None else _known(setting, failure, found)
    bare = list(_bare_lines(evidence, failure))
    for place, text in bare:
        found = texts.find("", text)
        if found is not None and (not found.cut or len(bare) <= _FEW_LINES):
            root = replace(failure, root=place, text=text, message=text, told=frozenset({place}))
            return _known(setting, root, found)
    return setting


def _known(setting: Setting, failure: Failure, found: Raising) -> Setting:
    raising = tuple(setting.shipped[place] for place in found.releases if place < len(setting.shipped))
    known = replace(failure, vllm=True, cut=failure.cut or found.cut)
    return replace(setting, failure=known, raising=_of(raising, setting))


def _of(raising: tuple[Version, ...], setting: Setting) -> tuple[Version, ...]:
    """Return no releases where the known one is not among them: then a fork or a copy raised the text."""
    known = setting.known
    return raising if known is None or set(known) & set(raising) else ()


def _bare_lines(evidence: Evidence, failure: Failure) -> Iterator[tuple[int, str]]:
    """Yield the lines that may be a message without its exception."""
    for place, line in enumerate(evidence.lines[:_MOST_LINES]):
        if place not in failure.code and line.level not in _CALM and not line.text[:1].isspace():
            yield place, line.text.strip()
