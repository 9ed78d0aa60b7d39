"""Reports as the engine gives them, one for each status. Not tests."""

from rules.engine.paste.evidence import Note, NoteKind
from rules.engine.paste.facts import Facts
from rules.engine.report import (
    Ask,
    Change,
    Confidence,
    Diagnosis,
    FixKind,
    Proof,
    ProofKind,
    RaisedAt,
    Remedy,
    Report,
    Risk,
    RootCause,
    RuledOut,
    Status,
)

LONG_COMMAND = (
    "curl -fsS http://localhost:8000/v1/chat/completions -H 'Content-Type: application/json' -d "
    '\'{"model": "Qwen/Qwen3-VL-30B-A3B-Instruct", "max_tokens": 16, "messages": [{"role": "user", '
    '"content": [{"type": "text", "text": "What is in this image?"}]}]}\''
)


def a_remedy(fix_id: str = "unset-variable", *, advice: bool = False) -> Remedy:
    return Remedy(
        id=fix_id,
        kind=FixKind.UPGRADE if advice else FixKind.UNSET_ENV,
        summary="Remove the variable VLLM_ATTENTION_BACKEND wherever it is set, then start the server again.",
        releases=">=0.11.1,<0.13",
        relaunchable=not advice,
        risk=Risk.PERFORMANCE if advice else Risk.LOW,
        change=None if advice else Change(env_unset=("VLLM_ATTENTION_BACKEND",)),
        commands=("unset VLLM_ATTENTION_BACKEND", LONG_COMMAND),
        verify=(Proof(ProofKind.LOG, "grep -F 'Using FLASH_ATTN' vllm.log", "The log names FLASH_ATTN."),),
    )


def a_diagnosis(rule: str = "vit-backend-rejected") -> Diagnosis:
    return Diagnosis(
        rule=rule,
        failure_class="vit-backend-unsupported",
        family="attention-backend",
        confidence=Confidence.CERTAIN,
        title="The vision encoder of Qwen3-VL refuses FLASHINFER",
        cause="The variable chooses the backend of the vision encoder too, and that accepts only three.",
        captures={"model": "Qwen3-VL", "backend": "FLASHINFER"},
        fixes=(a_remedy(), a_remedy("upgrade", advice=True)),
        references=("https://github.com/vllm-project/vllm/issues/29595",),
        line=41,
    )


RAISED_AT = (
    RaisedAt("vllm/v1/engine/core.py", 833, function="run_engine_core"),
    RaisedAt("vllm/attention/selector.py", 180, release="0.11.2"),
)


def a_report(status: Status = Status.DIAGNOSED, *, language: str = "en") -> Report:
    decided = status is Status.DIAGNOSED
    quiet = status is Status.NOT_AN_INCIDENT
    return Report(
        status=status,
        language=language,
        facts=Facts(
            gpu="NVIDIA H100",
            compute_capability="9.0",
            platform="cuda",
            model="Qwen/Qwen3-VL-30B-A3B-Instruct",
            env={"VLLM_ATTENTION_BACKEND": "FLASHINFER"},
            argv=("vllm", "serve", "Qwen/Qwen3-VL-30B-A3B-Instruct"),
            backend_requested="FLASHINFER",
        ),
        vllm_versions=">=0.11.1,<0.13",
        root_cause=None
        if quiet
        else RootCause(41, "RuntimeError: Qwen3-VL does not support it.", "Worker_TP0"),
        diagnoses=(a_diagnosis(), a_diagnosis("second")) if decided else (),
        ruled_out=(RuledOut("env-var-ignored", "The variable is read in these releases."),)
        if decided
        else (),
        ask=()
        if quiet
        else (Ask("gpu", "The second fix depends on the GPU.", "nvidia-smi --query-gpu=name"),),
        notes=(Note(NoteKind.CONTRADICTION, "Two releases are named."),),
        redacted=2,
        raised_at=() if decided or quiet else RAISED_AT,
    )
