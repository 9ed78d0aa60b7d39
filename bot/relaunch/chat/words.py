"""What is said about acts on relaunches, as cards: plans, refusals, pickers. Pure. Not for posting them."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from adapters.chat.interface import (
    Bullets,
    Button,
    ButtonStyle,
    Card,
    Choice,
    Code,
    CodeKind,
    Field,
    Fields,
    Option,
    Paragraph,
    Section,
    Tone,
)
from bot.locale import say
from bot.relaunch.chat.actions import APPROVE, CANCEL, REJECT, pick_value, plan_value
from bot.relaunch.outcomes import DeskOutcome, OutcomeKind
from bot.relaunch.planning.difference import written
from bot.relaunch.sentences import sentence
from bot.relaunch.states import TERMINAL, TOUCHED, State
from bot.triage.showing.defang import defang

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adapters.chat.interface import Part
    from bot.access.authorization import Refusal
    from bot.relaunch.interface import News
    from bot.relaunch.outcomes import Shown
    from bot.relaunch.planning.plan import Plan

_TONES: Final = {
    State.COMMITTED: Tone.GOOD,
    State.ROLLED_BACK: Tone.WARNING,
    State.ROLLBACK_FAILED: Tone.BAD,
    State.HOST_UNKNOWN: Tone.BAD,
    State.PREFLIGHT_FAILED: Tone.WARNING,
    State.BLOCKED: Tone.WARNING,
}
_SIGNS: Final = {"passed": "✓", "failed": "✗"}
#: moments of the timeline that a card shows, the newest ones
_MOMENTS: Final = 8
#: more are a choice
_MOST_BUTTONS: Final = 5
_NONE: Mapping[str, str] = MappingProxyType({})
#: characters of one quoted piece of evidence
_EVIDENCE: Final = 300


def run_card(shown: Shown, news: News | None, language: str) -> Card:
    """Return the one card of a run: its plan, where it stands, what proved it, and the buttons that still work."""
    run, plan = shown.relaunch, shown.plan
    title = say(f"relaunch.title.{run.state}", language, server=run.server)
    sections = [Section("", (Paragraph(_standing(shown, news, language)),))]
    if plan is not None:
        sections.append(_plan_section(plan, language))
    evidence = _evidence(shown, language)
    if evidence:
        sections.append(Section(say("relaunch.evidence", language), (Bullets(evidence),)))
    timeline = _timeline(shown, language)
    if timeline:
        sections.append(Section(say("relaunch.timeline", language), (Bullets(timeline),), detail=True))
    return Card(
        title=title,
        summary=title,
        tone=_TONES.get(run.state, Tone.NEUTRAL),
        badges=(say("relaunch.badge", language, host=run.host, server=run.server),),
        sections=tuple(sections),
        buttons=_buttons(shown, language),
        language=language,
    )


def said_card(outcome: DeskOutcome, language: str) -> Card:
    """Return what only the person who acted is told: why not, or that it counted."""
    title = say(f"relaunch.said.{outcome.kind}", language, missing=outcome.missing)
    parts: list[Part] = []
    if outcome.kind is OutcomeKind.DENIED and outcome.refusal is not None:
        parts.append(Paragraph(say(f"relaunch.refused.{outcome.refusal}", language)))
    if outcome.blocked is not None:
        lifts = say("relaunch.lifts", language, when=outcome.blocked.lifts_when)
        parts.append(Paragraph(f"{defang(outcome.blocked.detail)} {lifts}"))
    elif outcome.detail:
        parts.append(Paragraph(defang(sentence(outcome.detail))))
    if outcome.next_step:
        parts.append(
            Paragraph(say("relaunch.next-step", language, what=defang(outcome.next_step.rstrip(". "))))
        )
    tone = Tone.NEUTRAL if outcome.kind in {OutcomeKind.COUNTED, OutcomeKind.APPROVED} else Tone.WARNING
    sections = (Section("", tuple(parts)),) if parts else ()
    return Card(title=title, summary=title, tone=tone, sections=sections, language=language)


@dataclass(frozen=True, slots=True)
class Picker:
    """The question which server is meant: a few are buttons, more are a choice, and the rest is said in words."""

    action: str
    #: of the sentence that asks; `.more` says what to do when a server is not among those shown
    key: str
    #: how many a choice of the platform holds
    most: int

    def card(
        self, reply_id: str, servers: Sequence[str], language: str, several: Mapping[str, str] = _NONE
    ) -> Card:
        """Return the question about an answer's server, the likeliest first.

        `several` holds what else can be picked: name → label.
        """
        title = say(self.key, language)
        buttons: tuple[Button, ...] = ()
        choices: tuple[Choice, ...] = ()
        named = [*several.items(), *((name, name) for name in servers[: self.most - len(several)])]
        picks = [(pick_value(reply_id, name), label) for name, label in named]
        if len(servers) <= _MOST_BUTTONS:
            buttons = tuple(Button(self.action, value, label) for value, label in picks)
        else:
            choices = (Choice(self.action, title, tuple(Option(value, label) for value, label in picks)),)
        number = len(several) + len(servers) - len(named)
        more = Paragraph(say(f"{self.key}.more", language, number=number))
        sections = (Section("", (more,)),) if number else ()
        return Card(
            title=title,
            summary=title,
            sections=sections,
            choices=choices,
            buttons=buttons,
            language=language,
        )


def refused_card(refusal: Refusal, language: str) -> Card:
    """Return that somebody may not, and why."""
    return said_card(DeskOutcome(OutcomeKind.DENIED, refusal=refusal), language)


def several_card(told: Sequence[tuple[str, DeskOutcome]], language: str) -> Card:
    """Return what came of asking for several servers at once."""
    title = say("relaunch.said.several", language, number=len(told))
    lines = []
    for server, outcome in told:
        said = said_card(outcome, language)
        why = [
            part.text for section in said.sections for part in section.parts if isinstance(part, Paragraph)
        ]
        lines.append(" ".join((f"{server}: {said.title}", *why)))
    sections = (Section("", (Bullets(tuple(lines)),)),)
    return Card(title=title, summary=title, tone=Tone.NEUTRAL, sections=sections, language=language)


def plain_card(key: str, language: str, **values: str) -> Card:
    """Return one sentence; what people typed stands in it without effect."""
    title = say(key, language, **{name: defang(value) for name, value in values.items()})
    return Card(title=title, summary=title, tone=Tone.WARNING, language=language)


def _standing(shown: Shown, news: News | None, language: str) -> str:
    run, plan = shown.relaunch, shown.plan
    standing = say(
        f"relaunch.state.{run.state}",
        language,
        minutes=plan.expected_minutes if plan is not None else "?",
        approvers=", ".join(shown.approvers) or "–",
        until=f"{run.expires_at:%H:%M} UTC" if run.expires_at is not None else "–",
    )
    if news is not None and news.state is run.state and news.percent is not None:
        phase = say("relaunch.progress", language, percent=f"{news.percent:.0f}", phase=news.phase or "…")
        standing = f"{standing} {phase}" + (f" ({news.count})" if news.count else "")
    return f"{standing} {defang(shown.remark)}".strip()


def _plan_section(plan: Plan, language: str) -> Section:
    facts = (
        Field(say("relaunch.field.host", language), plan.host),
        Field(say("relaunch.field.release", language), plan.vllm_version or "?"),
        Field(say("relaunch.field.risk", language), say(f"card.risk.{plan.source.risk}", language)),
        Field(say("relaunch.field.minutes", language), str(plan.expected_minutes)),
        Field(say("relaunch.field.rule", language), f"{plan.source.rule} ({plan.source.fix})"),
        Field(say("relaunch.field.plan", language), plan.hash[:12]),
    )
    proofs = tuple(say(f"relaunch.check.{check}", language) for check in plan.checks)
    diff = Code(defang("\n".join(written(plan.diff))) or "=", CodeKind.QUOTE, say("relaunch.diff", language))
    return Section(
        say("relaunch.plan", language),
        (diff, Fields(facts), Paragraph(say("relaunch.proofs", language)), Bullets(proofs)),
    )


def _evidence(shown: Shown, language: str) -> tuple[str, ...]:
    """Return what the last verdict looked at and what it saw."""
    told: list[str] = []
    for moment in shown.timeline:
        findings = moment.facts.get("findings")
        if isinstance(findings, list):
            told = [_finding(finding, language) for finding in findings]
    return tuple(told)


def _finding(finding: Sequence[str], language: str) -> str:
    check, outcome, seen = finding
    name = say(f"relaunch.check.{check}", language)
    return f"{_SIGNS.get(outcome, '?')} {name}: {defang(seen[:_EVIDENCE])}".rstrip(": ")


def _timeline(shown: Shown, language: str) -> tuple[str, ...]:
    told = [
        f"{moment.at:%H:%M:%S} {say(f'relaunch.word.{moment.state}', language)} {defang(moment.detail)}".rstrip()
        for moment in shown.timeline
    ]
    return tuple(told[-_MOMENTS:])


def _buttons(shown: Shown, language: str) -> tuple[Button, ...]:
    run = shown.relaunch
    value = plan_value(run.id, run.plan_hash)
    if run.state is State.AWAITING_APPROVAL:
        confirm = say("relaunch.button.approve.confirm", language, server=run.server, host=run.host)
        return (
            Button(APPROVE, value, say("relaunch.button.approve", language), ButtonStyle.PRIMARY, confirm),
            Button(REJECT, value, say("relaunch.button.reject", language), ButtonStyle.DANGER),
        )
    is_safe = run.state not in TERMINAL and run.state not in {State.VERIFYING, State.ROLLING_BACK}
    if is_safe and run.cancelled_by is None and run.plan_hash:
        key = "relaunch.button.cancel.touched" if run.state in TOUCHED else "relaunch.button.cancel"
        return (Button(CANCEL, value, say(key, language), ButtonStyle.DANGER),)
    return ()
