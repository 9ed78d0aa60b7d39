"""Looks at a question inside a worker process: engine in, card out. Not for deciding whether to answer."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.incident.fingerprint import fingerprint_of
from bot.relaunch.offer import offer_of
from bot.triage.card import card_of
from bot.triage.looking.outcome import WHOLE_BYTES, Outcome, Question
from bot.triage.looking.pressable import acts_on, hints_of
from bot.triage.showing.fitting import fit
from rules.engine.paste.facts import Given

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.triage.looking.engine import Engine
    from rules.engine.report import Report

_BLOCK = 1 << 18


def look(engine: Engine, question: Question) -> Outcome:
    """Return what the engine says about a question, with the card that shows it."""
    given = Given(
        vllm_version=question.vllm_version, gpu=question.gpu, model=question.model, command=question.launch
    )
    size = sum(len(text) for text in question.texts) + sum(file.stat().st_size for file in question.files)
    if size > WHOLE_BYTES and question.files:
        report = _look_at_large(engine, question, given)
        return _outcome(report, question, "", read=None)
    contents = [file.read_bytes().decode("utf-8", "replace") for file in question.files]
    text = "\n".join((*question.texts, *contents))
    report = engine.diagnose_text(text, given, question.language)
    read = engine.mask("\n".join(contents))[0] if contents else None
    return _outcome(report, question, text, read=read)


def _look_at_large(engine: Engine, question: Question, given: Given) -> Report:
    if not question.texts and len(question.files) == 1:
        return engine.diagnose_file(question.files[0], given, question.language)
    with tempfile.TemporaryDirectory(prefix="vllm-diagnose-") as folder:
        whole = Path(folder) / "whole.log"
        _join(whole, question.texts, question.files)
        return engine.diagnose_file(whole, given, question.language)


def _join(whole: Path, texts: Iterable[str], files: Iterable[Path]) -> None:
    with whole.open("wb") as target:
        for text in texts:
            target.write(text.encode("utf-8", "replace") + b"\n")
        for file in files:
            with file.open("rb") as source:
                while block := source.read(_BLOCK):
                    target.write(block)
            target.write(b"\n")


def _is_plainly_vllm(report: Report, text: str) -> bool:
    facts = report.facts
    known = facts.vllm_version or report.vllm_versions or facts.argv
    return bool(known) or "vllm" in text.lower()


def _outcome(report: Report, question: Question, text: str, *, read: str | None) -> Outcome:
    first = report.diagnoses[0] if report.diagnoses else None
    told = replace(report, redacted=report.redacted + question.masked)
    offer = offer_of(report)
    hints = hints_of(report, text, question.scope)
    card = card_of(told, question.reply_id, acts_on(report, question.scope, hints))
    card = fit(replace(card, sections=(*card.sections, *question.added)), question.limits)
    return Outcome(
        status=report.status,
        fingerprint=fingerprint_of(report),
        card=card,
        title=card.title,
        language=report.language,
        rule=first.rule if first else None,
        rules=tuple(one.rule for one in report.diagnoses),
        failure_class=first.failure_class if first else None,
        confidence=first.confidence.value if first else None,
        vllm_version=report.facts.vllm_version,
        gpu=report.facts.gpu,
        model=report.facts.model,
        is_plainly_vllm=_is_plainly_vllm(report, text),
        read=read,
        offer=offer,
        hints=hints,
    )
