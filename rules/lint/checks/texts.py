"""Checks the words of a rule: every language says the same thing, and every placeholder can be filled."""

from collections.abc import Iterator

import re2

from rules.engine.remedy.words import placeholders
from rules.engine.rule.model import Rule, Text
from rules.engine.rule.texts import LANGUAGES
from rules.lint.interface import Context, Finding, Severity

#: a title stands in one line of a card
_LONGEST_TITLE = 90
#: known to every rule beside its captures
_ALWAYS = {"requested"}


def check(rule: Rule, context: Context) -> Iterator[Finding]:
    """Yield missing languages, placeholders that differ or that no signal captures, and commands in prose."""
    del context
    for language in LANGUAGES:
        if language not in rule.texts:
            yield Finding(
                f"There is no text in `{language}`.", f"Add text/{language}.md.", file=f"text/{language}.md"
            )
    english = rule.texts.get("en")
    captured = {name for signal in rule.signals for name in groups_of(signal.regex)} | _ALWAYS
    for language, text in rule.texts.items():
        file = f"text/{language}.md"
        used = _used(text)
        for name in sorted(used - captured):
            yield Finding(f"No signal captures `{name}`.", "Use a named group of a signal.", file=file)
        if english and used != _used(english):
            different = ", ".join(sorted(used ^ _used(english)))
            yield Finding(
                f"Its placeholders differ from English: {different}.", "Use the same ones.", file=file
            )
        if len(text.title) > _LONGEST_TITLE:
            yield Finding(f"The title has {len(text.title)} characters.", f"Keep it within {_LONGEST_TITLE}.",
                          file=file, severity=Severity.ADVICE)  # fmt: skip
        if "`" in text.title + text.cause:
            yield Finding(
                "Title or cause hold a command.",
                "Commands come from the fixes, so that languages agree.",
                file=file,
            )
        if language == "zh" and not any("\u4e00" <= one <= "\u9fff" for one in text.cause):
            yield Finding("The Chinese text is not Chinese.", "Translate it.", file=file)


def groups_of(regex: str) -> set[str]:
    """Return the names that a pattern captures; none for a pattern that does not compile."""
    try:
        return set(re2.compile(regex).groupindex)
    except re2.error:
        return set()


def _used(text: Text) -> set[str]:
    return placeholders(text.title) | placeholders(text.cause) | placeholders(text.not_this)
