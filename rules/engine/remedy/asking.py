"""Chooses the questions that would decide most, each with one command. Not for what wrappers hide."""

from collections.abc import Iterable, Sequence

from rules.engine.paste.facts import Facts
from rules.engine.remedy.building import TOWER_FLAG, VARIABLE
from rules.engine.remedy.resolve import SETTINGS, Resolved
from rules.engine.remedy.words import Words
from rules.engine.report import Ask
from rules.engine.rule.model import Question
from rules.engine.seams import Case

#: most deciding first, as public incidents showed
_ORDER = (
    "first-exception", "gpu", "vllm_version", "launch", "architecture", "packages", "model", "platform",
    "start-up-log",
)  # fmt: skip
MOST = 3


def asks(names: Iterable[str], words: Words) -> tuple[Ask, ...]:
    """Return at most three questions for the named facts, most deciding first."""
    wanted = sorted(set(names), key=_rank)
    return tuple(Ask(name, words.say(f"ask.{name}"), words.command(f"ask.{name}")) for name in wanted[:MOST])


def _rank(name: str) -> int:
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)


def wanted_facts(case: Case, resolved: Sequence[Resolved]) -> set[str]:
    """Return the facts that would narrow the answer to a case."""
    if not case.in_era:
        # whatever else is unknown, the answer is of no use before this is settled
        return {"vllm_version"}
    names = {doubt.fact for one in resolved for doubt in one.outcome.doubts}
    names |= {question.fact for question in case.rule.ask if _still_open(question, case)}
    if case.facts.vllm_version is None and _differs_by_release(resolved, case):
        names.add("vllm_version")
    if _nobody_told_who_set_it(case, resolved):
        names.add("launch")
    return names


def known(name: str, facts: Facts) -> bool:
    """Tell whether a fact that could be asked for is known already."""
    values = {
        # where no NVIDIA card is at work, its model decides nothing
        "gpu": facts.gpu or facts.compute_capability or facts.platform not in (None, "cuda"),
        "vllm_version": facts.vllm_version,
        "launch": facts.argv or VARIABLE in facts.env or TOWER_FLAG in facts.flags,
        "architecture": facts.architecture,
        "packages": facts.packages,
        "model": facts.model,
        "platform": facts.platform,
    }
    return bool(values.get(name))


def _still_open(question: Question, case: Case) -> bool:
    if known(question.fact, case.facts):
        return False
    return question.when is None or case.holds(question.when) is not False


def _differs_by_release(resolved: Sequence[Resolved], case: Case) -> bool:
    if len(case.releases) < 2:
        return not case.releases
    offered = {
        fix_id: [one for one in resolved if one.fix.id == fix_id]
        for fix_id in {one.fix.id for one in resolved}
    }
    return any(len(ranges) > 1 or ranges[0].releases != case.releases for ranges in offered.values())


def _nobody_told_who_set_it(case: Case, resolved: Sequence[Resolved]) -> bool:
    """Tell whether a setting is to be changed that the paste does not show: image or wrapper may set it."""
    if case.facts.argv or TOWER_FLAG in case.facts.flags:
        return False
    changes = [one.outcome.change for one in resolved if one.fix.kind in SETTINGS and one.outcome.change]
    touched = {name for change in changes for name in (*change.env_unset, *change.env_set)}
    return VARIABLE in touched and VARIABLE not in case.facts.env
