"""The pipeline from a paste to a report. Not for its steps: those are in `paste`, `matching`, `remedy`."""

import io
from collections.abc import Callable
from dataclasses import dataclass, replace

from packaging.version import Version

from rules.engine.matching.fragments import match_fragment
from rules.engine.matching.matches import Setting, find_matches, known_releases
from rules.engine.matching.ranking import Verdict, rank
from rules.engine.matching.scan.blocks import Source
from rules.engine.matching.scan.windows import read_excerpt
from rules.engine.matching.verifying import Matcher
from rules.engine.paste.evidence import Evidence
from rules.engine.paste.facts import Given
from rules.engine.paste.told.language import asker_language
from rules.engine.printed.raised import raised_at
from rules.engine.printed.recognising import may_be_recognised, recognise
from rules.engine.report import Report, Status
from rules.engine.reporting import Judged, limit_notes
from rules.engine.rule.model import Rule
from rules.engine.seams import Answerer, Failure, Places, Printing, Reader, Stump, Texts

#: in which answers are written
LANGUAGES = ("en", "zh")
_NOTHING_GIVEN = Given()


@dataclass(frozen=True, slots=True)
class Parts:
    """What an engine is made of."""

    reader: Reader
    matcher: Matcher
    #: a rule by its id; only rules that fired are asked for
    rule_of: Callable[[str], Rule]
    answerer: Answerer
    #: releases with facts, ascending
    shipped: tuple[Version, ...]
    printing: Printing | None = None
    stump: Stump | None = None
    #: None: a bare message is not looked up among what vLLM raises
    texts: Texts | None = None
    #: None: nobody knows where releases raise what
    places: Places | None = None


class Engine:
    """Diagnoses pastes. An engine belongs to one thread; it keeps nothing of a paste."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def diagnose(self, data: bytes | str, given: Given = _NOTHING_GIVEN, language: str = "auto") -> Report:
        """Return the report on a paste of any content.

        Up to 1 MiB it is cleaned whole; of more, only the lines that matter are read, and the report says so.
        `language` is `en`, `zh`, or `auto` for the language of the paste.
        """
        raw = data.encode("utf-8", errors="replace") if isinstance(data, str) else data
        return self.diagnose_stream(io.BytesIO(raw), given, language)

    def diagnose_stream(
        self, source: Source, given: Given = _NOTHING_GIVEN, language: str = "auto"
    ) -> Report:
        """Return the report on a log of any length, read once, in bounded memory."""
        parts = self._parts
        excerpt = read_excerpt(source, parts.matcher.index, parts.matcher.scanner)
        evidence = parts.reader.clean(excerpt.text, unwrap=not excerpt.partial)
        excerpt = replace(excerpt, dropped=True) if evidence.dropped else excerpt
        if language not in LANGUAGES:
            language = asker_language(evidence.lines)
        failure = _heard(parts.reader.failure(evidence), given)
        hits = parts.matcher.match(evidence, failure.code)
        found = parts.reader.facts(evidence, given, language)
        known = known_releases(found.facts, parts.shipped)
        setting = Setting(failure, found.facts, parts.shipped, known, parts.printing, parts.stump)
        matches = find_matches(hits, parts.rule_of, setting)
        verdict = rank(matches, hits, failure)
        if parts.texts is not None and may_be_recognised(verdict, failure):
            setting = recognise(setting, evidence, parts.texts)
            verdict = rank(matches, hits, setting.failure)
        if not given.is_empty and verdict.status is Status.NOT_AN_INCIDENT:
            verdict = self._asked(evidence, setting, verdict, launch=given.tells_launch)
        notes = [*evidence.notes, *found.notes, *limit_notes(excerpt, hits.capped, language)]
        report = Judged(evidence, excerpt, setting, verdict, language).report(parts.answerer, notes)
        return replace(report, raised_at=raised_at(setting, verdict, parts.places))

    def _asked(self, evidence: Evidence, setting: Setting, verdict: Verdict, *, launch: bool) -> Verdict:
        """Return the verdict for somebody who asks: whose failure it is need not show, and hints of one count.

        Who tells of a launch asks about it, so that calm output which ends early is not enough either.
        """
        failure = setting.failure
        if failure.root is not None and failure.message and failure.foreign is None:
            return replace(verdict, status=Status.NEED_MORE if failure.cut else Status.UNKNOWN)
        if not (failure.hinted or (launch and failure.begun)):
            return verdict
        parts = self._parts
        named = match_fragment(evidence, parts.matcher.index, parts.rule_of, setting)
        return replace(verdict, status=Status.NEED_MORE, ranked=(named,) if named else ())


def _heard(failure: Failure, given: Given) -> Failure:
    """Return the failure for whoever tells it: who gives facts asks about vLLM, whoever else prints the same."""
    return failure if given.is_empty or not failure.foreign_by_shared_text else replace(failure, foreign=None)
