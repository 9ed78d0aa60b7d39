"""Answers one match: title, cause, remedies and questions in the language of the answer.

Not for finding matches.
"""

from collections.abc import Mapping, Sequence

from packaging.version import Version

from rules.engine.paste.facts import Facts
from rules.engine.remedy.asking import asks, known, wanted_facts
from rules.engine.remedy.building import TOWER_FLAG, case_values
from rules.engine.remedy.doubts import as_mapping
from rules.engine.remedy.launch.commands import can_repeat, commands
from rules.engine.remedy.launch.container import pull
from rules.engine.remedy.launch.known_flags import FindFlag
from rules.engine.remedy.resolve import Resolved, resolve
from rules.engine.remedy.words import Words, fill
from rules.engine.remedy.worth.refused import others, refused
from rules.engine.report import Ask, FixKind, Proof, Remedy
from rules.engine.rule.catalogue import Catalogue
from rules.engine.rule.model import Fix, Rule
from rules.engine.seams import Answer, Case
from rules.engine.versions import select, specifier
from rules.releases.model import Flag
from rules.releases.release import Releases

#: what to ask when nothing could be diagnosed and no wrapper rule says better
_DEFAULT_QUESTIONS = ("first-exception", "vllm_version", "gpu")


class RemedyAnswerer:
    """Turns matches into words and commands, from a catalogue's phrases and the facts of the releases."""

    def __init__(self, catalogue: Catalogue, releases: Releases) -> None:
        self._phrases = catalogue.phrases
        self._releases = releases

    def answer(self, case: Case) -> Answer:
        """Return texts, remedies in the order to try, and the questions that would narrow them."""
        words = Words(self._phrases, case.language)
        text = case.rule.texts.get(case.language) or case.rule.texts["en"]
        resolved = resolve(case, self._releases)
        fixes = tuple(self._remedy(one, case, words) for one in resolved)
        values = {
            name: words.say(f"unknown.{name}") for name in ("model", "backend") if name not in case.captures
        }
        values.update(case.captures)
        return Answer(
            title=fill(text.title, values),
            cause=fill(text.cause, values),
            fixes=fixes,
            ask=asks(wanted_facts(case, resolved), words),
        )

    def questions(self, rules: Sequence[Rule], facts: Facts, language: str) -> tuple[Ask, ...]:
        """Return what to ask when nothing could be diagnosed.

        `rules` are the wrappers that fired, perhaps none.
        """
        named = [question.fact for rule in rules for question in rule.ask] or list(_DEFAULT_QUESTIONS)
        return asks([name for name in named if not known(name, facts)], Words(self._phrases, language))

    def phrase(self, key: str, language: str, values: Mapping[str, str]) -> str:
        """Return one shared sentence of the engine, filled.

        Raises `KeyError` for a key that no language has.
        """
        return Words(self._phrases, language).say(key, values)

    def _pinned(self, one: Resolved) -> str:
        """Return the package of a fix as the release wants it, where one release remains and pins it."""
        package = one.fix.values.get("package", "")
        wanted = (
            self._releases.get(one.releases[0]).requirement(package)
            if len(one.releases) == 1 and package
            else None
        )
        pin = (wanted or "").partition(";")[0].strip()
        return f"{package}{pin}" if pin.startswith("==") else package

    def _commands(self, one: Resolved, case: Case, words: Words) -> tuple[str, ...]:
        if one.outcome.change is not None:
            return commands(one.outcome.change, case.facts, self._flags_of(one))
        kind, values = one.fix.kind, _values(one, case)
        if case.facts.container:
            # pip on the host would change nothing in the container: the sentence says what would
            return self._pull(one, case)
        moves = kind in (FixKind.UPGRADE, FixKind.DOWNGRADE) and bool(one.fix.target)
        if (moves or one.fix.values.get("package") == "vllm") and case.facts.platform not in (None, "cuda"):
            # the package index holds the build for CUDA, which would replace the right one
            return ()
        if moves:
            return (words.command(f"fix.{kind}", values),)
        if kind is FixKind.INSTALL_PACKAGE and "build" not in one.fix.values:
            # by its name alone an installer takes the build that is there already
            return (words.command(f"fix.{kind}", {**values, "package": self._pinned(one)}),)
        return ()

    def _pull(self, one: Resolved, case: Case) -> tuple[str, ...]:
        """Return the command that gets the image of the first release to move to."""
        wanted = select(one.fix.target, self._releases.versions()) if one.fix.target else ()
        command = pull(case.facts, str(wanted[0])) if wanted else None
        return (command,) if command else ()

    def _flags_of(self, one: Resolved) -> FindFlag:
        """Return the look-up of flags that all releases of a remedy know."""
        covered = [self._releases.get(version) for version in one.releases]

        def find(name: str) -> Flag | None:
            found = [release.flag(name) for release in covered]
            return found[-1] if found and all(found) else None

        return find

    def _remedy(self, one: Resolved, case: Case, words: Words) -> Remedy:
        fix, change = one.fix, one.outcome.change
        return Remedy(
            id=fix.id,
            kind=fix.kind,
            summary=_summary(one, case, words),
            releases=_range(one.releases, fix, self._releases),
            relaunchable=fix.relaunchable and (change is not None or fix.kind is FixKind.RESTART),
            risk=fix.risk,
            change=change,
            commands=self._commands(one, case, words),
            verify=tuple(
                Proof(
                    proof.kind,
                    proof.command,
                    words.say(proof.expect, dict(proof.values)),
                    proof.lines,
                    proof.absent,
                )
                for proof in one.outcome.proofs
            ),
        )


def _range(versions: tuple[Version, ...], fix: Fix, releases: Releases) -> str:
    return specifier(versions, releases.versions()) or fix.releases


def _values(one: Resolved, case: Case) -> dict[str, str]:
    """Return what the phrases of a fix may name."""
    change = one.outcome.change
    values = {**case_values(case), **one.fix.values}
    values["target"] = one.fix.target or ""
    if flags := refused(case):
        values["flag"] = ", ".join(flags)
    if change:
        settings = {**change.env_set, **change.flags_set}
        apart = others(case)
        removed = (*change.env_unset, *(flag for flag in change.flags_unset if flag not in apart))
        values["removed"] = ", ".join(removed)
        values["setting"] = next(iter(settings), "")
        values["value"] = next(iter(settings.values()), "")
        for name in removed:
            seen = case.facts.env.get(name) or case.facts.flags.get(name)
            if seen:
                values["seen"] = seen
    return values


def _summary(one: Resolved, case: Case, words: Words) -> str:
    values = _values(one, case)
    key = one.fix.phrase or f"fix.{one.fix.kind}"
    if key == "fix.set-flag" and not values["value"]:
        key = "fix.set-flag.switch"
    if len(refused(case)) > 1 and words.has(f"{key}.several"):
        key = f"{key}.several"
    sentences = [words.say(key, values)]
    if apart := others(case):
        sentences.append(words.say("refused.others", {"others": ", ".join(apart)}))
    who = _who(one, case)
    if who:
        sentences.append(words.say(who, values))
    if case.facts.container and _concerns_container(one):
        sentences.append(words.say("then.container"))
    then = _then(one, case)
    if then:
        sentences.append(words.say(then))
    sentences += [
        words.say(doubt.phrase, as_mapping(doubt))
        for doubt in one.outcome.doubts
        if doubt.phrase and words.has(doubt.phrase)
    ]
    return words.join(sentences)


def _concerns_container(one: Resolved) -> bool:
    """Tell whether a fix changes what lies inside a container: its variables or its packages."""
    change = one.outcome.change
    if change is not None:
        return bool(change.env_unset or change.env_set)
    return one.fix.kind in (FixKind.UPGRADE, FixKind.DOWNGRADE, FixKind.INSTALL_PACKAGE)


def _then(one: Resolved, case: Case) -> str | None:
    """Return the phrase that completes commands which cannot repeat the launch, because nobody showed it."""
    change = one.outcome.change
    if change is None or can_repeat(case.facts):
        return None
    return "then.keep-flags" if change.flags_set or change.flags_unset else "then.start"


def _who(one: Resolved, case: Case) -> str | None:
    """Return the phrase that says who set what is to be changed, as far as the paste shows it."""
    change = one.outcome.change
    if change is None or not change.env_unset:
        return None
    name = change.env_unset[0]
    if name in case.facts.env:
        return "who.seen"
    if case.facts.argv or TOWER_FLAG in case.facts.flags:
        return "who.elsewhere"
    return "who.unknown"
