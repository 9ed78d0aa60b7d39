"""Checks that the shared phrases and commands a rule needs exist, alike in every language."""

from collections.abc import Iterator

from rules.engine.remedy.words import placeholders
from rules.engine.report import ProofKind
from rules.engine.rule.model import Fix, Rule
from rules.engine.rule.texts import LANGUAGES
from rules.lint.checks.texts import groups_of
from rules.lint.interface import Context, Finding


def check(rule: Rule, context: Context) -> Iterator[Finding]:
    """Yield phrases that are missing or differ between languages."""
    for index, fix in enumerate(rule.fixes):
        yield from _phrase(fix.phrase or f"fix.{fix.kind}", ("fixes", index, "phrase"), context)
        yield from _values(rule, fix, ("fixes", index, "values"), context)
        for proof in fix.verify:
            if proof.kind is ProofKind.COMMAND and proof.text:
                yield from _phrase(f"expect.{proof.text.split()[0]}", ("fixes", index, "verify"), context)
    for index, question in enumerate(rule.ask):
        place = ("ask", index, "fact")
        yield from _phrase(f"ask.{question.fact}", place, context)
        if f"ask.{question.fact}" not in context.catalogue.phrases.get("commands", {}):
            yield Finding(
                f"There is no command that answers `{question.fact}`.",
                "Add it to phrases/commands.yaml.",
                place,
            )


def _phrase(key: str, place: tuple[str | int, ...], context: Context) -> Iterator[Finding]:
    found = {language: context.catalogue.phrases.get(language, {}).get(key) for language in LANGUAGES}
    missing = [language for language, text in found.items() if text is None]
    if missing:
        yield Finding(f"The phrase `{key}` is missing in {', '.join(missing)}.", "Add it to phrases/.", place)
    elif len({frozenset(placeholders(text)) for text in found.values() if text}) > 1:
        yield Finding(
            f"The phrase `{key}` has other placeholders in other languages.", "Use the same ones.", place
        )


def _values(rule: Rule, fix: Fix, place: tuple[str | int, ...], context: Context) -> Iterator[Finding]:
    """Yield a phrase that names more than its fix, its change and the captures give."""
    text = context.catalogue.phrases.get("en", {}).get(fix.phrase or f"fix.{fix.kind}", "")
    given = {"requested", *fix.values, *_said_of(fix)}
    given.update(name for signal in rule.signals for name in groups_of(signal.regex))
    wanted = placeholders(text) - given
    if wanted - {"model", "backend", "variable", "device", "selected"}:
        yield Finding(
            f"The phrase of `{fix.id}` needs {', '.join(sorted(wanted))}.", "Give it under `values`.", place
        )


def _said_of(fix: Fix) -> Iterator[str]:
    """Yield the placeholders that a change or a target fills; without one they would be printed as `?`."""
    change = fix.change
    if change is not None and (change.env_set or change.flags_set):
        yield from ("setting", "value")
    if change is not None and (change.env_unset or change.flags_unset):
        yield from ("removed", "seen")
    if fix.target:
        yield "target"
