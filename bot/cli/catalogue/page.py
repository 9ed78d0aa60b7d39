"""The page of a rule as Markdown: what, why, what to do per release, how to verify. Not for printing it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.cli.answer.proofs import shared_proofs
from bot.cli.catalogue.grouping import grouped
from bot.locale import say
from rules.engine.paste.facts import Facts
from rules.engine.remedy.answerer import RemedyAnswerer
from rules.engine.rule.loading import load_samples
from rules.engine.seams import Case
from rules.engine.versions import select

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from packaging.version import Version

    from rules.engine.report import Proof, Remedy
    from rules.engine.rule.catalogue import Catalogue
    from rules.engine.rule.model import Rule
    from rules.engine.seams import Answer
    from rules.releases.release import Releases


def rule_page(rule: Rule, catalogue: Catalogue, releases: Releases, language: str) -> str:
    """Return the page in `en` or `zh`.

    The fixes are resolved as for a paste that tells neither release nor machine, with the captures of the
    rule's first sample.
    """
    captures = _example(rule)
    spoken_of = select(rule.releases, releases.versions())
    case = Case(rule, captures, Facts(), spoken_of, language, holds=lambda _condition: None)
    answerer = RemedyAnswerer(catalogue, releases)
    answer = answerer.answer(case)
    if rule.asks_only:
        answer = replace(answer, ask=answerer.questions((rule,), Facts(), language))
    return "\n".join(_Page(rule, language, releases.versions()).lines(answer, captures)) + "\n"


def _example(rule: Rule) -> Mapping[str, str]:
    samples = (sample for sample in load_samples(rule) if sample.kind == "fires")
    return next((sample.pairs("captures") for sample in samples if sample.pairs("captures")), {})


@dataclass(frozen=True, slots=True)
class _Page:
    rule: Rule
    language: str
    shipped: tuple[Version, ...]

    def lines(self, answer: Answer, captures: Mapping[str, str]) -> Iterator[str]:
        """Yield the lines of the page."""
        text = self.rule.texts.get(self.language) or self.rule.texts["en"]
        yield f"# {text.title}"
        yield from ("", self._facts())
        yield from self._section("page.texts")
        yield from _block("text", dict.fromkeys(signal.literal for signal in self.rule.signals))
        yield from (*self._section("page.cause"), text.cause)
        yield from (*self._section("page.not-this"), text.not_this)
        yield from self._section("page.fixes")
        yield from self._fixes(answer.fixes, captures)
        yield from self._asks(answer)
        yield from self._bullets("page.false-positives", self.rule.false_positives)
        absorbs = [self._say("page.absorbs", rule=rule) for rule in self.rule.absorbs]
        rivals = [self._say("page.rivals", rule=rule) for rule in self.rule.rivals]
        yield from self._bullets("page.related", (*absorbs, *rivals))
        yield from self._bullets("page.references", tuple(f"<{link}>" for link in self.rule.references))

    def _say(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)

    def _section(self, key: str) -> tuple[str, ...]:
        return ("", f"## {self._say(key)}", "")

    def _facts(self) -> str:
        rule = self.rule
        return self._say(
            "page.facts",
            rule=rule.id,
            name=rule.failure_class,
            family=rule.family,
            status=rule.status.value,
            confidence=self._say(f"card.confidence.{rule.confidence.value}"),
            releases=rule.releases,
            origin=rule.origin.value,
        )

    def _fixes(self, fixes: tuple[Remedy, ...], captures: Mapping[str, str]) -> Iterator[str]:
        if not fixes:
            yield self._say("page.fixes.none")
            return
        values = ", ".join(f"{name} {value}" for name, value in captures.items())
        yield self._say("page.fixes.example" if values else "page.fixes.unknown", values=values)
        shared = shared_proofs(fixes)
        for number, group in enumerate(grouped(fixes, self.shipped), start=1):
            head = self._say("page.fix", number=number, releases=group.releases)
            yield from ("", f"### {head}", "", group.fix.summary, "")
            commands = group.fix.commands
            yield from _block("sh", commands) if commands else (self._say("page.advice"),)
            for where, proof in group.proofs:
                yield from () if proof in shared else self._proof(proof, where)
        if shared:
            yield from ("", f"### {self._say('page.verify.any')}")
        for proof in shared:
            yield from self._proof(proof, None)

    def _proof(self, proof: Proof, where: str | None) -> Iterator[str]:
        key = "page.verify.range" if where else "page.verify"
        yield from ("", self._say(key, expect=proof.expect, releases=where), "")
        yield from _block("sh", (proof.command,))

    def _asks(self, answer: Answer) -> Iterator[str]:
        if answer.ask:
            yield from self._section("page.asks")
        for number, ask in enumerate(answer.ask):
            yield from (*(("",) if number else ()), ask.why, "")
            yield from _block("sh", (ask.command,))

    def _bullets(self, key: str, entries: tuple[str, ...]) -> Iterator[str]:
        if entries:
            yield from self._section(key)
        for entry in entries:
            yield f"- {' '.join(entry.split())}"


def _block(kind: str, texts: Iterator[str] | tuple[str, ...] | dict[str, None]) -> Iterator[str]:
    yield from (f"```{kind}", *texts, "```")
