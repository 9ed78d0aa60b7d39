"""Checks the samples beside a rule.

Enough of them, and each fires or stays silent as its name says, line by line.
"""

from collections.abc import Iterator

from rules.engine.matching.conditions import Situation
from rules.engine.paste.facts import Facts
from rules.engine.rule.model import Origin, Rule, RuleStatus
from rules.engine.rule.samples import Sample, read_samples
from rules.lint.checks.matching import hits_in
from rules.lint.interface import Context, Finding

#: samples that a stable rule needs: firing ones, releases they come from, silent ones
_STABLE = (3, 2, 3)


def check(rule: Rule, context: Context) -> Iterator[Finding]:
    """Yield what samples lack or contradict; the whole pipeline runs over them in `rules test`."""
    if rule.folder is None:
        return
    for fault in read_samples(rule.folder)[1]:
        yield Finding(f"{fault.message}.", "Correct the sample.", file=f"samples/{fault.file.name}")
    samples = context.samples(rule)
    fires = [sample for sample in samples if sample.kind == "fires"]
    silent = [sample for sample in samples if sample.kind == "silent"]
    yield from _amount(rule, fires, silent)
    fired = {name for sample in fires for name in _fired(sample, rule)}
    for index, signal in enumerate(rule.signals):
        if signal.name not in fired and signal.name in _positive(rule):
            yield Finding(
                f"No sample fires the signal `{signal.name}`.", "Add one.", ("signals", index, "name")
            )
    # words that other programs print too are told apart by what stands round them, which `rules test` looks at
    for sample in silent if rule.origin is Origin.VLLM else ():
        if Situation(hits_in(sample.text, rule), Facts(), {}).holds(rule.condition) is True:
            yield Finding(
                "The silent sample fires.", "Narrow the condition.", file=f"samples/{sample.path.name}"
            )
    known = {fix.id for fix in rule.fixes}
    for sample in samples:
        unknown = set(sample.words("fix") + sample.words("not-fix")) - known
        if unknown:
            names = ", ".join(sorted(unknown))
            yield Finding(f"It names fixes that do not exist: {names}.", "Correct the header.",
                          file=f"samples/{sample.path.name}")  # fmt: skip


def _amount(rule: Rule, fires: list[Sample], silent: list[Sample]) -> Iterator[Finding]:
    wanted, releases, quiet = _STABLE if rule.status is RuleStatus.STABLE else (1, 1, 1)
    told = {sample.headers.get("release", "") for sample in fires}
    if len(fires) < wanted or len(told) < releases:
        need = f"{wanted} firing sample(s) of {releases} release(s)"
        yield Finding(f"A rule of status {rule.status} needs {need}.",
                      "Add samples/fires-WHAT.log.", ("status",))  # fmt: skip
    if len(silent) < quiet:
        yield Finding(f"A rule of status {rule.status} needs {quiet} silent sample(s).",
                      "Add samples/silent-WHY.log: a near miss, a healthy start.", ("status",))  # fmt: skip


def _fired(sample: Sample, rule: Rule) -> set[str]:
    return set(hits_in(sample.text, rule).signals)


def _positive(rule: Rule) -> set[str]:
    """Return the signals whose firing the condition wants: those under `none` need no sample that fires."""
    found: set[str] = set()
    queue: list[object] = [rule.condition]
    while queue:
        part = queue.pop()
        if type(part).__name__ != "NoneOf":
            queue.extend(getattr(part, "parts", ()))
            found.update(
                name
                for slot in ("signal", "first", "then")
                if isinstance(name := getattr(part, slot, None), str)
            )
    return found
