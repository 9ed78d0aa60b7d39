"""Checks how fixes are proven.

Never by the process alone, with an image for encoders, with texts that can occur.
"""

from collections.abc import Iterator

from rules.engine.remedy.words import fill, placeholders
from rules.engine.report import FixKind, ProofKind
from rules.engine.rule.model import Fix, Impact, ProofTemplate, Rule
from rules.lint.checks.matching import hits_in
from rules.lint.interface import Context, Finding

#: kinds that change something here and now, so that something can be proven
_PROVABLE = (
    FixKind.UNSET_ENV,
    FixKind.SET_ENV,
    FixKind.SET_FLAG,
    FixKind.DROP_FLAG,
    FixKind.RESTART,
    FixKind.UPGRADE,
)


def check(rule: Rule, context: Context) -> Iterator[Finding]:
    """Yield fixes without a proof, encoders without an image, texts that no failing sample holds."""
    for index, fix in enumerate(rule.fixes):
        place = ("fixes", index, "verify")
        if fix.kind not in _PROVABLE or (fix.change is None and fix.kind is not FixKind.UPGRADE):
            continue
        kinds = {proof.kind for proof in fix.verify}
        if not kinds & {ProofKind.HTTP, ProofKind.INFERENCE}:
            yield Finding(f"Fix `{fix.id}` is not proven by a request.", "Add `{kind: http}`.", place)
        if ProofKind.INFERENCE not in kinds and rule.impact is Impact.BLOCKS_START:
            yield Finding(
                f"Fix `{fix.id}` is not proven by a completion.",
                "Add `{kind: inference, part: text}`.",
                place,
            )
        if fix.part == "tower" and not _sends_image(fix):
            yield Finding(f"Fix `{fix.id}` changes an encoder, but no image proves it.",
                          "Add `{kind: inference, part: tower}`.", place)  # fmt: skip
        for proof in fix.verify:
            yield from _text(proof, rule, place, context)


def _sends_image(fix: Fix) -> bool:
    return any(proof.kind is ProofKind.INFERENCE and proof.part == "tower" for proof in fix.verify)


def _text(
    proof: ProofTemplate, rule: Rule, place: tuple[str | int, ...], context: Context
) -> Iterator[Finding]:
    """Yield a text that must be gone but is in no failing sample: its absence would prove nothing."""
    if proof.kind is not ProofKind.LOG or proof.text is None or not proof.absent:
        return
    fires = [sample for sample in context.samples(rule) if sample.kind == "fires"]
    if fires and not any(_occurs(proof.text, rule, sample.text) for sample in fires):
        yield Finding(f"`{proof.text}` is in no firing sample, so its absence proves nothing.",
                      "Use a text of the failure itself.", place)  # fmt: skip


def _occurs(text: str, rule: Rule, paste: str) -> bool:
    if not placeholders(text):
        return text in paste
    hits = hits_in(paste, rule)
    return any(fill(text, hit.captures) in paste for signal in hits.signals.values() for hit in signal)
