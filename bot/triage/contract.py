"""A report as the JSON that others script against. Not for printing it; `contract_model` judges it.

Every key is always present, in this order; what is not known is null or empty. Names and meanings are fixed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from rules.engine.report import Change, Diagnosis, Proof, RaisedAt, Remedy, Report, RootCause

#: raised only when a key changes its meaning, which is not meant to happen
SCHEMA = 1

Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"


def report_to_json(report: Report, name: str) -> dict[str, Json]:
    """Return the object for one input; `name` is what the input was called (`-` for standard input)."""
    return {
        "schema": SCHEMA,
        "input": name,
        "status": report.status.value,
        "language": report.language,
        "facts": _facts(report),
        "root_cause": _root_cause(report.root_cause),
        "diagnoses": [_diagnosis(diagnosis) for diagnosis in report.diagnoses],
        "ruled_out": [{"rule": rival.rule, "why": rival.why} for rival in report.ruled_out],
        "ask": [{"fact": ask.fact, "why": ask.why, "command": ask.command} for ask in report.ask],
        "notes": [{"kind": note.kind.value, "text": note.text} for note in report.notes],
        "redacted": report.redacted,
        "raised_at": [_raised_at(place) for place in report.raised_at],
    }


def _facts(report: Report) -> dict[str, Json]:
    facts = report.facts
    return {
        "vllm_version": facts.vllm_version,
        "vllm_versions": report.vllm_versions,
        "gpu": facts.gpu,
        "compute_capability": facts.compute_capability,
        "platform": facts.platform,
        "model": facts.model,
        "env": dict(facts.env),
        "argv": list(facts.argv),
        "backend_requested": facts.backend_requested,
        "backend_selected": facts.backend_selected,
    }


def _root_cause(root: RootCause | None) -> Json:
    if root is None:
        return None
    return {"line": root.line, "text": root.text, "process": root.process}


def _raised_at(place: RaisedAt) -> Json:
    return {"file": place.file, "line": place.line, "function": place.function, "release": place.release}


def _diagnosis(diagnosis: Diagnosis) -> Json:
    return {
        "rule": diagnosis.rule,
        "class": diagnosis.failure_class,
        "family": diagnosis.family,
        "confidence": diagnosis.confidence.value,
        "title": diagnosis.title,
        "cause": diagnosis.cause,
        "captures": dict(diagnosis.captures),
        "fixes": [remedy_to_json(remedy) for remedy in diagnosis.fixes],
        "references": list(diagnosis.references),
    }


def remedy_to_json(remedy: Remedy) -> Json:
    """Return one fix; `check` prints the same shape."""
    return {
        "id": remedy.id,
        "kind": remedy.kind.value,
        "summary": remedy.summary,
        "releases": remedy.releases,
        "relaunchable": remedy.relaunchable,
        "risk": remedy.risk.value,
        "change": _change(remedy.change),
        "commands": list(remedy.commands),
        "verify": [_proof(proof) for proof in remedy.verify],
    }


def _proof(proof: Proof) -> Json:
    return {"kind": proof.kind.value, "command": proof.command, "expect": proof.expect}


def _change(change: Change | None) -> Json:
    if change is None:
        return None
    return {
        "env_unset": list(change.env_unset),
        "env_set": dict(change.env_set),
        "flags_set": dict(change.flags_set),
        "flags_unset": list(change.flags_unset),
    }
