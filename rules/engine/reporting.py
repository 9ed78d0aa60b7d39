"""From a verdict to the report: confidence, releases, remarks, questions. Not for reaching the verdict."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from packaging.version import Version

from rules.engine.matching.matches import Match, Setting
from rules.engine.matching.ranking import Rejected, Verdict, confidence
from rules.engine.matching.scan.windows import Excerpt
from rules.engine.paste.evidence import Evidence, Note, NoteKind
from rules.engine.paste.facts import Facts
from rules.engine.paste.reading import WHOLE
from rules.engine.report import Ask, Diagnosis, Remedy, Report, RootCause, RuledOut, Status
from rules.engine.seams import Answer, Answerer, Case
from rules.engine.versions import parse_version, specifier, within
from rules.engine.wording import remark

#: questions of one answer
_MOST_QUESTIONS = 3
#: characters of the root cause's line that are shown
_LONGEST_TEXT = 4000


@dataclass(frozen=True, slots=True)
class Judged:
    """All that is known of a paste when the report is written."""

    evidence: Evidence
    excerpt: Excerpt
    setting: Setting
    verdict: Verdict
    language: str

    def report(self, answerer: Answerer, notes: Iterable[Note]) -> Report:
        """Return the report; `notes` are the remarks of the steps before."""
        answers = [(match, answerer.answer(self._case(match))) for match in self.verdict.ranked]
        remarks = [*notes, *self._remarks(), *(note for _, answer in answers for note in answer.notes)]
        return Report(
            status=self.verdict.status,
            language=self.language,
            facts=self._facts(),
            vllm_versions=self._releases(),
            root_cause=self._root_cause(),
            diagnoses=tuple(self._diagnosis(match, answer) for match, answer in answers),
            ruled_out=tuple(self._ruled_out(one) for one in self.verdict.rejected),
            ask=self._ask(answerer, [answer for _, answer in answers]),
            notes=tuple(dict.fromkeys(remarks)),
            redacted=self.evidence.redacted,
        )

    def _case(self, match: Match) -> Case:
        facts = self._facts() if match is self._best() else self.setting.facts
        situation, releases = match.situation, match.situation.releases
        if not match.in_era and self.setting.known:
            releases = tuple(sorted({*self.setting.known, *match.printing}))
        return Case(match.rule, match.captures, facts, releases, self.language, situation.holds, match.in_era)

    def _number(self, place: int) -> int:
        """Return the number in the original of a line by its index."""
        return self.excerpt.original(self.evidence.lines[place].number)

    def _best(self) -> Match | None:
        return self.verdict.ranked[0] if self.verdict.ranked else None

    def _facts(self) -> Facts:
        """Return the facts, with the release where only one remains."""
        facts, best = self.setting.facts, self._best()
        if facts.vllm_version is None and best is not None and len(best.situation.releases) == 1:
            return replace(facts, vllm_version=str(best.situation.releases[0]))
        return facts

    def _releases(self) -> str | None:
        known = self.setting.facts.vllm_version and parse_version(self.setting.facts.vllm_version)
        if known:
            return f"=={known.public}"
        best, setting = self._best(), self.setting
        allowed = best.situation.releases if best else setting.known or setting.shipped
        if best is None and setting.raising:
            allowed = tuple(one for one in allowed if one in setting.raising) or allowed
        return None if len(allowed) == len(setting.shipped) else specifier(allowed, setting.shipped)

    def _root_cause(self) -> RootCause | None:
        failure, best = self.setting.failure, self._best()
        place = failure.root
        if place is None:
            place = failure.nearest if best is None else best.line
        if place is None or self.verdict.status is Status.NOT_AN_INCIDENT:
            return None
        line = self.evidence.lines[place]
        text = failure.text or line.text.strip()
        if len(text) > _LONGEST_TEXT:
            text = text[:_LONGEST_TEXT] + "…"
        return RootCause(self._number(place), text, line.process)

    def _diagnosis(self, match: Match, answer: Answer) -> Diagnosis:
        rule = match.rule
        return Diagnosis(
            rule=rule.id,
            failure_class=rule.failure_class,
            family=rule.family,
            confidence=confidence(match, self.setting.failure),
            title=answer.title,
            cause=answer.cause if match.in_era else self._contradicted("cause.contradicted", match),
            captures=match.captures,
            fixes=self._fixes(match, answer.fixes),
            references=rule.references,
            line=self._number(match.line),
            in_era=match.in_era,
            version=rule.version,
            is_vision=rule.tower,
        )

    def _fixes(self, match: Match, fixes: tuple[Remedy, ...]) -> tuple[Remedy, ...]:
        """Return the fixes; where several releases must agree, only those that all of them allow.

        That is so for a build between two releases, and where the named release cannot print the text.
        """
        version, known = self.setting.facts.vllm_version, self.setting.known
        if not match.in_era and known:
            ranges = {fix.id: fix.releases for fix in match.rule.fixes}
            common = common_fixes(fixes, "", (*known, *match.printing))
            return tuple(replace(fix, releases=ranges[fix.id]) for fix in common)
        if version is None or known is None or len(known) < 2:
            return fixes
        return common_fixes(fixes, version, known)

    def _ruled_out(self, one: Rejected) -> RuledOut:
        line = None if one.line is None else self._number(one.line)
        return RuledOut(one.rule, remark(one.reason.value, self.language, line=line, by=one.by))

    def _ask(self, answerer: Answerer, answers: Iterable[Answer]) -> tuple[Ask, ...]:
        wanted = [ask for answer in answers for ask in answer.ask]
        if self.verdict.status is Status.NEED_MORE:
            wanted += answerer.questions(self.verdict.wrappers, self.setting.facts, self.language)
        asked = {ask.fact: ask for ask in reversed(wanted)}
        return tuple(reversed(asked.values()))[:_MOST_QUESTIONS]

    def _remarks(self) -> Iterator[Note]:
        facts, shipped, known = self.setting.facts, self.setting.shipped, self.setting.known
        if known is None or not shipped:
            return
        named = facts.vllm_version or (facts.vllm_series or "").strip("=.*")
        if not known:
            text = remark("outside.facts", self.language, release=named, first=shipped[0], last=shipped[-1])
            yield Note(NoteKind.OUTSIDE_FACTS, text)
        elif len(known) > 1 and facts.vllm_version:
            ends = {"first": known[0], "last": known[-1]}
            text = remark("between.releases", self.language, release=named, **ends)
            yield Note(NoteKind.OUTSIDE_FACTS, text)
        best = self._best()
        if known and best is not None and not best.in_era:
            yield Note(NoteKind.CONTRADICTION, self._contradicted("contradiction.release", best))

    def _contradicted(self, key: str, match: Match) -> str:
        """Return a remark on a text that the named release does not print."""
        facts = self.setting.facts
        return remark(
            key,
            self.language,
            release=facts.vllm_version or (facts.vllm_series or "").strip("=.*"),
            line=self._number(match.line),
            releases=specifier(match.printing, self.setting.shipped),
        )


def common_fixes(fixes: Sequence[Remedy], version: str, releases: Sequence[Version]) -> tuple[Remedy, ...]:
    """Return the fixes that hold in all the releases, each once, with the proofs that hold in all."""
    found: list[Remedy] = []
    for fix_id in dict.fromkeys(fix.id for fix in fixes):
        ranges = [fix for fix in fixes if fix.id == fix_id]
        first = ranges[0]
        everywhere = all(any(within(release, fix.releases) for fix in ranges) for release in releases)
        if everywhere and all((fix.change, fix.commands) == (first.change, first.commands) for fix in ranges):
            proofs = tuple(proof for proof in first.verify if all(proof in fix.verify for fix in ranges))
            found.append(replace(first, releases=f"=={version.partition('+')[0]}", verify=proofs))
    return tuple(found)


def limit_notes(excerpt: Excerpt, capped: frozenset[str], language: str) -> Iterator[Note]:
    """Yield a remark for every limit that was reached."""
    keys = {"cap.partial": excerpt.partial, "cap.dropped": excerpt.dropped, "cap.line": excerpt.cut}
    for key, reached in keys.items():
        if reached:
            yield Note(NoteKind.CAP_REACHED, remark(key, language, limit=WHOLE // 1024**2))
    if capped:
        yield Note(NoteKind.CAP_REACHED, remark("cap.rules", language, rules=", ".join(sorted(capped))))
