"""Builds the typed change of a fix for one release, or says why the release refuses it.

Not for commands or words.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from rules.engine.remedy.accepts import default_works, own_choices, text_accepts, tower_accepts
from rules.engine.remedy.doubts import Doubt
from rules.engine.remedy.machine import text_machine, tower_machine
from rules.engine.remedy.words import UNKNOWN, fill
from rules.engine.remedy.worth.refused import without_refused
from rules.engine.remedy.worth.shortfall import falls_short
from rules.engine.remedy.worth.standing import stands_against
from rules.engine.report import Change, FixKind
from rules.engine.rule.model import ChangeTemplate, Fix, Pick
from rules.engine.seams import Case
from rules.releases.model import Part
from rules.releases.release import Release

#: the flag that gives an encoder its own backend, and the variable that both parts read up to 0.12.0
TOWER_FLAG = "--mm-encoder-attn-backend"
VARIABLE = "VLLM_ATTENTION_BACKEND"
#: class of failures whose point is a flag that the release does not know, so that it may be dropped there
UNKNOWN_FLAGS = "cli-arg-invalid"
#: settings whose value is the name of a backend; others reach a part too, such as VLLM_USE_V1
BACKEND_SETTINGS = frozenset({VARIABLE, TOWER_FLAG, "--attention-backend", "--attention-config.backend"})


def told_by_message(case: Case, release: Release) -> str | None:
    """Return what the message shows the variable to be set to; None where something else explains it.

    The encoder may have got its backend from its own flag, or from the release itself.
    """
    backend = case.captures.get("backend")
    if (
        not case.rule.tower
        or TOWER_FLAG in case.facts.flags
        or Part.TOWER not in release.reach(VARIABLE).parts
    ):
        return None
    where = tower_machine(case.facts, tower_label(case, release))
    return None if backend in own_choices(release, where) else backend


def origin_open(case: Case, release: Release) -> bool:
    """Tell whether the encoder's own flag may have asked for the backend: nobody showed the launch."""
    facts = case.facts
    seen = bool(facts.argv or facts.flags) or VARIABLE in facts.env
    return case.rule.tower and not seen and Part.TOWER in release.reach(TOWER_FLAG).parts


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a fix is not offered for a release."""

    reason: str


@dataclass(frozen=True, slots=True)
class Built:
    """A change that the release takes, and what it depends on."""

    change: Change
    doubts: tuple[Doubt, ...] = ()


def case_values(case: Case) -> dict[str, str]:
    """Return what placeholders may name.

    The captures, and the backend that the launch asks for as `requested`.
    """
    asked = case.facts.env.get(VARIABLE) or case.facts.backend_requested
    return {**({"requested": asked} if asked else {}), **case.captures}


def tower_label(case: Case, release: Release) -> str | None:
    """Return the label of the encoder that a case is about: from the message, or from the model's name."""
    if case.rule.tower:
        return case.captures.get("model")
    model = (case.facts.model or "").lower()
    labels = [tower.label for tower in release.towers() if tower.label.lower() in model]
    return max(labels, key=len, default=None)


_NOTHING = Built(Change())


class Builder:
    """Builds changes for one case in one release."""

    def __init__(self, release: Release, case: Case) -> None:
        self.release = release
        self.case = case
        self._label = tower_label(case, release)
        self._values_known = case_values(case)
        self._text = text_machine(case.facts)
        self._tower = tower_machine(case.facts, self._label)
        self._doubts: list[Doubt] = []

    def build(self, fix: Fix) -> Built | Refusal:
        """Return the change, or the first reason against it."""
        self._doubts = []
        if fix.change is None:
            # a rule that is about any flag drops what the message names
            drops = fix.kind is FixKind.DROP_FLAG
            return Built(without_refused(Change(), self.case)) if drops else _NOTHING
        part = Part(fix.part) if fix.part else None
        change = self._change(fix.change, part)
        if isinstance(change, Refusal):
            return change
        if change.flags_unset:
            change = without_refused(change, self.case)
        if needless := stands_against(change, fix.toward, self.case.facts):
            return Refusal(needless)
        short = falls_short(change, self.case, self.release)
        if isinstance(short, str):
            return Refusal(short)
        if short is not None:
            self._doubts.append(short)
        return self._kept_variable(change, part) or Built(change, tuple(self._doubts))

    def _change(self, template: ChangeTemplate, part: Part | None) -> Change | Refusal:
        # where a change sets something too, that is what reaches the part
        removed_for = None if template.env_set or template.flags_set else part
        env_unset = tuple(fill(name, self._values_known) for name in template.env_unset)
        for name in (*env_unset, *template.flags_unset):
            if refusal := self._removal(name, removed_for):
                return refusal
        env_set = self._values(template.env_set, part, of_variables=True)
        flags_set = self._values(template.flags_set, part, of_variables=False)
        if isinstance(env_set, Refusal):
            return env_set
        if isinstance(flags_set, Refusal):
            return flags_set
        return Change(env_unset, env_set, flags_set, template.flags_unset)

    def _removal(self, setting: str, part: Part | None) -> Refusal | None:
        """Check that a setting which goes decided the part, and that the machine's own choice then works."""
        gone = self.case.rule.failure_class == UNKNOWN_FLAGS
        if setting.startswith("-") and self.release.flag(setting) is None and not gone:
            return Refusal(f"{self.release.version} has no flag {setting}")
        if part is None:
            return None
        if part not in self.release.reach(setting).parts:
            return Refusal(f"{setting} does not reach the {part} in {self.release.version}")
        if part is Part.TOWER:
            if setting == TOWER_FLAG and (refusal := self._left_to_variable()):
                return refusal
            packages = frozenset(self.case.facts.packages)
            works, doubts = default_works(self.release, self._label, self._tower, packages)
            if works is False:
                return Refusal(f"what {self.release.version} chooses by itself does not work there")
            self._doubts.extend(doubts)
            if setting == VARIABLE and origin_open(self.case, self.release):
                self._doubts.append(Doubt("launch", "if.tower-flag", (("flag", TOWER_FLAG),)))
        return None

    def _left_to_variable(self) -> Refusal | None:
        """Check that an encoder which loses its own flag does not fall back to a variable that it refuses."""
        value = self.case.facts.env.get(VARIABLE)
        if not value or Part.TOWER not in self.release.reach(VARIABLE).parts:
            return None
        if tower_accepts(self.release, self._label, value, self._tower) is False:
            return Refusal(f"the encoder would read {VARIABLE}={value} then, and refuse it too")
        return None

    def _values(
        self, wanted: Mapping[str, str | Pick], part: Part | None, *, of_variables: bool
    ) -> dict[str, str] | Refusal:
        found: dict[str, str] = {}
        for name, value in wanted.items():
            refusal = self._setting(name, part, of_variables=of_variables)
            if refusal:
                return refusal
            chosen = self._chosen(name, value)
            if chosen is None:
                return Refusal(f"no value for {name} works in {self.release.version} on this machine")
            found[name] = chosen
        return found

    def _setting(self, name: str, part: Part | None, *, of_variables: bool) -> Refusal | None:
        setting = self.release.variable(name) if of_variables else self.release.flag(name)
        if setting is None:
            return Refusal(f"{self.release.version} has no {name}")
        if setting.deprecated:
            return Refusal(f"{name} is deprecated in {self.release.version}")
        if part is not None and part not in self.release.reach(name).parts:
            return Refusal(f"{name} does not reach the {part} in {self.release.version}")
        return None

    def _chosen(self, name: str, value: str | Pick) -> str | None:
        """Return the first value that surely works, else the first that may, else None."""
        candidates = self._ordered(value) if isinstance(value, Pick) else (value,)
        filled = [fill(candidate, self._values_known) for candidate in candidates]
        # what the message did not print, or what no number comes of, is no value
        filled = [one for one in filled if one != UNKNOWN]
        accepted = {one: self._value_accepted(name, one) for one in filled}
        sure = [one for one in filled if accepted[one] is True]
        # a switch has no value, so that it is an empty text that is chosen
        chosen = next(iter((*sure, *(one for one in filled if accepted[one] is None))), None)
        if chosen is None:
            return None
        if not sure and self._text.compute_capability is None and self._text.platform == "cuda":
            self._doubts.append(Doubt("gpu", "if.backend-runs", (("backend", chosen),)))
        self._doubts.extend(self._package_of(name, chosen))
        return chosen

    def _package_of(self, name: str, value: str) -> list[Doubt]:
        """Return the doubt about a package that a chosen backend needs and the release does not bring."""
        backend = self.release.backend(value) if self.release.reach(name).parts else None
        package = backend.package if backend else None
        if not package or package in self.case.facts.packages or self.release.requirement(package):
            return []
        return [Doubt("packages", "if.package", (("package", package),))]

    def _ordered(self, pick: Pick) -> tuple[str, ...]:
        """Return the preferred values, first the one that the release would choose here by itself."""
        if pick.what != "tower-backend":
            return pick.prefer
        default = self.release.tower_default(self._tower)
        own = default.backend if default and default.missing_package is None else None
        return tuple(sorted(pick.prefer, key=lambda name: name != own))

    def _value_accepted(self, name: str, value: str) -> bool | None:
        setting = self.release.variable(name) if name.startswith("VLLM_") else self.release.flag(name)
        choices = setting.choices if setting else None
        parts = self.release.reach(name).parts if name in BACKEND_SETTINGS else ()
        if choices is not None and value not in choices and not (parts and value.upper() in choices):
            return False
        outcomes: set[bool | None] = {True}
        for part in parts:
            if part is Part.TEXT:
                outcomes.add(text_accepts(self.release, value, self._text))
            elif self._label or len(parts) == 1:
                outcomes.add(tower_accepts(self.release, self._label, value, self._tower))
        if False in outcomes:
            return False
        return None if None in outcomes else True

    def _kept_variable(self, change: Change, part: Part | None) -> Refusal | None:
        """Check that the language model runs on what the variable asks for, where it stays in place."""
        if part is not Part.TOWER or VARIABLE in change.env_unset or VARIABLE in change.env_set:
            return None
        told = None if TOWER_FLAG in change.flags_unset else told_by_message(self.case, self.release)
        kept = self.case.facts.env.get(VARIABLE) or told
        if not kept or Part.TEXT not in self.release.reach(VARIABLE).parts:
            return None
        accepted = text_accepts(self.release, kept, self._text)
        if accepted is False and self._text.platform == "cuda":
            return Refusal(f"the language model does not run on {kept} here")
        if accepted is None and self._text.compute_capability is None and self._text.platform == "cuda":
            self._doubts.append(Doubt("gpu", "if.backend-runs", (("backend", kept),)))
        return None
